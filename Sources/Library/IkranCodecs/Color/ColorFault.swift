/// Why what a file says of its colours is not used; the picture is shown as if it were in sRGB.
enum ColorFault: Error, Sendable, Hashable {
  /// A profile declares more bytes than there are.
  case truncated(declared: Int, given: Int)
  /// A profile declares, or has, more bytes than are read.
  case tooLarge(bytes: Int, limit: Int)
  /// A profile is for other colours than the picture's: `profile` is its four letters, as `RGB`.
  case wrongColors(profile: String)
  /// A profile of a kind that describes no picture's colours, such as a device link; `kind` is its
  /// four letters.
  case wrongKind(String)
  /// A profile cannot be read.
  case malformed(reason: String)
  /// This build has nothing that reads profiles.
  case unreadable
  /// Code points (ITU-T H.273) that stand for no colours that can be shown.
  case unsupportedCodePoints(primaries: Int, transfer: Int, matrix: Int)
  /// A gamma or chromaticities that no picture has.
  case impossibleColors
}

extension ColorFault: CustomStringConvertible {
  /// One sentence that says what is wrong.
  var description: String {
    switch self {
    case .truncated(let declared, let given):
      "the colour profile is cut off: it has \(given) of \(declared) bytes"
    case .tooLarge(let bytes, let limit):
      "the colour profile has \(bytes) bytes, more than \(limit)"
    case .wrongColors(let profile): "the colour profile is for other colours: \(profile)"
    case .wrongKind(let kind):
      "the colour profile is of a kind that describes no picture: \(kind)"
    case .malformed(let reason): "the colour profile is damaged: \(reason)"
    case .unreadable: "the colour profile is not read: this build is without LittleCMS"
    case .unsupportedCodePoints(let primaries, let transfer, let matrix):
      "the code points of the colours are not supported: \(primaries), \(transfer), \(matrix)"
    case .impossibleColors: "the gamma or the chromaticities are impossible"
    }
  }
}
