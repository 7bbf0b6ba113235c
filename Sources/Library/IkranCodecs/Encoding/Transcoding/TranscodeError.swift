/// Why a file could not be written in another format.
public enum TranscodeError: Error, Sendable, Hashable {
  /// The file could not be decoded.
  case decode(DecodeError)
  /// Its pixels could not be encoded.
  case encode(EncodeError)
}

extension TranscodeError: CustomStringConvertible {
  /// One sentence that says what to do.
  public var description: String {
    switch self {
    case .decode(let error): error.description
    case .encode(let error): error.description
    }
  }
}
