import IkranStores

/// How long a source that failed is not asked again; requests for it fail at once until then.
///
/// Trouble on the way – no connection, a timeout, a name that is not found, a refused certificate
/// – is never remembered, and nor is a page in place of an image, such as a log-in page, or a
/// response with `Cache-Control: no-store`. ``PipelineHooks/remembers`` may decide otherwise.
public struct FailureOptions: Sendable, Hashable {
  /// After 404 and 410.
  public var missing: Duration
  /// After any other status from 400 to 499, but 408, 425 and 429.
  public var refused: Duration
  /// After a body that begins like an image and cannot be decoded, or is over a limit.
  public var unusable: Duration

  /// Creates options.
  public init(
    missing: Duration = .seconds(60),
    refused: Duration = .seconds(15),
    unusable: Duration = .seconds(60)
  ) {
    self.missing = missing
    self.refused = refused
    self.unusable = unusable
  }

  /// Remembers nothing.
  public static let none = FailureOptions(missing: .zero, refused: .zero, unusable: .zero)

  func lifetime(of error: ImageError) -> Duration {
    switch error {
    case .status(404, _, _), .status(410, _, _): missing
    case .status(408, _, _), .status(425, _, _), .status(429, _, _): .zero
    case .status(400..<500, _, _): refused
    case .decode(.bitmap, _, _), .decode(.isolated, _, _): .zero
    case .decode, .transport(.bodyTooLarge, _): unusable
    default: .zero
    }
  }
}

/// Sources that failed lately, each until its time is over; the latest ones, up to a number.
final class FailureMemory: Sendable {
  private struct Failure: Sendable {
    let error: ImageError
    /// In microseconds since 1970; a clock that was set back ends it.
    let lasts: Range<Int64>
  }

  private let options: FailureOptions
  private let failures: MemoryCache<SourceKey, Failure>
  /// The program's own choice of how long; nil leaves it to the options.
  private let ownLifetime: (@Sendable (ImageError) -> Duration?)?

  init(
    _ options: FailureOptions,
    byteLimit: Int = 4 << 20,
    lifetime ownLifetime: (@Sendable (ImageError) -> Duration?)? = nil
  ) {
    self.options = options
    failures = MemoryCache(
      byteLimit: byteLimit,
      countLimit: 10_000,
      isContended: false
    )
    self.ownLifetime = ownLifetime
  }

  /// Why a source failed, when that is too short ago to ask again; `now` is in microseconds.
  func error(for key: SourceKey, at now: Int64) -> ImageError? {
    guard let failure = failures.value(for: key) else { return nil }
    if failure.lasts.contains(now) { return failure.error }
    failures.remove(key)
    return nil
  }

  /// Remembers a failure, if it is of a kind to be remembered.
  ///
  /// When `byDefault` is false only the program's own choice counts.
  func remember(_ error: ImageError, for key: SourceKey, at now: Int64, byDefault: Bool = true) {
    if case .cancelled = error { return }
    let lifetime = ownLifetime?(error) ?? (byDefault ? options.lifetime(of: error) : .zero)
    guard lifetime > .zero else { return }
    let until = now.addingReportingOverflow(lifetime.microseconds)
    let end = until.overflow ? .max : until.partialValue
    let failure = Failure(error: error, lasts: now..<end)
    // An error may carry the origin's words.
    let words = "\(error)".utf8.count + (error.response?.byteCount ?? 0)
    failures.store(failure, cost: 128 + words, for: key)
  }

  /// The bytes that memory uses for them.
  var byteCount: Int { failures.statistics.byteCount }

  func remove(_ key: SourceKey) { failures.remove(key) }

  func removeAll() { failures.removeAll() }

  /// Forgets half of them, the oldest first.
  func trim() { failures.trim(toBytes: byteCount / 2) }
}
