/// How much a disk cache may hold, for how long and in which form.
public struct DiskCacheOptions: Sendable, Hashable {
  /// When entries are too old.
  public enum Age: Sendable, Hashable {
    /// Never.
    case never
    /// So long after they were last read or stored.
    case sinceAccess(Duration)
    /// So long after they were stored.
    case sinceStored(Duration)
  }

  /// Whether bodies are made smaller.
  public enum Compression: Sendable, Hashable {
    /// They are kept as they are.
    case none
    /// Those that get smaller by an eighth or more are kept deflated (zlib); files of an image or
    /// archive format that is compressed already are not tried.
    case automatic
  }

  /// The largest sum of the bytes kept, as bodies and as extended data; 1 GiB by default.
  ///
  /// The index comes on top: about 0.3 KB an entry.
  public var byteLimit: Int

  /// The largest number of entries; 250,000 by default.
  public var countLimit: Int

  /// When entries are too old; seven days after the last access by default.
  ///
  /// What is too old reads as a miss and is removed, by the read, by an eviction or, some entries
  /// at a time, by later stores. A time that lies in the future, because the clock was set back,
  /// counts as now.
  public var maximumAge: Age

  /// Whether bodies are made smaller; not by default.
  public var compression: Compression

  /// The key that bodies, extended data and keys are encrypted with; nil leaves them in clear.
  ///
  /// A cache answers only for what was stored with the same key, or without any.
  public var encryptionKey: EncryptionKey?

  /// Folders of other caches that are asked, in order, when this one has no entry.
  ///
  /// Their entries are never changed, have no age, and are not in `statistics` or `list`. A folder
  /// without a cache that this version can read is passed by.
  public var readOnlyDirectories: [String]

  /// Makes options; limits below zero count as zero.
  public init(
    byteLimit: Int = 1 << 30,
    countLimit: Int = 250_000,
    maximumAge: Age = .sinceAccess(.seconds(7 * 86_400)),
    compression: Compression = .none,
    encryptionKey: EncryptionKey? = nil,
    readOnlyDirectories: [String] = []
  ) {
    self.byteLimit = max(0, byteLimit)
    self.countLimit = max(0, countLimit)
    self.maximumAge = maximumAge
    self.compression = compression
    self.encryptionKey = encryptionKey
    self.readOnlyDirectories = readOnlyDirectories
  }
}

/// Which entries are too old at a moment.
package struct Expiry {
  private let age: DiskCacheOptions.Age
  /// Microseconds since 1970.
  let now: Int64

  package init(_ age: DiskCacheOptions.Age, now: Int64) {
    self.age = age
    self.now = now
  }

  /// Whether an entry with these times is too old; times in the future count as now.
  package func isOver(accessed: Int64, stored: Int64) -> Bool {
    switch age {
    case .never: false
    case .sinceAccess(let duration): isOver(accessed, duration)
    case .sinceStored(let duration): isOver(stored, duration)
    }
  }

  /// Whether an access now makes an entry live notably longer than the one at `time` did.
  func isRenewed(since time: Int64) -> Bool {
    guard case .sinceAccess(let duration) = age else { return false }
    return time > now || isOver(time, duration / 64)
  }

  private func isOver(_ time: Int64, _ duration: Duration) -> Bool {
    guard time < now else { return duration <= .zero }
    // The difference of two times that are far apart may not fit; that is old enough.
    let (passed, isTooLarge) = now.subtractingReportingOverflow(time)
    return isTooLarge || Duration.microseconds(passed) >= duration
  }
}
