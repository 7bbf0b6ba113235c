import IkranCodecs

/// Which formats results have, and how they are written.
struct FormatSettings: Sendable, Hashable {
  /// 1…100.
  var quality: Int
  var formatQuality: [ImageFormat: Int]
  /// For sources of other formats the first that can hold the result.
  var preferred: [ImageFormat]
  /// Sources of these are sent as they are.
  var skipped: [ImageFormat]
  var negotiation: NegotiationSettings
  var svg: SVGSettings
  var encoders: EncoderSettings
  var processing: ProcessingSettings

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    quality = try reader.integer("QUALITY", 80, in: 1...100)
    formatQuality = try reader.qualities("FORMAT_QUALITY", [.webp: 79, .avif: 63, .jpegXL: 77])
    preferred = try reader.formats("PREFERRED_FORMATS", [.jpeg, .png, .gif])
    skipped = try reader.formats("SKIP_PROCESSING_FORMATS")
    negotiation = try NegotiationSettings(&reader)
    svg = try SVGSettings(&reader)
    encoders = try EncoderSettings(&reader)
    processing = try ProcessingSettings(&reader)
  }

  /// What a URL without options asks for.
  var defaultOptions: ProcessingOptions {
    var options = ProcessingOptions()
    options.effects.turnsUpright = processing.turnsUpright
    options.output.stripsMetadata = processing.stripsMetadata
    options.output.keepsCopyright = processing.keepsCopyright
    options.output.stripsColorProfile = processing.stripsColorProfile
    options.output.usesThumbnail = processing.usesThumbnail
    options.delivery.skippedFormats = Set(skipped)
    return options
  }
}

/// What clients may choose with fields of their requests.
struct NegotiationSettings: Sendable, Hashable {
  /// Written for clients that accept them, where the URL names no format.
  var automatic: Set<ImageFormat> = []
  /// Written for clients that accept them, whatever the URL says.
  var enforced: Set<ImageFormat> = []
  /// Whether the width and the resolution of screens count.
  var usesClientHints: Bool

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    for (name, format) in [("WEBP", ImageFormat.webp), ("AVIF", .avif), ("JXL", .jpegXL)] {
      if try reader.flag("AUTO_\(name)", false) { automatic.insert(format) }
      if try reader.flag("ENFORCE_\(name)", false) { enforced.insert(format) }
    }
    usesClientHints = try reader.flag("ENABLE_CLIENT_HINTS", false)
  }
}

/// What becomes of SVG.
struct SVGSettings: Sendable, Hashable {
  /// Whether scripts are removed from what is sent.
  var isSanitized: Bool
  /// Whether it becomes pixels even where the URL names no format.
  var isAlwaysDrawn: Bool

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    isSanitized = try reader.flag("SANITIZE_SVG", true)
    isAlwaysDrawn = try reader.flag("ALWAYS_RASTERIZE_SVG", false)
  }
}

/// How the encoders write, but for the quality.
struct EncoderSettings: Sendable, Hashable {
  /// 0 is slow and makes the smallest files, 9 is fast.
  var avifSpeed: Int
  /// 1 is fast, 9 is slow and makes the smallest files.
  var jpegXLEffort: Int

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    avifSpeed = try reader.integer("AVIF_SPEED", 8, in: 0...9)
    jpegXLEffort = try reader.integer("JXL_EFFORT", 4, in: 1...9)
  }
}

/// What is done to each picture where its URL does not say otherwise.
struct ProcessingSettings: Sendable, Hashable {
  var turnsUpright: Bool
  var stripsMetadata: Bool
  var keepsCopyright: Bool
  var stripsColorProfile: Bool
  var usesThumbnail: Bool
  /// Whether light is mixed in linear colours.
  var usesLinearColors: Bool
  /// Whether decoders may give less than the source's size.
  var shrinksOnLoad: Bool

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    turnsUpright = try reader.flag("AUTO_ROTATE", true)
    stripsMetadata = try reader.flag("STRIP_METADATA", true)
    keepsCopyright = try reader.flag("KEEP_COPYRIGHT", true)
    stripsColorProfile = try reader.flag("STRIP_COLOR_PROFILE", true)
    usesThumbnail = try reader.flag("ENFORCE_THUMBNAIL", false)
    usesLinearColors = try reader.flag("USE_LINEAR_COLORSPACE", false)
    shrinksOnLoad = try !reader.flag("DISABLE_SHRINK_ON_LOAD", false)
  }
}
