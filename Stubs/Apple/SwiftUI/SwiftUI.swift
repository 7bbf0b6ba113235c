@_exported import CoreGraphics
@_exported import Foundation

// https://developer.apple.com/documentation/swiftui/view · macOS 10.15, iOS 13.0
@MainActor @preconcurrency public protocol View {
  // https://developer.apple.com/documentation/swiftui/view/body-swift.associatedtype · macOS 10.15, iOS 13.0 ?
  associatedtype Body: View

  // https://developer.apple.com/documentation/swiftui/view/body-8kl5o · macOS 10.15, iOS 13.0 ?
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

// https://developer.apple.com/documentation/swift/never · macOS 10.15, iOS 13.0 ?
extension Never: View {
  public var body: Never { fatalError() }
}

// https://developer.apple.com/documentation/swift/optional · macOS 10.15, iOS 13.0 ?
extension Optional: View where Wrapped: View {
  public var body: Never { fatalError() }
}

// https://developer.apple.com/documentation/swiftui/viewbuilder · macOS 10.15, iOS 13.0
@resultBuilder public struct ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> {
    fatalError()
  }
  public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
    fatalError()
  }
  public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
    fatalError()
  }
}

// https://developer.apple.com/documentation/swiftui/tupleview · macOS 10.15, iOS 13.0 ?
public struct TupleView<T>: View {
  public var body: Never { fatalError() }
}

// https://developer.apple.com/documentation/swiftui/viewbuilder/buildeither(first:) · macOS 10.15, iOS 13.0 ?
public struct _ConditionalContent<First: View, Second: View>: View {
  public var body: Never { fatalError() }
}

// https://developer.apple.com/documentation/swiftui/image · macOS 10.15, iOS 13.0
public struct Image: View {
  public var body: Never { fatalError() }

  // https://developer.apple.com/documentation/swiftui/image/init(decorative:scale:orientation:) · macOS 10.15, iOS 13.0
  public init(decorative cgImage: CGImage, scale: CGFloat) {}

  // https://developer.apple.com/documentation/swiftui/image/resizable(capinsets:resizingmode:) · macOS 10.15, iOS 13.0 ?
  public func resizable() -> Image { self }
}

// https://developer.apple.com/documentation/swiftui/state · macOS 10.15, iOS 13.0 ?
@propertyWrapper public struct State<Value> {
  public init(wrappedValue value: Value) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
}

// https://developer.apple.com/documentation/swiftui/state · macOS 10.15, iOS 13.0 ?
extension State where Value: ExpressibleByNilLiteral {
  public init() {}
}

// https://developer.apple.com/documentation/swiftui/environment · macOS 10.15, iOS 13.0 ?
@propertyWrapper public struct Environment<Value> {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError() }
}

// https://developer.apple.com/documentation/swiftui/environmentvalues · macOS 10.15, iOS 13.0 ?
public struct EnvironmentValues {
  // https://developer.apple.com/documentation/swiftui/environmentvalues/displayscale · macOS 10.15, iOS 13.0 ?
  public var displayScale: CGFloat {
    get { 1 }
    set {}
  }
  // https://developer.apple.com/documentation/swiftui/environmentvalues/accessibilityreducemotion · macOS 10.15, iOS 13.0
  public var accessibilityReduceMotion: Bool { false }
}

// https://developer.apple.com/documentation/swiftui/animation · macOS 10.15, iOS 13.0 ?
public struct Animation: Sendable {
  // https://developer.apple.com/documentation/swiftui/animation/easein(duration:) · macOS 10.15, iOS 13.0 ?
  public static func easeIn(duration: Double) -> Animation { Animation() }
}

// https://developer.apple.com/documentation/swiftui/withanimation(_:_:) · macOS 10.15, iOS 13.0 ?
public func withAnimation<Result>(_ animation: Animation?, _ body: () throws -> Result) rethrows -> Result {
  try body()
}

// https://developer.apple.com/documentation/swiftui/view/task(id:priority:_:) · macOS 12.0, iOS 15.0 ?
extension View {
  nonisolated public func task<T: Equatable>(
    id value: T,
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View { Optional<Image>.none }
}

// https://developer.apple.com/documentation/swiftui/imagerenderer · macOS 13.0, iOS 16.0
public final class ImageRenderer<Content: View> {
  // https://developer.apple.com/documentation/swiftui/imagerenderer/init(content:) · macOS 13.0, iOS 16.0
  @MainActor public init(content view: Content) {}
  // https://developer.apple.com/documentation/swiftui/imagerenderer/cgimage · macOS 13.0, iOS 16.0
  @MainActor public var cgImage: CGImage? { nil }
}
