// https://developer.apple.com/documentation/swiftui/list · macOS 10.15, iOS 13.0 ?
public struct List<Content: View>: View {
  public var body: Never { fatalError() }

  // https://developer.apple.com/documentation/swiftui/list/init(_:rowcontent:) · macOS 10.15, iOS 13.0 ?
  public init<Data: RandomAccessCollection>(
    _ data: Data,
    @ViewBuilder rowContent: @escaping (Data.Element) -> Content
  ) where Data.Element: Identifiable {}
}

// https://developer.apple.com/documentation/swiftui/hstack · macOS 10.15, iOS 13.0 ?
public struct HStack<Content: View>: View {
  public var body: Never { fatalError() }
  public init(@ViewBuilder content: () -> Content) {}
}

// https://developer.apple.com/documentation/swiftui/text · macOS 10.15, iOS 13.0 ?
public struct Text: View {
  public var body: Never { fatalError() }
  public init<S: StringProtocol>(_ content: S) {}
}

// https://developer.apple.com/documentation/swiftui/color · macOS 10.15, iOS 13.0 ?
public struct Color: View, Sendable {
  public var body: Never { fatalError() }

  // https://developer.apple.com/documentation/swiftui/color/gray · macOS 10.15, iOS 13.0 ?
  public static var gray: Color { Color() }
}

// https://developer.apple.com/documentation/swiftui/view/frame(width:height:alignment:) · macOS 10.15, iOS 13.0 ?
extension View {
  nonisolated public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View {
    Optional<Image>.none
  }
}
