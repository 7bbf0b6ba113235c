import IkranCodecs

/// How much one request may ask for.
struct LimitSettings: Sendable, Hashable {
  /// In pixels, those of all frames together; 0 is any number.
  var sourcePixels: Int
  /// 0 is any number.
  var sourceBytes: Int
  var animationFrames: Int
  /// In pixels; where it is not 0, frames are not counted together.
  var animationFramePixels: Int
  /// The longest side of a result, in pixels; 0 is any.
  var resultSide: Int
  /// The names of options that URLs may have; none allows all.
  var allowedOptions: [String]
  var allowsSecurityOptions: Bool
  /// Formats whose decoders have no limits of their own.
  var unlimitedFormats: Set<ImageFormat>

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    sourcePixels = try reader.megapixels("MAX_SRC_RESOLUTION", 50)
    sourceBytes = try reader.integer("MAX_SRC_FILE_SIZE", 0, in: OptionArguments.byteCounts)
    animationFrames = try reader.integer("MAX_ANIMATION_FRAMES", 1, in: 1...1_000_000_000)
    animationFramePixels = try reader.megapixels("MAX_ANIMATION_FRAME_RESOLUTION", 0)
    resultSide = try reader.integer("MAX_RESULT_DIMENSION", 0, in: OptionArguments.sizes)
    allowedOptions = try Self.options(&reader)
    allowsSecurityOptions = try reader.flag("ALLOW_SECURITY_OPTIONS", false)
    unlimitedFormats = []
    for (name, format) in [("PNG", ImageFormat.png), ("SVG", .svg), ("TIFF", .tiff)]
    where try reader.flag("\(name)_UNLIMITED", false) {
      unlimitedFormats.insert(format)
    }
  }

  private static func options(_ reader: inout SettingsReader) throws(SettingsError) -> [String] {
    let names = try reader.names("ALLOWED_PROCESSING_OPTIONS")
    for name in names where !OptionRule.isName(name) {
      guard let found = reader.variable("ALLOWED_PROCESSING_OPTIONS") else { break }
      throw found.fault("names of options with commas between them; “\(name)” is none")
    }
    return names
  }
}

/// Pictures of the service's own.
struct ExtraSettings: Sendable, Hashable {
  /// Where such a picture is.
  enum Place: Sendable, Hashable {
    case data([UInt8])
    case path(String)
    case url(String)
  }

  /// Put over pictures whose URLs ask for that.
  var watermark: Place?
  /// The variables that have the pictures, for messages; empty where none does.
  var (watermarkVariable, fallbackVariable) = ("", "")
  /// Multiplies that of the URLs.
  var watermarkOpacity: Double
  /// Sent where a source cannot be had.
  var fallback: Place?
  /// The status it is sent with; 0 is that of the error.
  var fallbackStatus: Int
  /// How long it stays in caches; 0 is as others.
  var fallbackLifetime: Duration

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    (watermark, watermarkVariable) = try Self.place("WATERMARK", &reader)
    watermarkOpacity = try reader.number("WATERMARK_OPACITY", 1, in: 0...1)
    (fallback, fallbackVariable) = try Self.place("FALLBACK_IMAGE", &reader)
    fallbackStatus = try Self.status(&reader)
    fallbackLifetime = try reader.duration("FALLBACK_IMAGE_TTL", 0)
  }

  private static func status(_ reader: inout SettingsReader) throws(SettingsError) -> Int {
    guard let variable = reader.variable("FALLBACK_IMAGE_HTTP_CODE") else { return 200 }
    guard let code = Int(variable.text), code == 0 || (100...599).contains(code) else {
      throw variable.fault("a status of 100 to 599, or 0 for that of the error")
    }
    return code
  }

  private static func place(
    _ name: String,
    _ reader: inout SettingsReader
  ) throws(SettingsError) -> (Place?, String) {
    let data = reader.variable("\(name)_DATA")
    let path = reader.variable("\(name)_PATH")
    let url = reader.variable("\(name)_URL")
    guard let data else {
      let place = path.map { Place.path($0.text) } ?? url.map { Place.url($0.text) }
      return (place, (path ?? url)?.name ?? "")
    }
    guard let bytes = Base64.standard.decoded(Array(data.text.utf8)[...].droppingPadding),
      !bytes.isEmpty
    else {
      let start = "\(data.text.prefix(20))…"
      throw SettingsError(variable: data.name, value: start, expected: "a file in base64")
    }
    return (.data(bytes), data.name)
  }
}
