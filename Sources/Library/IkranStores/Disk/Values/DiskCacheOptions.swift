/// The limits of a disk cache, and how it stores bodies.
public struct DiskCacheOptions: Sendable, Hashable {
  /// When entries expire.
  public enum Age: Sendable, Hashable {
    /// Never.
    case never
    /// This long after they were last read or stored.
    case sinceAccess(Duration)
    /// This long after they were stored.
    case sinceStored(Duration)

    /// So many days after they were last read or stored.
    public static func days(_ days: Int) -> Age { .sinceAccess(.seconds(86_400) * days) }
  }

  /// The most stored bytes of bodies and extended data; 1 GiB by default.
  ///
  /// In addition, the index takes about 0.3 KB an entry, its log 4 to 16 MB, and files of evicted
  /// bodies that the next ones are written over up to a 32nd of the limit.
  public var byteLimit: Int

  /// The largest number of entries; 250,000 by default.
  public var countLimit: Int

  /// When entries expire; seven days after the last access by default.
  ///
  /// An expired entry reads as a miss. It is removed by that read, by an eviction or by a later
  /// store. A time in the future, after the clock was set back, counts as now.
  public var maximumAge: Age

  /// Whether bodies are deflated (zlib) if that makes them at least an eighth smaller; not by
  /// default.
  ///
  /// It is not tried for image and archive formats that are already compressed.
  public var compresses: Bool

  /// What makes bodies smaller in place of zlib, whatever ``compresses`` says; nil by default.
  public var compressor: BodyCompressor?

  /// What is added to the names of files; nothing by default, and in an encrypted cache.
  public var naming: FileNaming?

  /// The key that bodies, extended data and keys are encrypted with; nil for no encryption.
  ///
  /// A cache finds only entries that were stored with the same encryption key, or none.
  public var encryptionKey: EncryptionKey?

  /// Folders of other caches that are queried, in order, when this one has no entry.
  ///
  /// Their entries are never changed and do not expire. A folder without a cache that this version
  /// can read is skipped.
  public var readOnlyDirectories: [String]

  /// Makes options; limits below zero count as zero.
  public init(
    byteLimit: Int = 1 << 30,
    countLimit: Int = 250_000,
    maximumAge: Age = .days(7),
    compresses: Bool = false,
    compressor: BodyCompressor? = nil,
    naming: FileNaming? = nil,
    encryptionKey: EncryptionKey? = nil,
    readOnlyDirectories: [String] = []
  ) {
    self.byteLimit = max(0, byteLimit)
    self.countLimit = max(0, countLimit)
    self.maximumAge = maximumAge
    self.compresses = compresses
    self.compressor = compressor
    self.naming = naming
    self.encryptionKey = encryptionKey
    self.readOnlyDirectories = readOnlyDirectories
  }
}

/// Decides which entries have expired at a moment.
package struct Expiry {
  private let age: DiskCacheOptions.Age
  /// Microseconds since 1970.
  let now: Int64

  package init(_ age: DiskCacheOptions.Age, now: Int64) {
    self.age = age
    self.now = now
  }

  /// Whether an entry with these times has expired; times in the future count as now.
  package func isOver(accessed: Int64, stored: Int64) -> Bool {
    switch age {
    case .never: false
    case .sinceAccess(let duration): isOver(accessed, duration)
    case .sinceStored(let duration): isOver(stored, duration)
    }
  }

  /// Whether an access now postpones the expiry noticeably, compared with the one at `time`.
  func isRenewed(since time: Int64) -> Bool {
    guard case .sinceAccess(let duration) = age else { return false }
    return time > now || isOver(time, duration / 64)
  }

  private func isOver(_ time: Int64, _ duration: Duration) -> Bool {
    guard time < now else { return duration <= .zero }
    // A difference that overflows is longer than any age.
    let (passed, isTooLarge) = now.subtractingReportingOverflow(time)
    return isTooLarge || Duration.microseconds(passed) >= duration
  }
}
