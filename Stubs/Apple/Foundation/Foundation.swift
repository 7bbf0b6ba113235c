@_exported public import ObjectiveC

// https://developer.apple.com/documentation/foundation/contiguousbytes · macOS 10.10, iOS 8.0
public protocol ContiguousBytes {}

// https://developer.apple.com/documentation/foundation/dataprotocol · macOS 10.10, iOS 8.0
public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}

// https://developer.apple.com/documentation/swift/array · macOS 10.10, iOS 8.0
extension Array: ContiguousBytes, DataProtocol where Element == UInt8 {}

// https://developer.apple.com/documentation/foundation/data · macOS 10.10, iOS 8.0
public struct Data: Sendable, Hashable, DataProtocol, ContiguousBytes {
  public init<Bytes: Sequence>(_ bytes: Bytes) where Bytes.Element == UInt8 {}
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(index: Int) -> UInt8 { 0 }
}
// https://developer.apple.com/documentation/foundation/data/base64encodedstring(options:) · macOS 10.10, iOS 8.0
extension Data {
  public func base64EncodedString() -> String { "" }
}

// https://developer.apple.com/documentation/foundation/url · macOS 10.10, iOS 8.0
public struct URL: Sendable, Hashable, CustomStringConvertible {
  public init?(string: String) { nil }
  public var absoluteString: String { "" }
  public var host: String? { nil }
  public var port: Int? { nil }
  public var description: String { "" }
}

// https://developer.apple.com/documentation/foundation/date · macOS 10.10, iOS 8.0
public struct Date: Sendable, Hashable {
  public init(timeIntervalSince1970: Double) {}
  public var timeIntervalSince1970: Double { 0 }
  public func timeIntervalSince(_ date: Date) -> Double { 0 }
}

// https://developer.apple.com/documentation/foundation/dateinterval · macOS 10.12, iOS 10.0
public struct DateInterval: Sendable {
  public var start: Date { Date(timeIntervalSince1970: 0) }
  public var duration: Double { 0 }
}

// https://developer.apple.com/documentation/foundation/processinfo · macOS 10.0, iOS 2.0
public final class ProcessInfo: Sendable {
  public static var processInfo: ProcessInfo { fatalError() }
  public var activeProcessorCount: Int { 1 }
  public var environment: [String: String] { [:] }
}

// https://developer.apple.com/documentation/foundation/jsonencoder · macOS 10.13, iOS 11.0
open class JSONEncoder {
  public init() {}
  open func encode<Value: Encodable>(_ value: Value) throws -> Data { Data([]) }
}

// https://developer.apple.com/documentation/foundation/jsondecoder · macOS 10.13, iOS 11.0
open class JSONDecoder {
  public init() {}
  open func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    fatalError()
  }
}
