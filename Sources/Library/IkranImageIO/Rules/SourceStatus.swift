package import IkranCodecs

/// The status of an image source: the raw values of `CGImageSourceStatus`.
package enum SourceStatus: Int32, Sendable, Hashable, CaseIterable {
  case unexpectedEnd = -5
  case invalidData = -4
  case unknownType = -3
  case readingHeader = -2
  case incomplete = -1
  case complete = 0

  /// Whether what is there of a picture may be shown.
  package var hasPixels: Bool { self == .incomplete || self == .complete }

  /// Why a source has no picture.
  ///
  /// - Parameters:
  ///   - format: What its codec reads.
  ///   - byteCount: The bytes that the source was given.
  /// - Returns: The error; for a status that blames nothing, one that names the picture.
  package func error(_ format: ImageFormat, byteCount: Int) -> DecodeError {
    if byteCount == 0 { return .empty }
    return switch self {
    case .unexpectedEnd, .readingHeader, .incomplete: .truncated(format, offset: byteCount)
    case .invalidData: .malformed(format, offset: 0, reason: "ImageIO cannot read it")
    case .unknownType: .unknownFormat(hint: nil)
    case .complete: .unsupported(format, feature: "a picture that ImageIO does not decode")
    }
  }
}
