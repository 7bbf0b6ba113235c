import IkranCodecs
import IkranPixels

/// The pixels that one or more styles need, before their edges are drawn.
struct DecodedImage: Sendable {
  let image: Bitmap
  /// What was wrong with the file all the same.
  let notes: [DecodeNote]
  let frames: Int
  /// All frames of an animated file; nil for a still, and when animations are not wanted.
  let animated: (any FrameSource)?
  /// The bytes of the file.
  let encodedBytes: Int
  /// Where the file came from.
  var source: ImageSource
  /// What its header says.
  let file: DecodedFile
  /// How long the decode took; zero when it was in memory.
  var time = Duration.zero

  /// Whether it shows a part of the file only: then no cache keeps it.
  var isCut: Bool { notes.contains(where: \.isOfCutFile) }

  /// The bytes of memory that it takes: the file's, too, when frames are made of it later.
  var byteCount: Int { image.heldBytes + (animated == nil ? 0 : encodedBytes) }

  /// This image with memory as its source; local files, data and what a storage had keep theirs.
  var recalled: DecodedImage {
    switch source {
    case .file, .data, .avatar, .hook: return self
    case .memory, .table, .disk, .network:
      var recalled = self
      recalled.source = .memory
      return recalled
    }
  }
}
