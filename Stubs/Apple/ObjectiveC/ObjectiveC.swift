// https://developer.apple.com/documentation/objectivec/nsobjectprotocol · macOS 10.0, iOS 2.0
@objc public protocol NSObjectProtocol {}

// https://developer.apple.com/documentation/objectivec/nsobject-swift.class · macOS 10.0, iOS 2.0
@objc open class NSObject: NSObjectProtocol, Hashable {
  public init() {}
  public static func == (one: NSObject, other: NSObject) -> Bool { one === other }
  public func hash(into hasher: inout Hasher) {}
}

// https://developer.apple.com/documentation/objectivec/selector · macOS 10.0, iOS 8.0 ?
public struct Selector: ExpressibleByStringLiteral, @unchecked Sendable {
  var pointer: OpaquePointer
  public init(stringLiteral value: String) { fatalError() }
}

// https://developer.apple.com/documentation/objectivec/objc_associationpolicy · macOS 10.6, iOS 3.1 ?
public enum objc_AssociationPolicy: UInt, Sendable {
  case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
}

// https://developer.apple.com/documentation/objectivec/objc_getassociatedobject(_:_:) · macOS 10.6, iOS 3.1
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? { nil }

// https://developer.apple.com/documentation/objectivec/objc_setassociatedobject(_:_:_:_:) · macOS 10.6, iOS 3.1
public func objc_setAssociatedObject(
  _ object: Any,
  _ key: UnsafeRawPointer,
  _ value: Any?,
  _ policy: objc_AssociationPolicy
) {}
