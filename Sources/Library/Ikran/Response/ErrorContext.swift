public import IkranTransport

/// The response that came with an error: it helps to understand the error, and is no part of it.
///
/// Errors are compared by what went wrong. Two contexts are always equal: the fields of a response,
/// such as `Date` or the number of a request, differ each time.
public struct ErrorContext: Sendable, Hashable {
  /// The response that brought no image; nil when none arrived.
  public let response: ResponseHead?

  /// Creates a context.
  public init(_ response: ResponseHead? = nil) { self.response = response }

  /// Always true.
  public static func == (left: ErrorContext, right: ErrorContext) -> Bool { true }

  /// Hashes nothing.
  public func hash(into hasher: inout Hasher) {}
}
