/// Why a style could not be parsed or rendered.
public enum StyleError: Error, Sendable, Hashable {
  /// The text is no style; `part` is the part that could not be parsed.
  case unknownStyle(text: String, part: String)
  /// A side is not a positive number, or is over 16,384 pixels at this scale.
  case invalidSize(style: String, scale: Double)
  /// A corner radius or border width is negative or not a number.
  case invalidEdge(style: String)
  /// A freeform style's transform threw.
  case transformFailed(name: String, reason: String)
  /// A filter could not be read or run.
  case filter(FilterError)
  /// The pixels could not be allocated or converted.
  case bitmap(BitmapError)
}

extension StyleError: CustomStringConvertible {
  /// One sentence that says what to do.
  public var description: String {
    switch self {
    case .unknownStyle(let text, let part):
      "the style “\(text)” is not understood at “\(part)”; write one of \(Style.grammar)"
    case .invalidSize(let style, let scale):
      "the style “\(style)” at scale \(scale) has no usable size; sides are 1 to 16384 pixels"
    case .invalidEdge(let style):
      "the style “\(style)” has a negative corner radius or border; use zero or more points"
    case .transformFailed(let name, let reason): "the transform “\(name)” failed: \(reason)"
    case .filter(let error): error.description
    case .bitmap(let error): error.description
    }
  }
}
