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

extension ImageError {
  /// The status and the header fields of the response that brought no image; nil when none arrived,
  /// and when what failed was no download.
  ///
  /// A failure that is remembered (``FailureOptions``) has the response that it was remembered
  /// with.
  public var response: ResponseHead? {
    switch self {
    case .status(_, _, let context), .contentType(_, _, let context),
      .refused(_, _, let context), .decode(_, _, let context):
      context.response
    default: nil
    }
  }
}
