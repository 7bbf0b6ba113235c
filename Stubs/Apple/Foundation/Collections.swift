@_exported public import CoreFoundation

// https://developer.apple.com/documentation/foundation/nscopying · macOS 10.0, iOS 2.0 ?
public protocol NSCopying {}

// https://developer.apple.com/documentation/foundation/nsstring · macOS 10.0, iOS 2.0 ?
public typealias NSString = CFString

// https://developer.apple.com/documentation/foundation/nsstring/init(string:) · macOS 10.0, iOS 2.0 ?
extension CFString: NSCopying {
  public convenience init(string aString: String) { self.init() }
}

// https://developer.apple.com/documentation/foundation/nsstring · macOS 10.10, iOS 8.0 ?
extension String {
  public init(_ cocoaString: NSString) { self = "" }
}

// https://developer.apple.com/documentation/foundation/nsnumber · macOS 10.0, iOS 2.0 ?
public class NSNumber {
  // https://developer.apple.com/documentation/foundation/nsnumber/init(value:) · macOS 10.0, iOS 2.0 ?
  public init(value: Bool) {}
  public init(value: Int) {}
  public init(value: Double) {}

  // https://developer.apple.com/documentation/foundation/nsnumber/intvalue · macOS 10.0, iOS 2.0 ?
  public var intValue: Int { 0 }

  // https://developer.apple.com/documentation/foundation/nsnumber/doublevalue · macOS 10.0, iOS 2.0 ?
  public var doubleValue: Double { 0 }

  // https://developer.apple.com/documentation/foundation/nsnumber/boolvalue · macOS 10.0, iOS 2.0 ?
  public var boolValue: Bool { false }
}

// https://developer.apple.com/documentation/foundation/nsarray · macOS 10.0, iOS 2.0 ?
public typealias NSArray = CFArray

// https://developer.apple.com/documentation/foundation/nsarray · macOS 10.0, iOS 2.0 ?
extension CFArray {
  // https://developer.apple.com/documentation/foundation/nsarray/count · macOS 10.0, iOS 2.0 ?
  public var count: Int { 0 }

  // https://developer.apple.com/documentation/foundation/nsarray/object(at:) · macOS 10.0, iOS 2.0 ?
  public func object(at index: Int) -> Any { self }
}

// https://developer.apple.com/documentation/foundation/nsdictionary · macOS 10.0, iOS 2.0 ?
public typealias NSDictionary = CFDictionary

// https://developer.apple.com/documentation/foundation/nsdictionary · macOS 10.0, iOS 2.0 ?
extension CFDictionary {
  // https://developer.apple.com/documentation/foundation/nsdictionary/object(forkey:) · macOS 10.0, iOS 2.0 ?
  public func object(forKey aKey: Any) -> Any? { nil }
}

// https://developer.apple.com/documentation/foundation/nsmutabledictionary · macOS 10.0, iOS 2.0 ?
public class NSMutableDictionary: CFDictionary {
  // https://developer.apple.com/documentation/foundation/nsmutabledictionary/setobject(_:forkey:) · macOS 10.0, iOS 2.0
  public func setObject(_ anObject: Any, forKey aKey: any NSCopying) {}
}
