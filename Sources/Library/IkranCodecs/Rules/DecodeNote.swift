public import IkranPixels

/// What was wrong with a file that was decoded all the same.
@nonexhaustive
public enum DecodeNote: Sendable, Hashable, CustomStringConvertible {
  /// Its colour profile cannot be used: the pixels are shown as if there were none.
  case profileIgnored(reason: String)
  /// A checksum of its pixels is wrong, and nothing else.
  case checksumWrong
  /// The file is cut off: it has the first `rows` of the `height` rows that its header declares,
  /// as stored, and the rest is clear; when it has all of them, they lack details of later scans or
  /// passes.
  case cut(rows: Int, height: Int)
  /// An animation has only its first frames, as many as given here, at least one: the file is cut
  /// off there, or damaged.
  case framesMissing(after: Int, isCut: Bool)
  /// The picture that was wanted is over a limit: it has fewer pixels than the size given here,
  /// which is upright.
  case scaledDown(from: PixelSize)

  /// One phrase that says what was done about it.
  public var description: String {
    switch self {
    case .profileIgnored(let reason): "its colour profile is ignored: \(reason)"
    case .checksumWrong: "the checksum of its pixels is wrong"
    case .scaledDown(let size):
      "it is scaled down from \(size.width)×\(size.height) pixels, which are over the limit"
    case .framesMissing(let count, let isCut):
      "the file is \(isCut ? "cut off" : "damaged") after \(count) of its frames"
    case .cut(let rows, let height) where rows >= height:
      "the file is cut off: its last details are missing"
    case .cut(let rows, let height): "the file is cut off: \(rows) of \(height) rows are there"
    }
  }
}
