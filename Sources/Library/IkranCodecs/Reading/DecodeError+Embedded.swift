extension DecodeError {
  /// The error of a picture that another file has inside, as an error of that file.
  ///
  /// - Parameters:
  ///   - format: The format of the outer file.
  ///   - start: Where the picture begins in it.
  /// - Returns: The same error, at its place in that file.
  func embedded(in format: ImageFormat, at start: Int) -> DecodeError {
    switch self {
    case .truncated(_, let offset): .truncated(format, offset: start + offset)
    case .malformed(_, let offset, let reason):
      .malformed(format, offset: start + offset, reason: reason)
    case .unsupported(let inner, let feature):
      .unsupported(format, feature: "a picture of \(inner.title) with \(feature)")
    default: self
    }
  }
}
