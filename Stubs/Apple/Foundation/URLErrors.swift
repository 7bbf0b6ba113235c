// https://developer.apple.com/documentation/foundation/urlerror · macOS 10.10, iOS 8.0
public struct URLError: Error, Sendable {
  public var code: Code { .unknown }
  public var localizedDescription: String { "" }
}

// https://developer.apple.com/documentation/foundation/urlerror/code · macOS 10.10, iOS 8.0
extension URLError {
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static var unknown: Code { Code(rawValue: 0) }
    public static var cancelled: Code { Code(rawValue: 0) }
    public static var timedOut: Code { Code(rawValue: 0) }
    public static var cannotFindHost: Code { Code(rawValue: 0) }
    public static var dnsLookupFailed: Code { Code(rawValue: 0) }
    public static var cannotConnectToHost: Code { Code(rawValue: 0) }
    public static var notConnectedToInternet: Code { Code(rawValue: 0) }
    public static var networkConnectionLost: Code { Code(rawValue: 0) }
    public static var badURL: Code { Code(rawValue: 0) }
    public static var unsupportedURL: Code { Code(rawValue: 0) }
    public static var badServerResponse: Code { Code(rawValue: 0) }
    public static var cannotParseResponse: Code { Code(rawValue: 0) }
    public static var cannotDecodeRawData: Code { Code(rawValue: 0) }
    public static var cannotDecodeContentData: Code { Code(rawValue: 0) }
    public static var secureConnectionFailed: Code { Code(rawValue: 0) }
    public static var serverCertificateUntrusted: Code { Code(rawValue: 0) }
    public static var serverCertificateHasBadDate: Code { Code(rawValue: 0) }
    public static var serverCertificateHasUnknownRoot: Code { Code(rawValue: 0) }
    public static var serverCertificateNotYetValid: Code { Code(rawValue: 0) }
    public static var clientCertificateRejected: Code { Code(rawValue: 0) }
    public static var clientCertificateRequired: Code { Code(rawValue: 0) }
  }
  public static var unknown: Code { .unknown }
}

// https://developer.apple.com/documentation/foundation/urlerror/networkunavailablereason-swift.enum · macOS 10.15, iOS 13.0
extension URLError {
  public enum NetworkUnavailableReason: Int, Sendable { case cellular, expensive, constrained }
  public var networkUnavailableReason: NetworkUnavailableReason? { nil }
}
