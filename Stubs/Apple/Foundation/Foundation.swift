// https://developer.apple.com/documentation/foundation/contiguousbytes · macOS 10.10, iOS 8.0
public protocol ContiguousBytes {}

// https://developer.apple.com/documentation/foundation/dataprotocol · macOS 10.10, iOS 8.0
public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}

// https://developer.apple.com/documentation/swift/array · macOS 10.10, iOS 8.0
extension Array: ContiguousBytes, DataProtocol where Element == UInt8 {}

// https://developer.apple.com/documentation/foundation/data · macOS 10.10, iOS 8.0
public struct Data: Sendable, DataProtocol, ContiguousBytes {
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(index: Int) -> UInt8 { 0 }
}
