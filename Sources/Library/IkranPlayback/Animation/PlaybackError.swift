public import IkranCodecs
public import IkranPixels

/// Why a frame of an animation cannot be shown, or an animation not be encoded.
@nonexhaustive
public enum PlaybackError: Error, Sendable, Hashable {
  /// The frame, or one that it is composed from, is damaged; or the file breaks off.
  case decode(DecodeError)
  /// The style could not be applied to the frame.
  case style(StyleError)
  /// The frames could not be encoded.
  case encode(EncodeError)
  /// The task was cancelled while it waited.
  case cancelled
}

extension PlaybackError: CustomStringConvertible {
  /// One sentence that says what is wrong.
  public var description: String {
    switch self {
    case .decode(let error): error.description
    case .style(let error): error.description
    case .encode(let error): error.description
    case .cancelled: "the task that waited for the animation was cancelled"
    }
  }
}
