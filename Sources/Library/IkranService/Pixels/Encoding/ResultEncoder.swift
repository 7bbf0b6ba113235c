import IkranCodecs
import IkranPixels

/// How files are written where a URL does not say otherwise.
struct QualitySettings: Sendable, Hashable {
  /// 1…100.
  var quality = 80
  /// Qualities of formats, which come before ``quality``.
  var formatQuality: [ImageFormat: Int] = [.webp: 79, .avif: 63, .jpegXL: 77]
  /// 0…10, faster and larger.
  var avifSpeed = 8
  /// 1…9, slower and smaller.
  var jpegXLEffort = 4
  var autoquality = AutoqualitySettings()
}

/// A file as it is sent.
struct EncodedResult: Sendable, Hashable {
  let bytes: [UInt8]
  /// That which was wanted, but for AVIF of very small pictures.
  let format: ImageFormat
}

/// Writes results in the formats and qualities that a URL and the service's settings ask for.
struct ResultEncoder: Sendable {
  private(set) var output: Output
  let settings: QualitySettings

  init(_ output: Output, settings: QualitySettings = QualitySettings()) {
    (self.output, self.settings) = (output, settings)
  }

  /// Whether results can be written in a format.
  static func writes(_ format: ImageFormat) -> Bool {
    switch format {
    case .jpeg, .png, .webp, .gif, .bmp: return true
    #if AVIF
    case .avif: return true
    #endif
    #if JXL
    case .jpegXL: return true
    #endif
    default: return false
    }
  }

  /// Writes a picture.
  ///
  /// - Parameters:
  ///   - bitmap: The picture.
  ///   - format: The format that is wanted.
  ///   - metadata: That of the source; what is kept of it is the URL's choice.
  ///   - isWanted: Asked before each quality.
  /// - Returns: The file.
  /// - Throws: ``RenderError/cannotWrite(_:)``, ``RenderError/encode(_:)``.
  func encode(
    _ bitmap: Bitmap,
    as format: ImageFormat,
    metadata: ImageMetadata = ImageMetadata(),
    isWanted: () -> Bool = { true }
  ) throws(RenderError) -> EncodedResult {
    let encoder = suited(to: bitmap.size)
    guard encoder.output.autoquality == output.autoquality else {
      return try encoder.encode(bitmap, as: format, metadata: metadata, isWanted: isWanted)
    }
    var format = format
    if format == .avif, min(bitmap.width, bitmap.height) < 16 {
      format = bitmap.format.hasAlpha ? .png : .jpeg
    }
    func write(_ encoding: ImageEncoding) throws(RenderError) -> [UInt8] {
      guard isWanted() else { throw .cancelled }
      do throws(EncodeError) {
        return try bitmap.encoded(as: encoding, metadata: metadata, retaining: retention)
      } catch { throw .encode(error) }
    }
    let first = comparesPictures(format) ? try similar(to: bitmap, as: format, write) : nil
    return EncodedResult(bytes: try fitted(format, from: first, write), format: format)
  }

  /// This encoder, without a search for qualities where a picture has more pixels than the settings
  /// allow that for.
  func suited(to size: PixelSize) -> ResultEncoder {
    let limit = settings.autoquality.maximumPixels
    guard limit > 0, size.pixelCount ?? .max > limit else { return self }
    var plain = self
    plain.output.autoquality.method = .none
    return plain
  }

  /// Writes a file again in lower qualities until it fits ``Output/maximumBytes``, as far as that
  /// goes.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - first: The quality to begin with; nil is that of ``sized(_:_:)``.
  ///   - write: Writes the file.
  /// - Returns: The first file that fits, or that of a quality of 10 or less.
  /// - Throws: ``RenderError/cannotWrite(_:)``, and what `write` throws.
  func fitted(
    _ format: ImageFormat,
    from first: Trial? = nil,
    _ write: (ImageEncoding) throws(RenderError) -> [UInt8]
  ) throws(RenderError) -> [UInt8] {
    let trial = if let first { first } else { try sized(format, write) }
    var level = trial.quality
    var bytes =
      if let bytes = trial.bytes { bytes } else {
        try write(encoding(of: format, quality: level))
      }
    guard output.maximumBytes > 0, Self.lossyFormats.contains(format) else { return bytes }
    while bytes.count > output.maximumBytes, level > 10 {
      let excess = Double(bytes.count) / Double(output.maximumBytes)
      level = Int(Double(level) * (excess > 3 ? 0.25 : excess > 1.5 ? 0.5 : 0.75))
      bytes = try write(encoding(of: format, quality: level))
    }
    return bytes
  }

  /// The quality of a format, 1…100: the URL's, the URL's of the format, the service's of the
  /// format, the service's.
  func quality(of format: ImageFormat) -> Int {
    let choices = [
      output.quality, output.formatQuality[format] ?? 0, settings.formatQuality[format] ?? 0,
    ]
    return max(1, min(choices.first { $0 > 0 } ?? settings.quality, 100))
  }

  func encoding(
    of format: ImageFormat,
    quality: Int
  ) throws(RenderError) -> ImageEncoding {
    guard Self.writes(format) else { throw .cannotWrite(format) }
    return switch format {
    case .jpeg: .jpeg(quality: max(1, quality))
    case .png: .png
    case .webp: .webp(quality: quality)
    case .gif: .gif
    case .bmp: .bmp
    case .avif: .avif(quality: quality, speed: max(0, min(settings.avifSpeed, 10)))
    default: .jpegXL(quality: quality, effort: max(1, min(settings.jpegXLEffort, 9)))
    }
  }

  /// What is kept of metadata.
  private var retention: MetadataRetention {
    if !output.stripsMetadata { return .keep }
    return output.keepsCopyright ? .copyright : .none
  }
}
