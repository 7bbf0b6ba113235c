import Ikran

/// What a command writes an image as.
enum FileFormat: String, Sendable, CaseIterable {
  case png
  case jpeg
  case webp
  /// Straight 8-bit RGBA, upright, sRGB, top row first, no header.
  case rgba

  /// The format that a path's extension names; nil when it names none.
  init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let ending = name[name.index(after: dot)...].lowercased()
    self.init(rawValue: ending == "jpg" ? "jpeg" : ending)
  }

  /// The image as bytes of this format.
  func encode(_ image: Bitmap) throws -> [UInt8] {
    switch self {
    case .png: try image.encoded(as: .png)
    case .jpeg: try image.encoded(as: .jpeg())
    case .webp: try image.encoded(as: .webp())
    case .rgba: try image.straightRGBA()
    }
  }
}
