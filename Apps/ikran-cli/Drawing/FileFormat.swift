import Ikran
import IkranPlayback
import IkranTransport

/// The formats a command writes images in.
enum FileFormat: String, Sendable, CaseIterable {
  case png
  case jpeg
  case webp
  case gif
  case avif
  case jpegXL = "jxl"
  /// Straight 8-bit RGBA, upright, sRGB, top row first, no header.
  case rgba

  /// The extensions of all formats, for a sentence.
  static var allExtensions: String {
    let names = allCases.flatMap(\.extensions).map { ".\($0)" }
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }

  /// The format whose files have an extension; nil when none has.
  init?(fileExtension: String) {
    let name = fileExtension.lowercased()
    guard let format = Self.allCases.first(where: { $0.extensions.contains(name) }) else {
      return nil
    }
    self = format
  }

  /// What names of its files end in.
  var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  private var extensions: [String] { self == .jpeg ? ["jpg", "jpeg"] : [rawValue] }

  /// How much of an image is kept, where a format has a choice.
  enum Fidelity: Sendable, Hashable {
    case standard
    /// 1…100.
    case quality(Int)
    case lossless
  }

  /// How images are encoded; nil for pixels without a header.
  ///
  /// - Throws: `UsageError` when the format has no such choice.
  func encoding(_ fidelity: Fidelity) throws(UsageError) -> ImageEncoding? {
    switch (self, fidelity) {
    case (.png, .standard), (.png, .lossless): return .png
    case (.rgba, .standard), (.rgba, .lossless): return nil
    case (.jpeg, .standard): return .jpeg()
    case (.jpeg, .quality(let quality)): return .jpeg(quality: quality)
    case (.webp, .standard): return .webp()
    case (.webp, .quality(let quality)): return .webp(quality: quality)
    case (.webp, .lossless): return .webpLossless
    case (.gif, .standard): return .gif
    case (.avif, .standard): return .avif()
    case (.avif, .lossless): return .avif(quality: 100)
    case (.avif, .quality(let quality)): return .avif(quality: quality)
    case (.jpegXL, .standard): return .jpegXL()
    case (.jpegXL, .quality(let quality)): return .jpegXL(quality: quality)
    case (.jpegXL, .lossless): return .jpegXLLossless()
    case (_, .quality):
      throw UsageError(reason: "--quality: \(rawValue) has none; jpeg, webp, avif and jxl do")
    case (_, .lossless):
      throw UsageError(
        reason: "--lossless: \(rawValue) always loses some; png, webp, avif and jxl need not"
      )
    }
  }

  /// The image encoded in this format.
  func encode(_ image: Bitmap, _ fidelity: Fidelity = .standard) throws -> [UInt8] {
    guard let chosen = try encoding(fidelity) else { return try image.straightRGBA() }
    return try image.encoded(as: chosen)
  }

  /// All frames of an animated image encoded in this format, the first one where it has no
  /// animations.
  ///
  /// Of a file that breaks off it has the frames before that, and standard error says so.
  func encode(
    _ response: ImageResponse,
    fidelity: Fidelity,
    _ output: Output
  ) async throws -> [UInt8] {
    guard let animation = response.animation, let chosen = try encoding(fidelity),
      chosen.storesAnimations
    else { return try encode(response.image, fidelity) }
    do throws(PlaybackError) {
      let (file, fault) = try await animation.encodedUntilFault(as: chosen)
      if let fault { output.complain("\(fault); the frames before that are written") }
      return file
    } catch .cancelled {
      throw CancellationError()
    }
  }
}
