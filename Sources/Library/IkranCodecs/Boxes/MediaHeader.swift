#if AVIF || HEIC
import IkranPixels

/// What the boxes of an AVIF or HEIF file say of its pictures, none of which is decoded.
struct MediaHeader: Sendable {
  /// The pictures that are not in a track; nil where there are none.
  private(set) var items: ItemTable?
  /// The tracks of pictures, auxiliary ones included.
  private(set) var tracks: [PictureTrack] = []
  private let format: ImageFormat
  /// Whether the first brand says that the pictures are in a track.
  private let prefersTrack: Bool

  /// The most tracks that are read.
  private static let mostTracks = 16

  /// Reads the boxes up to those that the first brand needs.
  ///
  /// - Throws: ``DecodeError`` when they are not there, or broken.
  init(_ bytes: Span<UInt8>, _ format: ImageFormat, readsTracks: Bool) throws(DecodeError) {
    self.format = format
    var boxes = BoxSequence(in: 0..<Int.max)
    guard let brands = boxes.next(bytes), brands.type == "ftyp" else {
      throw .malformed(format, offset: 0, reason: "it does not begin with its brands")
    }
    let first = bytes.letters(at: brands.body.lowerBound) ?? ""
    prefersTrack = readsTracks && ["avis", "msf1", "hevc"].contains(first)
    var hasFilm = false
    while !isWhole, let box = boxes.next(bytes) {
      hasFilm = hasFilm || box.type == "moov"
      let isWanted = box.type == "meta" || box.type == "moov" && readsTracks
      // The last one may reach to the end of the file.
      guard box.body.upperBound <= bytes.count || box.body.upperBound == .max else {
        guard isWanted else { break }
        throw .truncated(format, offset: bytes.count)
      }
      guard isWanted else { continue }
      let body = box.body.clamped(to: 0..<bytes.count)
      try read(Box(type: box.type, body: body), bytes)
    }
    guard isWhole || !prefersTrack && !tracks.isEmpty else {
      if hasFilm, boxes.offset == bytes.count, !readsTracks {
        throw .unsupported(format, feature: "a sequence of pictures without a still")
      }
      guard boxes.offset < bytes.count else { throw .truncated(format, offset: bytes.count) }
      throw .malformed(format, offset: boxes.offset, reason: "there is no picture")
    }
  }

  private var isWhole: Bool { prefersTrack ? !tracks.isEmpty : items != nil }

  private mutating func read(_ box: Box, _ bytes: Span<UInt8>) throws(DecodeError) {
    guard box.type == "moov" else {
      guard let table = ItemTable(bytes, box) else {
        let reason = "its list of pictures makes no sense"
        throw .malformed(format, offset: box.body.lowerBound, reason: reason)
      }
      items = table
      return
    }
    var boxes = BoxSequence(in: box.body)
    while tracks.count < Self.mostTracks, let box = boxes.next(bytes) {
      if box.type == "trak" { tracks.append(PictureTrack(bytes, in: box.body)) }
    }
  }

  /// The track of pictures with a coding that the file is shown by; nil for one of its items.
  func mainTrack(_ coding: String) -> PictureTrack? {
    guard prefersTrack || items == nil else { return nil }
    return tracks.first { $0.owner == nil && $0.coding == coding && $0.count > 0 }
  }

  /// What the boxes say of a track.
  func info(of track: PictureTrack) throws(DecodeError) -> ImageInfo {
    var info = try basics(track.properties, track.size)
    let auxiliary = tracks.filter { $0.owner == track.number && $0.number != track.number }
    info.hasAlpha = auxiliary.contains { $0.coding == track.coding && $0.isAlpha }
    info.frames = track.count
    if info.isAnimated {
      info.durations = track.durations
      info.loops = track.plays
    }
    return info
  }

  /// What the boxes say of an item of ``items``.
  func info(of item: Int, in table: ItemTable, _ bytes: Span<UInt8>) throws(DecodeError)
    -> ImageInfo
  {
    guard table.type(of: item, bytes) != nil else {
      throw .malformed(format, offset: 0, reason: "the picture that stands for it does not exist")
    }
    let properties = PictureProperties(table.properties(of: item, bytes), bytes)
    var info = try basics(properties, properties.size)
    if properties.bits == nil, let tile = table.firstTarget("dimg", of: item, bytes) {
      let part = PictureProperties(table.properties(of: tile, bytes), bytes)
      info.bitsPerChannel = part.bits ?? info.bitsPerChannel
    }
    info.hasAlpha = table.items("auxl", of: item, bytes)
      .contains { PictureProperties(table.properties(of: $0, bytes), bytes).isAlpha }
    return info
  }

  private func basics(
    _ properties: PictureProperties,
    _ size: PixelSize?
  ) throws(DecodeError) -> ImageInfo {
    guard let size, size.isPositive else {
      throw .malformed(format, offset: 0, reason: "its picture has no size")
    }
    var info = ImageInfo(format: format, size: size)
    info.orientation = properties.orientation
    info.bitsPerChannel = properties.bits ?? 8
    info.hasICCProfile = properties.profile != nil
    return info
  }
}
#endif
