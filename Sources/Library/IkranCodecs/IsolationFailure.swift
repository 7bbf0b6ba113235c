/// Why a decoder in another process brought no picture.
@nonexhaustive
public enum IsolationFailure: Error, Sendable, Hashable {
  /// The program that decodes is in none of these places.
  case notFound([String])
  /// The program that decodes does not start.
  case notStarted(reason: String)
  /// The file ended its decoder.
  case crashed(reason: String)
  /// The file kept its decoder busy for longer than it may.
  case tookTooLong(seconds: Int)
  /// The file has ended so many decoders that it gets no further one.
  case refused(crashes: Int)
  /// No caller waits for the image any more.
  case cancelled
}

extension IsolationFailure: CustomStringConvertible {
  /// One phrase that says what happened, and what to do where something can be done.
  public var description: String {
    switch self {
    case .notFound(let places):
      "ikran-decoder is not in \(places.joined(separator: " nor in ")); install it, or set "
        + "IKRAN_DECODER to its path"
    case .notStarted(let reason): "its decoder does not start: \(reason)"
    case .crashed(let reason): "its decoder ended: \(reason)"
    case .tookTooLong(let seconds): "its decoder took more than \(seconds) seconds"
    case .refused(let crashes): "it has ended \(crashes) decoders and gets no further one"
    case .cancelled: "no caller waits for it any more"
    }
  }
}
