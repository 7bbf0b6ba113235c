public import IkranCodecs
public import IkranIsolation
import IkranStores

/// How a pipeline works; the defaults bound everything.
public struct PipelineOptions: Sendable {
  /// What is kept in memory.
  public var memory: MemoryOptions
  /// Which files are kept on disk; nil keeps none.
  public var disk: DiskOptions?
  /// Which styled images are kept in image tables; nil keeps none.
  public var tables: TableOptions?
  /// How downloads behave.
  public var network: NetworkOptions
  /// What may be decoded, and how much at once.
  public var decoding: DecodingOptions
  /// Pixels per point for requests that name no scale.
  public var scale: Double
  /// What the caches name a source by.
  public var keys: KeyOptions
  /// Custom closures that see requests on their way out and responses on their way in.
  public var hooks: PipelineHooks

  /// Creates options.
  public init(
    memory: MemoryOptions = MemoryOptions(),
    disk: DiskOptions? = nil,
    tables: TableOptions? = nil,
    network: NetworkOptions = NetworkOptions(),
    decoding: DecodingOptions = DecodingOptions(),
    scale: Double = 1,
    keys: KeyOptions = KeyOptions(),
    hooks: PipelineHooks = PipelineHooks()
  ) {
    self.memory = memory
    self.disk = disk
    self.tables = tables
    self.network = network
    self.decoding = decoding
    self.scale = scale
    self.keys = keys
    self.hooks = hooks
  }
}

extension PipelineOptions {
  /// What ``ImagePipeline/shared`` uses: the defaults, with a disk cache and image tables in
  /// `folder`.
  ///
  /// A folder of nil is the user's, see ``CacheDirectory/standard``; when there is none, nothing is
  /// kept on the disk.
  public static func standard(_ folder: String? = nil) -> PipelineOptions {
    let folder = folder ?? CacheDirectory.standard
    return PipelineOptions(
      disk: folder.map { DiskOptions(directory: $0) },
      tables: folder.map { _ in TableOptions() }
    )
  }
}

extension PipelineOptions {
  /// The options with the limit of the disk cache's folder divided among what is kept there, and
  /// with the key of that folder.
  func withDividedLimit(_ secret: FolderSecret) -> PipelineOptions {
    var options = self
    options.keys.secret = secret
    guard let disk else { return options }
    let total = disk.cacheOptions.byteLimit
    var rest = total
    // An encrypted cache keeps broken transfers in memory.
    let keepsPartialBodies = network.resumption.minimumBytes < .max && disk.encryptionKey == nil
    if keepsPartialBodies, network.resumption.byteLimit == nil {
      options.network.resumption.byteLimit = total / 8
      rest -= total / 8
    }
    if let tables, tables.limit == .automatic, tables.directory == nil {
      options.tables?.limit = .bytes(total / 4)
      rest -= total / 4
    }
    options.disk?.limit = .bytes(rest)
    return options
  }
}

/// What the caches name a source by.
public struct KeyOptions: Sendable {
  /// Turns a request's URL, or the id given with its data, into what the caches name it by, for
  /// example to strip a token that changes from call to call.
  ///
  /// The request's header fields stay part of the key.
  public var filter: (@Sendable (String) -> String)?
  /// Whether requests with another `Authorization` or `Cookie` are other sources.
  ///
  /// By default they are not, so that a token may change. Turn it on where one pipeline works for
  /// several users whose images differ, unless the server says so with `Vary`.
  public var includesCredentials: Bool
  /// The key of the cache's folder; nil until a pipeline has it.
  var secret: FolderSecret?

  /// Creates options.
  public init(
    filter: (@Sendable (String) -> String)? = nil,
    includesCredentials: Bool = false
  ) {
    self.filter = filter
    self.includesCredentials = includesCredentials
  }
}

/// An upper bound on bytes.
public enum ByteLimit: Sendable, Hashable {
  /// A default worked out from the machine.
  case automatic
  /// This many bytes.
  case bytes(Int)
}

