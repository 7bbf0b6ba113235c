/// What the caches do for one request.
public struct CacheOptions: Sendable, Hashable {
  /// Which caches may be used.
  public var policy: CachePolicy
  /// The caches that are asked, of those that ``policy`` names; all by default.
  ///
  /// A download that requests share goes on from a beginning that any of them reads.
  public var reads: CacheStages
  /// The caches that keep what is made; all by default.
  public var stores: CacheStages
  /// Whether the ending waits until the disk and the tables hold what was made.
  public var waitsForStores: Bool
  /// How long what is kept is used without asking the origin; nil takes the pipeline's
  /// ``ResponseOptions/expiry``.
  public var expiry: ResponseOptions.Expiry?
  /// What of the download the disk keeps, and how it encodes styled images; nil takes the
  /// pipeline's ``DiskOptions/contents``.
  ///
  /// Styled images are looked for on the disk where it keeps them.
  public var contents: DiskOptions.Contents?

  /// Creates options.
  public init(
    policy: CachePolicy = .standard,
    reads: CacheStages = .all,
    stores: CacheStages = .all,
    waitsForStores: Bool = false,
    expiry: ResponseOptions.Expiry? = nil
  ) {
    self.policy = policy
    self.reads = reads
    self.stores = stores
    self.waitsForStores = waitsForStores
    self.expiry = expiry
  }
}

/// Which caches may be used for a request.
public enum CachePolicy: Sendable, Hashable {
  /// Memory, then the image tables, then disk, then the network; what is kept but too old by the
  /// rules of ``ResponseOptions/expiry`` is checked with the origin first.
  case standard
  /// The network only; what arrives replaces what the caches hold. Sends `Cache-Control: no-cache`,
  /// unless the request has a `Cache-Control` of its own.
  case reload
  /// What the caches hold, shown at once as ``ImageEvent/cached(_:)`` while the origin is asked
  /// whether it still holds, however fresh it seems; a second image comes only if it does not.
  /// Sends `Cache-Control: max-age=0`, unless the request has a `Cache-Control` of its own.
  case refresh
  /// Memory, then the image tables, then disk, however old, and never the network:
  /// ``ImageError/offline(url:)`` when none has it.
  case onlyCached
}

/// Some of the caches.
public struct CacheStages: OptionSet, Sendable, Hashable {
  /// One bit for each.
  public let rawValue: UInt8

  /// Makes a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Styled images, decodes and files in memory.
  public static let memory = CacheStages(rawValue: 1)
  /// The image tables.
  public static let tables = CacheStages(rawValue: 2)
  /// The disk cache.
  public static let disk = CacheStages(rawValue: 4)
  /// The caches that have the bytes of sources.
  static let bodies: CacheStages = [.memory, .disk]
  /// The caches that later processes have, too.
  static let files: CacheStages = [.tables, .disk]
  /// Every cache.
  public static let all: CacheStages = [.memory, .tables, .disk]
}
