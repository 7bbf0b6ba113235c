import IkranCodecs
import IkranPixels

extension ResultEncoder {
  /// A quality, and the file that was written in it.
  struct Trial: Sendable, Hashable {
    let quality: Int
    /// Nil where there is none yet.
    var bytes: [UInt8]?
  }

  /// The formats that have qualities.
  static let lossyFormats: Set<ImageFormat> = [.jpeg, .jpegXL, .webp, .avif]

  /// Whether a quality is looked for by how different the file's picture is.
  func comparesPictures(_ format: ImageFormat) -> Bool {
    output.autoquality.method == .dssim && Self.lossyFormats.contains(format)
  }

  /// The quality that is asked for, or the highest whose file has no more bytes than are wanted.
  func sized(
    _ format: ImageFormat,
    _ write: (ImageEncoding) throws(RenderError) -> [UInt8]
  ) throws(RenderError) -> Trial {
    guard output.autoquality.method == .size, Self.lossyFormats.contains(format) else {
      return Trial(quality: quality(of: format))
    }
    return try search(for: .highest, in: format, write) { bytes in
      Double(bytes.count) <= output.autoquality.target ? .passes : .fails
    }
  }

  /// The lowest quality whose file shows a picture that is as similar as is wanted.
  ///
  /// - Parameters:
  ///   - picture: What the file is made of.
  ///   - format: One that ``comparesPictures(_:)``.
  ///   - write: Writes the file.
  /// - Returns: The quality, and the file where it was tried.
  /// - Throws: ``RenderError/encode(_:)`` also where what was written cannot be decoded.
  func similar(
    to picture: Bitmap,
    as format: ImageFormat,
    _ write: (ImageEncoding) throws(RenderError) -> [UInt8]
  ) throws(RenderError) -> Trial {
    let wanted = output.autoquality
    let original = try RenderError.pixels { () throws(BitmapError) in try picture.inFourBytes() }
    return try search(for: .lowest, in: format, write) { (bytes) throws(RenderError) in
      let shown = try Self.decoded(bytes, format, like: original)
      let excess = original.dissimilarity(to: shown) - wanted.target
      if abs(excess) <= wanted.allowedError { return .isRight }
      return excess < 0 ? .passes : .fails
    }
  }

  /// Searches within the bounds of a format, and keeps the file of the best quality so far.
  private func search(
    for goal: QualitySearch.Goal,
    in format: ImageFormat,
    _ write: (ImageEncoding) throws(RenderError) -> [UInt8],
    judge: ([UInt8]) throws(RenderError) -> QualitySearch.Verdict
  ) throws(RenderError) -> Trial {
    let bounds = settings.autoquality.bounds(of: format, output.autoquality)
    var best: Trial?
    let quality = try QualitySearch(bounds: bounds, goal: goal).result {
      (quality) throws(RenderError) in
      let bytes = try write(encoding(of: format, quality: quality))
      let verdict = try judge(bytes)
      if verdict != .fails { best = Trial(quality: quality, bytes: bytes) }
      return verdict
    }
    if let best, best.quality == quality { return best }
    return Trial(quality: quality)
  }

  /// The picture in a file of this encoder's, in the colours that it was written in.
  private static func decoded(
    _ bytes: [UInt8],
    _ format: ImageFormat,
    like original: Bitmap
  ) throws(RenderError) -> Bitmap {
    var rules = DecodeRules(colors: .keepProfile)
    let pixels = original.width * original.height
    rules.limits.maximumPixels = max(rules.limits.maximumPixels, pixels)
    let picture: Bitmap
    do throws(DecodeError) {
      picture = try CodecList.standard.decode(bytes.span, as: format, rules: rules).bitmap
    } catch { throw .encode(.failed(format, reason: "\(error)")) }
    guard picture.size == original.size else {
      throw .encode(.failed(format, reason: "it has \(picture.size) pixels"))
    }
    return try RenderError.pixels { () throws(BitmapError) in try picture.inFourBytes() }
  }
}
