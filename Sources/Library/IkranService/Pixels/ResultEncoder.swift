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
}

/// A file as it is sent.
struct EncodedResult: Sendable, Hashable {
  let bytes: [UInt8]
  /// That which was wanted, but for AVIF of very small pictures.
  let format: ImageFormat
}

/// Writes results in the formats and qualities that a URL and the service's settings ask for.
struct ResultEncoder: Sendable {
  let output: Output
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
    var format = format
    if format == .avif, min(bitmap.width, bitmap.height) < 16 {
      format = bitmap.format.hasAlpha ? .png : .jpeg
    }
    let bytes = try fitted(format) { (encoding) throws(RenderError) in
      guard isWanted() else { throw .cancelled }
      do throws(EncodeError) {
        return try bitmap.encoded(as: encoding, metadata: metadata, retaining: retention)
      } catch { throw .encode(error) }
    }
    return EncodedResult(bytes: bytes, format: format)
  }

  /// Writes a file again in lower qualities until it fits ``Output/maximumBytes``, as far as that
  /// goes.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - write: Writes the file.
  /// - Returns: The first file that fits, or that of a quality of 10 or less.
  /// - Throws: ``RenderError/cannotWrite(_:)``, and what `write` throws.
  func fitted(
    _ format: ImageFormat,
    _ write: (ImageEncoding) throws(RenderError) -> [UInt8]
  ) throws(RenderError) -> [UInt8] {
    var level = quality(of: format)
    let limit = Double(output.maximumBytes)
    while true {
      let bytes = try write(encoding(of: format, quality: level))
      let excess = Double(bytes.count) / limit
      guard limit > 0, excess > 1, level > 10, Self.lossyFormats.contains(format) else {
        return bytes
      }
      level = Int(Double(level) * (excess > 3 ? 0.25 : excess > 1.5 ? 0.5 : 0.75))
    }
  }

  private static let lossyFormats: Set<ImageFormat> = [.jpeg, .jpegXL, .webp, .avif]

  /// The quality of a format, 1…100: the URL's, the URL's of the format, the service's of the
  /// format, the service's.
  func quality(of format: ImageFormat) -> Int {
    let choices = [
      output.quality, output.formatQuality[format] ?? 0, settings.formatQuality[format] ?? 0,
    ]
    return max(1, min(choices.first { $0 > 0 } ?? settings.quality, 100))
  }

  private func encoding(
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
