#if HEIC
import IkranPixels

/// What the boxes of a HEIF file say of one of its pictures, and of the thumbnails of that.
struct HEICHeader: Sendable {
  /// A small copy of the picture.
  struct Thumbnail: Sendable {
    let item: Int
    let size: PixelSize
    /// Whether the library cuts it out of what is coded.
    let isCut: Bool
  }

  let info: ImageInfo
  /// The picture.
  let item: Int
  /// The size of what is decoded, which may have a clean aperture.
  let codedSize: PixelSize
  /// Whether the library cuts and turns the picture: one with a clean aperture.
  ///
  /// Others are turned when they have their size.
  let isTurnedByLibrary: Bool
  /// Whether the picture has one channel apart from alpha.
  let isGray: Bool
  /// The pictures of the file.
  let table: ItemTable
  /// Thumbnails that show all of the picture, stored in its orientation.
  private(set) var thumbnails: [Thumbnail]

  /// Reads the boxes in `bytes`: a whole file or a prefix of it.
  ///
  /// - Throws: ``DecodeError``.
  init(_ bytes: Span<UInt8>, _ format: ImageFormat, page: Int = 0) throws(DecodeError) {
    let media = try MediaHeader(bytes, format, readsTracks: false)
    guard let table = media.items else {
      throw .malformed(format, offset: 0, reason: "there is no picture")
    }
    self.table = table
    let list = PictureList(table, bytes).items
    guard list.indices.contains(page) else { throw .noPage(format, page, count: list.count) }
    let item = list[page]
    self.item = item
    var stored = try media.info(of: item, in: table, bytes)
    stored.frames = list.count
    codedSize = stored.size
    let properties = PictureProperties(table.properties(of: item, bytes), bytes)
    isGray = properties.isGray
    guard let aperture = properties.aperture?.size else {
      info = stored
      isTurnedByLibrary = false
      thumbnails = table.items("thmb", of: item, bytes).compactMap { item in
        let other = PictureProperties(table.properties(of: item, bytes), bytes)
        guard let size = other.aperture?.size ?? other.size, other.isSmallCopy(of: properties)
        else {
          return nil
        }
        return Thumbnail(item: item, size: size, isCut: other.aperture != nil)
      }
      return
    }
    guard aperture.isPositive else {
      throw .malformed(format, offset: 0, reason: "its clean aperture has no pixels")
    }
    var cut = ImageInfo(format: format, size: stored.orientation.uprightSize(of: aperture))
    cut.frames = stored.frames
    cut.hasAlpha = stored.hasAlpha
    cut.bitsPerChannel = stored.bitsPerChannel
    cut.hasICCProfile = stored.hasICCProfile
    info = cut
    isTurnedByLibrary = true
    thumbnails = []
  }

  /// Leaves thumbnails aside.
  mutating func ignoreThumbnails() { thumbnails = [] }

  /// The smallest thumbnail that has at least the pixels that a plan needs; nil where only the
  /// picture has, and for pictures with alpha.
  func thumbnail(for plan: RenderPlan) -> Thumbnail? {
    guard !info.hasAlpha, !plan.isIsolated else { return nil }
    return thumbnails.filter { thumbnail in
      plan.ratio * Double(thumbnail.size.width) >= Double(info.size.width)
        && plan.ratio * Double(thumbnail.size.height) >= Double(info.size.height)
    }
    .min { $0.size.width < $1.size.width }
  }
}

extension PictureProperties {
  /// Whether this picture is smaller than another, and has its shape and orientation.
  fileprivate func isSmallCopy(of other: PictureProperties) -> Bool {
    // One that is cut would also be turned.
    guard let size = aperture?.size ?? size, let whole = other.size, size.isPositive,
      whole.isPositive,
      aperture == nil || orientation == .up, orientation == other.orientation,
      size.width < whole.width,
      size.width <= 1 << 20, whole.width <= 1 << 20
    else { return false }
    let height = Double(whole.height) * Double(size.width) / Double(whole.width)
    return abs(height - Double(size.height)) <= 1
  }
}
#endif
