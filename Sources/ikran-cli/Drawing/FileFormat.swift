import Ikran
import IkranTransport

/// The formats a command writes images in.
enum FileFormat: String, Sendable, CaseIterable {
  case png
  case jpeg
  case webp
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

  /// The image encoded in this format.
  func encode(_ image: Bitmap) throws -> [UInt8] {
    switch self {
    case .png: try image.encoded(as: .png)
    case .jpeg: try image.encoded(as: .jpeg())
    case .webp: try image.encoded(as: .webp())
    case .rgba: try image.straightRGBA()
    }
  }
}
