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
    let standard = QualitySettings()
    quality = try reader.integer("QUALITY", standard.quality, in: 1...100)
    formatQuality = try reader.qualities("FORMAT_QUALITY", standard.formatQuality)
    preferred = try reader.formats("PREFERRED_FORMATS", [.jpeg, .png, .gif])
    if let other = preferred.first(where: { !ResultEncoder.writes($0) }),
      let found = reader.variable("PREFERRED_FORMATS")
    {
      throw found.fault("formats that are written here; “\(other.rawValue)” is not")
    }
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
    options.framing.usesThumbnail = processing.usesThumbnail
    options.output.autoquality = encoders.autoquality.wanted
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

/// How the encoders write, but for a quality that is set.
struct EncoderSettings: Sendable, Hashable {
  /// 0 is slow and makes the smallest files, 9 is fast.
  var avifSpeed: Int
  /// 1 is fast, 9 is slow and makes the smallest files.
  var jpegXLEffort: Int
  var autoquality: AutoqualitySettings

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    let standard = QualitySettings()
    avifSpeed = try reader.integer("AVIF_SPEED", standard.avifSpeed, in: 0...9)
    jpegXLEffort = try reader.integer("JXL_EFFORT", standard.jpegXLEffort, in: 1...9)
    autoquality = try AutoqualitySettings(&reader)
  }
}

/// How qualities are looked for where URLs do not say otherwise.
struct AutoqualitySettings: Sendable, Hashable {
  /// Its bounds are 0.
  var wanted = Autoquality()
  /// 1…100.
  var minimum = 70
  var maximum = 80
  /// Bounds of formats, which come before the others.
  var formatMinimum: [ImageFormat: Int] = [.avif: 60]
  var formatMaximum: [ImageFormat: Int] = [.avif: 65]
  /// Results of more pixels have the plain quality; 0 is any number.
  var maximumPixels = 0

  /// The bounds of a format's qualities: a URL's come before those of the service, and where they
  /// cross, the URL's highest holds, or else the lowest.
  func bounds(of format: ImageFormat, _ wanted: Autoquality) -> ClosedRange<Int> {
    let lowest = wanted.minimum > 0 ? wanted.minimum : formatMinimum[format] ?? minimum
    let highest = wanted.maximum > 0 ? wanted.maximum : formatMaximum[format] ?? maximum
    guard lowest > highest else { return lowest...highest }
    return wanted.maximum > 0 ? highest...highest : lowest...lowest
  }
}

extension AutoqualitySettings {
  init(_ reader: inout SettingsReader) throws(SettingsError) {
    if let found = reader.variable("AUTOQUALITY_METHOD") {
      guard let method = Autoquality.Method(rawValue: found.text) else {
        throw found.fault("none, size or dssim")
      }
      wanted.method = method
    }
    wanted.target = try reader.number("AUTOQUALITY_TARGET", wanted.target, in: 0...1e15)
    wanted.allowedError = try reader.number("AUTOQUALITY_ALLOWED_ERROR", 0.001, in: 0...1)
    minimum = try reader.integer("AUTOQUALITY_MIN", minimum, in: 1...100)
    maximum = try reader.integer("AUTOQUALITY_MAX", maximum, in: 1...100)
    formatMinimum = try reader.qualities("AUTOQUALITY_FORMAT_MIN", formatMinimum)
    formatMaximum = try reader.qualities("AUTOQUALITY_FORMAT_MAX", formatMaximum)
    maximumPixels = try reader.megapixels("AUTOQUALITY_MAX_RESOLUTION", 0)
    if let expected = wanted.expectedTarget {
      let name = reader.wholeName("AUTOQUALITY_TARGET")
      throw SettingsError(variable: name, value: "\(wanted.target)", expected: expected)
    }
    guard minimum <= maximum else {
      let name = reader.wholeName("AUTOQUALITY_MIN")
      throw SettingsError(variable: name, value: "\(minimum)", expected: "\(maximum) or less")
    }
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