/// What is kept in memory.
public struct MemoryOptions: Sendable, Hashable {
  /// Bytes for styled images, and a quarter as many again for the files and decodes they came from;
  /// `.automatic` is a share of the machine's memory.
  ///
  /// Without a disk cache, or with an encrypted one, an eighth as many again holds what arrived of
  /// broken transfers.
  public var limit: ByteLimit
  /// The most styled images kept.
  public var maximumCount: Int
  /// Whether an image that left memory is found again for as long as something, such as a view,
  /// holds it; a look-up that misses then costs about a microsecond more.
  public var keepsWeakReferences: Bool
  /// Whether memory is let go of when the machine, or the process's control group, runs short of
  /// it.
  public var trimsUnderMemoryPressure: Bool

  /// Creates options.
  public init(
    limit: ByteLimit = .automatic,
    maximumCount: Int = 100_000,
    keepsWeakReferences: Bool = false,
    trimsUnderMemoryPressure: Bool = true
  ) {
    self.limit = limit
    self.maximumCount = maximumCount
    self.keepsWeakReferences = keepsWeakReferences
    self.trimsUnderMemoryPressure = trimsUnderMemoryPressure
  }

  var byteLimit: Int {
    switch limit {
    case .automatic: MemoryCacheDefaults.byteLimit
    case .bytes(let bytes): bytes
    }
  }

  /// Bytes of files that were lately used, and as many of files that arrived in part.
  var fileByteLimit: Int { byteLimit / 8 }
}

/// What may be decoded, and how much at once.
public struct DecodingOptions: Sendable, Hashable {
  /// Bounds checked on each file's header, before memory is taken.
  public var limits: DecodeLimits
  /// What becomes of the colours of a file that says what they mean, by an ICC profile or
  /// otherwise.
  public var colors: ColorHandling
  /// Whether a file that is cut off shows the rows that it has; such an image says so in
  /// ``ImageResponse/notes``.
  ///
  /// No cache keeps it, nor does an avatar's storage: the next request asks its origin again. What
  /// a cache has is never accepted so, as the origin may have all of it. An animation that is cut
  /// off plays the frames that it has whatever this says, and is kept as little.
  public var acceptsCutFiles: Bool
  /// Whether a picture that is over ``DecodeLimits/maximumPixels`` is scaled down to them instead
  /// of being refused, in styles of no fixed size; false by default.
  ///
  /// Such an image says so in ``ImageResponse/notes`` and has a ``ImageResponse/key`` of its own.
  /// It is kept in memory alone.
  public var scalesDownOverLimit = false
  /// Images decoded at once; nil is one for each core.
  public var maximumConcurrent: Int?
  /// Whether responses have an ``ImageResponse/animation``; without, only the first picture of a
  /// file is used, which may be none of an animated PNG's frames, and memory does not keep the file
  /// for others.
  public var animates: Bool
  /// Which files are decoded in another process, where a file that breaks its decoder costs one
  /// error; by default those of the formats for which that is most likely.
  ///
  /// It takes the program `ikran-decoder`, next to this program, in `libexec`, or where the
  /// environment variable `IKRAN_DECODER` says; without it such files are refused with
  /// ``IsolationFailure/notFound(_:)``. With ``Isolation/all`` no download ends early.
  public var isolation = Isolation.risky
  /// Whether a small copy in a HEIC file is shown where it has enough pixels, which is faster; true
  /// by default.
  public var usesThumbnails = true

  /// Creates options.
  public init(
    limits: DecodeLimits = DecodeLimits(),
    maximumConcurrent: Int? = nil,
    animates: Bool = true,
    colors: ColorHandling = .sRGB,
    acceptsCutFiles: Bool = false
  ) {
    self.limits = limits
    self.maximumConcurrent = maximumConcurrent
    self.animates = animates
    self.colors = colors
    self.acceptsCutFiles = acceptsCutFiles
  }

  /// Creates options with the default limits but for the number of pixels.
  public init(maximumPixels: Int) {
    self.init()
    limits.maximumPixels = maximumPixels
  }

  /// What the codecs need of it.
  package var rules: DecodeRules {
    var rules = DecodeRules(
      limits: limits,
      colors: colors,
      acceptsCutFiles: acceptsCutFiles,
      scalesDownOverLimit: scalesDownOverLimit
    )
    rules.usesThumbnails = usesThumbnails
    return rules
  }
}
