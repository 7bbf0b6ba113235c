#if AVIF
import IkranPixels

/// What the boxes of an AVIF file say of the picture or the track that it is shown by.
struct AVIFHeader: Sendable {
  let info: ImageInfo
  /// Whether the pictures are those of a track, of which there may be one.
  let isTrack: Bool

  /// Reads the boxes in `bytes`: a whole file or a prefix of it.
  init(_ bytes: Span<UInt8>) throws(DecodeError) {
    let media = try MediaHeader(bytes, .avif, readsTracks: true)
    if let track = media.mainTrack("av01") {
      info = try media.info(of: track)
      isTrack = true
    } else if let table = media.items {
      info = try media.info(of: table.primary, in: table, bytes)
      isTrack = false
    } else {
      throw .malformed(.avif, offset: 0, reason: "there is no picture")
    }
  }
}
#endif
