@_exported public import Darwin
// https://developer.apple.com/documentation/corefoundation/cgfloat-swift.struct · macOS 10.0, iOS 2.0
public struct CGFloat: Hashable, Comparable, SignedNumeric, Sendable, ExpressibleByFloatLiteral {
  public init(_ value: Double) {}
  public init(_ value: Int) {}
  public init(floatLiteral value: Double) {}
  public init(integerLiteral value: Int) {}
  public init?<T: BinaryInteger>(exactly value: T) {}
  public var magnitude: CGFloat { self }
  public static func < (one: CGFloat, other: CGFloat) -> Bool { false }
  public static func + (one: CGFloat, other: CGFloat) -> CGFloat { one }
  public static func - (one: CGFloat, other: CGFloat) -> CGFloat { one }
  public static func * (one: CGFloat, other: CGFloat) -> CGFloat { one }
  public static func *= (one: inout CGFloat, other: CGFloat) {}
  public static func / (one: CGFloat, other: CGFloat) -> CGFloat { one }
}

// https://developer.apple.com/documentation/corefoundation/cgfloat-swift.struct · macOS 10.0, iOS 2.0
extension Double {
  public init(_ value: CGFloat) { self = 0 }
}

// https://developer.apple.com/documentation/corefoundation/cgpoint · macOS 10.0, iOS 2.0 ?
public struct CGPoint: Hashable, Sendable {
  public var x: CGFloat
  public var y: CGFloat
  public init(x: CGFloat, y: CGFloat) { (self.x, self.y) = (x, y) }
  public static var zero: CGPoint { CGPoint(x: 0, y: 0) }
}

// https://developer.apple.com/documentation/corefoundation/cgsize · macOS 10.0, iOS 2.0 ?
public struct CGSize: Hashable, Sendable {
  public var width: CGFloat
  public var height: CGFloat
  public init(width: CGFloat, height: CGFloat) { (self.width, self.height) = (width, height) }
  public init(width: Int, height: Int) { (self.width, self.height) = (CGFloat(width), CGFloat(height)) }
  public static var zero: CGSize { CGSize(width: 0, height: 0) }
}

// https://developer.apple.com/documentation/corefoundation/cgrect · macOS 10.0, iOS 2.0 ?
public struct CGRect: Hashable, Sendable {
  public var origin: CGPoint
  public var size: CGSize
  public init(origin: CGPoint, size: CGSize) { (self.origin, self.size) = (origin, size) }
  public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) {
    self.init(origin: CGPoint(x: x, y: y), size: CGSize(width: width, height: height))
  }
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.init(x: CGFloat(x), y: CGFloat(y), width: CGFloat(width), height: CGFloat(height))
  }
  public static var zero: CGRect { CGRect(origin: .zero, size: .zero) }
}

// https://developer.apple.com/documentation/corefoundation/cfstring · macOS 10.0, iOS 2.0 ?
public class CFString: @unchecked Sendable {
  public init() {}
}

// https://developer.apple.com/documentation/corefoundation/cftyperef · macOS 10.0, iOS 2.0 ?
public typealias CFTypeRef = AnyObject

// https://developer.apple.com/documentation/corefoundation/cfallocator · macOS 10.0, iOS 2.0 ?
public class CFAllocator {}

// https://developer.apple.com/documentation/corefoundation/cfdata · macOS 10.0, iOS 2.0 ?
public class CFData {}

// https://developer.apple.com/documentation/corefoundation/cfmutabledata · macOS 10.0, iOS 2.0 ?
public class CFMutableData: CFData {}

// https://developer.apple.com/documentation/corefoundation/cfdatacreate(_:_:_:) · macOS 10.0, iOS 2.0 ?
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: Int) -> CFData! { nil }

// https://developer.apple.com/documentation/corefoundation/cfdatacreatemutable(_:_:) · macOS 10.0, iOS 2.0 ?
public func CFDataCreateMutable(_ allocator: CFAllocator!, _ capacity: Int) -> CFMutableData! { nil }

// https://developer.apple.com/documentation/corefoundation/cfdatagetbyteptr(_:) · macOS 10.0, iOS 2.0 ?
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! { nil }

// https://developer.apple.com/documentation/corefoundation/cfdatagetlength(_:) · macOS 10.0, iOS 2.0 ?
public func CFDataGetLength(_ theData: CFData!) -> Int { 0 }

// https://developer.apple.com/documentation/corefoundation/cfarray · macOS 10.0, iOS 2.0 ?
public class CFArray {}

// https://developer.apple.com/documentation/corefoundation/cfdictionary · macOS 10.0, iOS 2.0 ?
open class CFDictionary {
  public init() {}
}
