public import IkranPixels

/// Why a text could not be drawn.
public enum TextError: Error, Sendable, Hashable {
  /// A font size is below 1 or over 2,048 pixels, or not a number.
  case invalidFontSize
  /// A text or picture would have a side below 1 or over 16,384 pixels.
  case invalidSize(PixelSize)
  /// No font is installed, or none that fontconfig is set up to find.
  case noFonts
  /// Cairo could not draw; the reason is its own.
  case drawingFailed(reason: String)
  /// The pixels could not be allocated.
  case bitmap(BitmapError)
}

extension TextError: CustomStringConvertible {
  /// One sentence that says what to do.
  public var description: String {
    switch self {
    case .invalidFontSize: "the font size cannot be used; pass one from 1 to 2048 pixels"
    case .invalidSize(let size):
      "a text of \(size) pixels cannot be drawn; sides are 1 to 16384, so pass less text or a "
        + "smaller size"
    case .noFonts: "no font is found; install one, such as the package fonts-dejavu-core"
    case .drawingFailed(let reason): "the text could not be drawn: \(reason)"
    case .bitmap(let error): error.description
    }
  }
}
