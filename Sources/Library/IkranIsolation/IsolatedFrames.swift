import IkranCodecs
import IkranPixels
import Synchronization

/// The frames of a file that are composed in another process.
struct IsolatedFrames: FrameSource {
  let info: AnimationInfo
  let movie: DecoderRequest.Movie
  let bytes: [UInt8]
  let pool: DecoderPool

  func makeComposer() -> sending any FrameComposer { IsolatedComposer(self) }
}

/// Composes frames where a decoder has the file open; where none has, it is sent again.
///
/// A picture of an earlier frame does not travel: a decoder that has the file open continues from
/// the last frame that it composed.
private final class IsolatedComposer: FrameComposer {
  private static let lastPlayer = Atomic(0)

  private let frames: IsolatedFrames
  private let player = lastPlayer.add(1, ordering: .relaxed).newValue
  /// The decoder that has the file open, as far as is known.
  private var decoder: Int?
  private(set) var notes: [DecodeNote] = []

  init(_ frames: IsolatedFrames) { self.frames = frames }

  func compose(
    _ frame: Int,
    from kept: (number: Int, bitmap: Bitmap)?,
    fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    if decoder != nil {
      let bitmap = try ask(for: frame, fitting, workspace, sendsFile: false)
      if let bitmap { return bitmap }
    }
    let bitmap = try ask(for: frame, fitting, workspace, sendsFile: true)
    guard let bitmap else {
      throw .isolated(frames.movie.format, .crashed(reason: "its response makes no sense"))
    }
    return bitmap
  }

  /// The frame; nil when the decoder does not have the file open.
  private func ask(
    for frame: Int,
    _ fitting: Fitting,
    _ workspace: Workspace,
    sendsFile: Bool
  ) throws(DecodeError) -> Bitmap? {
    let whole = frames.bytes
    let file = sendsFile ? whole : []
    let (response, bitmap, number) = try frames.pool.response(
      to: .compose(player: player, frames.movie, opens: sendsFile, frame: frame, fitting),
      file.span,
      blaming: whole.span,
      workspace.cancellation,
      from: decoder
    )
    switch response {
    case .picture(let picture):
      (decoder, notes) = (number, picture.notes)
      return bitmap
    case .failed(let error):
      decoder = number
      throw error
    default: return nil
    }
  }
}
