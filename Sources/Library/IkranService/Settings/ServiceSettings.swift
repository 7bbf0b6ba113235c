import IkranPixels

/// All settings of a service, from variables of its environment and a file of presets.
struct ServiceSettings: Sendable, Hashable {
  var keys: KeySettings
  var server: ServerSettings
  var limits: LimitSettings
  var sources: SourceSettings
  var caching: CachingSettings
  var formats: FormatSettings
  var presets: PresetSettings
  var extras: ExtraSettings

  /// Reads all settings, and refuses those that the service does not have.
  init(_ reader: inout SettingsReader) throws(SettingsError) {
    keys = try KeySettings(&reader)
    server = try ServerSettings(&reader)
    limits = try LimitSettings(&reader)
    sources = try SourceSettings(&reader)
    caching = try CachingSettings(&reader)
    formats = try FormatSettings(&reader)
    presets = try PresetSettings(&reader)
    extras = try ExtraSettings(&reader)
    try UnsupportedSettings.check(&reader)
  }

  /// Reads all settings; what files hold is found with a closure.
  init(
    environment: [String: String],
    contents: @escaping (String) -> [UInt8]? = { _ in nil }
  ) throws(SettingsError) {
    var reader = SettingsReader(environment, contents: contents)
    try self.init(&reader)
  }
}

/// Options that URLs name together.
struct PresetSettings: Sendable, Hashable {
  /// `name=option:argument/option:argument`, one each.
  var texts: [String] = []
  /// The variables that have them, for messages.
  var variables: String
  /// Whether URLs have names of presets in place of options.
  var areAllThereIs = false

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    let separator = reader.text("PRESETS_SEPARATOR") ?? ","
    texts = reader.list("PRESETS", separator: separator)
    variables = ["PRESETS", "PRESETS_PATH"].compactMap { reader.variable($0)?.name }
      .joined(separator: " or ")
    if let path = reader.variable("PRESETS_PATH") {
      guard let bytes = reader.contents(path.text) else {
        throw path.fault("the path of a file that can be read")
      }
      texts += bytes.split { $0 == 0x0A || $0 == 0x0D }.map(\.text)
    }
    areAllThereIs = try reader.flag("ONLY_PRESETS", false)
  }
}

/// How long results stay in caches, and how caches ask again.
struct CachingSettings: Sendable, Hashable {
  var lifetime = Duration.seconds(31_536_000)
  /// Whether the source's `Cache-Control` and `Expires` are the result's.
  var passesCacheControl = false
  var setsCanonicalHeader = false
  var usesETags = true
  var usesLastModified = true
  /// Part of each ETag; another one makes all results new.
  var eTagBuster: String?
  var lastModifiedBuster: String?
  var folder: FolderSettings
  /// Where results are kept that other processes have, too.
  var tiers: TierSettings

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    tiers = try TierSettings(&reader)
    folder = try FolderSettings(&reader)
    lifetime = try reader.duration("TTL", 31_536_000)
    passesCacheControl = try reader.flag("CACHE_CONTROL_PASSTHROUGH", false)
    setsCanonicalHeader = try reader.flag("SET_CANONICAL_HEADER", false)
    usesETags = try reader.flag("USE_ETAG", true)
    usesLastModified = try reader.flag("USE_LAST_MODIFIED", true)
    eTagBuster = reader.text("ETAG_BUSTER")
    lastModifiedBuster = reader.text("LAST_MODIFIED_BUSTER")
  }
}

/// What is kept in the cache's folder.
struct FolderSettings: Sendable, Hashable {
  /// The sizes of results whose pixels programs on this machine may have.
  var tables: [PixelSize]
  /// The bytes of results and sources together; nil for those of ``CacheSettings``.
  private var byteCount: Int?
  private var variable: SettingsReader.Variable?

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    tables = try reader.sizes("TABLES")
    variable = reader.variable("CACHE_SIZE")
    guard let variable else { return }
    guard let count = Int(variable.text), (16 << 20...1 << 50).contains(count) else {
      throw variable.fault("a number of bytes from 16777216 (16 MB) on, such as 20000000000")
    }
    byteCount = count
  }

  /// A cache of the wanted size.
  ///
  /// - Throws: ``SettingsError`` where there is no folder that could have it.
  func sized(_ cache: CacheSettings) throws(SettingsError) -> CacheSettings {
    guard let byteCount, let variable else { return cache }
    guard cache.folder != nil else {
      throw variable.fault("a cache folder (--cache) that has this size, or no such variable")
    }
    var sized = cache
    sized.diskBytes = byteCount
    return sized
  }
}
