#if AVIF
import IkranPixels

/// What the boxes of an AVIF file say of the picture or the track that it is shown by.
struct AVIFHeader: Sendable {
  /// What is shown: of a picture with a clean aperture, that part.
  let info: ImageInfo
  /// What is coded.
  let coded: ImageInfo
  /// The part of the coded picture that is shown; nil for all of it.
  let part: PixelRectangle?
  /// Whether the pictures are those of a track, of which there may be one.
  let isTrack: Bool

  /// Reads the boxes in `bytes`: a whole file or a prefix of it.
  init(_ bytes: Span<UInt8>) throws(DecodeError) {
    let media = try MediaHeader(bytes, .avif, readsTracks: true)
    let properties: PictureProperties
    let chroma: (width: Bool, height: Bool)
    if let track = media.mainTrack("av01") {
      coded = try media.info(of: track)
      properties = track.properties
      chroma = properties.halvedChroma
      isTrack = true
    } else if let table = media.items {
      coded = try media.info(of: table.primary, in: table, bytes)
      properties = PictureProperties(table.properties(of: table.primary, bytes), bytes)
      // Of a grid, its first cell says it.
      let cell = table.firstTarget("dimg", of: table.primary, bytes) ?? table.primary
      chroma = PictureProperties(table.properties(of: cell, bytes), bytes).halvedChroma
      isTrack = false
    } else {
      throw .malformed(.avif, offset: 0, reason: "there is no picture")
    }
    part = properties.shownPart(of: coded.size, chroma)
    var info = coded
    info.size = part?.size ?? coded.size
    self.info = info
  }
}

extension PictureProperties {
  /// The clean aperture of an AV1 picture; nil for all of the picture, as also where the aperture
  /// makes no sense or begins between two pixels of chroma (ISO/IEC 23000-22, section 7.3.6.7).
  fileprivate func shownPart(
    of size: PixelSize,
    _ halvedChroma: (width: Bool, height: Bool)
  ) -> PixelRectangle? {
    guard let part = aperture?.part(of: size), part.size != size,
      !halvedChroma.width || part.x.isMultiple(of: 2),
      !halvedChroma.height || part.y.isMultiple(of: 2)
    else { return nil }
    return part
  }
}
#endif
