/// What was wrong with a file that was decoded all the same.
@nonexhaustive
public enum DecodeNote: Sendable, Hashable, CustomStringConvertible {
  /// Its colour profile cannot be used: the pixels are shown as if there were none.
  case profileIgnored(reason: String)
  /// A checksum of its pixels is wrong, and nothing else.
  case checksumWrong
  /// The file is cut off: it has the first `rows` of the `height` rows that its header declares,
  /// as stored, and the rest is clear.
  case cut(rows: Int, height: Int)

  /// One phrase that says what was done about it.
  public var description: String {
    switch self {
    case .profileIgnored(let reason): "its colour profile is ignored: \(reason)"
    case .checksumWrong: "the checksum of its pixels is wrong"
    case .cut(let rows, let height): "the file is cut off: \(rows) of \(height) rows are there"
    }
  }
}
