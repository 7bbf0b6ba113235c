import Ikran
import IkranPlayback
import IkranTransport

/// The formats a command writes images in.
enum FileFormat: String, Sendable, CaseIterable {
  case png
  case jpeg
  case webp
  case gif
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

  private var extensions: [String] { self == .jpeg ? ["jpg", "jpeg"] : [rawValue] }

  private var encoding: ImageEncoding? {
    switch self {
    case .png: .png
    case .jpeg: .jpeg()
    case .webp: .webp()
    case .gif: .gif
    case .rgba: nil
    }
  }

  /// The image encoded in this format.
  func encode(_ image: Bitmap) throws -> [UInt8] {
    if let encoding { try image.encoded(as: encoding) } else { try image.straightRGBA() }
  }

  /// All frames of an animated image encoded in this format, the first one where it has no
  /// animations.
  ///
  /// Of a file that breaks off it has the frames before that, and standard error says so.
  func encode(_ response: ImageResponse, _ output: Output) async throws -> [UInt8] {
    guard let animation = response.animation, let encoding, encoding.storesAnimations else {
      return try encode(response.image)
    }
    do throws(PlaybackError) {
      let (file, fault) = try await animation.encodedUntilFault(as: encoding)
      if let fault { output.complain("\(fault); the frames before that are written") }
      return file
    } catch .cancelled {
      throw CancellationError()
    }
  }
}
