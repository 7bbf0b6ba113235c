import IkranTransport
import Testing

/// What the tests of a transport for HTTP are for: here libcurl's.
///
/// The files of IkranURLSessionTests that link to this folder have another one, and run the tests
/// of both.
typealias TransportUnderTest = CurlTransport

extension CurlTransport {
  /// Whether responses have metrics.
  static var hasMetrics: Bool { true }
  /// Whether values of fields may be bytes that are not UTF-8.
  static var takesAnyBytes: Bool { true }
}

extension Trait where Self == ConditionTrait {
  /// Marks a test that the other transports cannot pass, for the reason that is given.
  static func needsCurl(_ reason: Comment) -> Self { .enabled(if: true, reason) }
}
