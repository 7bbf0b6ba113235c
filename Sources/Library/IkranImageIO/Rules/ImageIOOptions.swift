/// A dictionary for a function of ImageIO, as plain values that can be compared.
package struct ImageIOOptions: Sendable, Hashable {
  /// A key; its raw value is the name of ImageIO's constant.
  package enum Key: String, Sendable, Hashable, CaseIterable {
    case shouldCache = "kCGImageSourceShouldCache"
    case thumbnailFromImageAlways = "kCGImageSourceCreateThumbnailFromImageAlways"
    case thumbnailWithTransform = "kCGImageSourceCreateThumbnailWithTransform"
    case thumbnailMaxPixelSize = "kCGImageSourceThumbnailMaxPixelSize"
    case decodeRequest = "kCGImageSourceDecodeRequest"
    case lossyCompressionQuality = "kCGImageDestinationLossyCompressionQuality"
  }

  /// A value.
  package enum Value: Sendable, Hashable {
    case flag(Bool)
    case count(Int)
    case share(Double)
    /// `kCGImageSourceDecodeToSDR`.
    case standardRange
  }

  /// The values by key.
  package let values: [Key: Value]

  private init(_ values: [Key: Value]) { self.values = values }

  /// What a source is created with: it decodes again each time, as the caches are the pipeline's.
  package static let source = ImageIOOptions([.shouldCache: .flag(false)])

  /// What a picture is decoded with: all of it, upright, in standard range.
  ///
  /// `…FromImageAlways`, as `…IfAbsent` gives the small picture that cameras embed, whatever size
  /// is wanted. A ``/IkranPixels/Bitmap`` has eight bits, so a picture of high range is mapped to
  /// the standard one.
  ///
  /// - Parameter longestSide: The pixels of the longer side at most.
  /// - Returns: The dictionary.
  package static func picture(longestSide: Int) -> ImageIOOptions {
    ImageIOOptions([
      .thumbnailFromImageAlways: .flag(true),
      .thumbnailWithTransform: .flag(true),
      .thumbnailMaxPixelSize: .count(longestSide),
      .shouldCache: .flag(false),
      .decodeRequest: .standardRange,
    ])
  }

  /// What a picture is encoded with.
  ///
  /// - Parameter quality: 0…100; others are clamped.
  /// - Returns: The dictionary.
  package static func encoding(quality: Int) -> ImageIOOptions {
    ImageIOOptions([.lossyCompressionQuality: .share(Double(min(max(quality, 0), 100)) / 100)])
  }
}
