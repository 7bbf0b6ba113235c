package import IkranCodecs
import IkranPixels

/// What ImageIO says of a file before it decodes anything.
package struct SourceFacts: Sendable, Hashable {
  /// What it says of one picture.
  package struct Picture: Sendable, Hashable {
    /// Pixels as stored; nil where ImageIO does not say.
    package var width: Int?
    package var height: Int?
    /// EXIF's number, 1…8.
    package var orientation: Int?
    package var hasAlpha: Bool?
    package var depth: Int?
    /// Whether its pixels arrive in passes.
    package var hasPasses = false
    /// In milliseconds, see ``FrameTiming``; nil for a picture without a time.
    package var duration: Int?

    package init() {}
  }

  package var format: ImageFormat
  /// The pictures in the order of the file.
  package var count: Int
  /// The number of the picture that stands for the file.
  package var primary: Int
  /// What ImageIO calls the loop count.
  package var loops: Int?
  /// The durations of all pictures, or none where any has no time.
  package var durations: [Int]

  package init(_ format: ImageFormat, count: Int) {
    self.format = format
    self.count = count
    primary = 0
    durations = []
  }

  /// Whether the pictures follow each other in time.
  package var isAnimation: Bool { count > 1 && durations.count == count }

  /// The pictures that ``/IkranCodecs/DecodeRules/page`` may choose from: those of collections and
  /// documents.
  ///
  /// Icons have one picture in several sizes, and animations are no pages.
  package var pages: Int { [.tiff, .heic, .heif].contains(format) ? max(1, count) : 1 }

  /// The number that ImageIO has for a page: the primary picture is the first, then come the others
  /// in the order of the file.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError/noPage(_:_:count:)``.
  package func index(ofPage page: Int) throws(DecodeError) -> Int {
    guard (0..<pages).contains(page) else { throw .noPage(format, page, count: pages) }
    let first = (0..<count).contains(primary) ? primary : 0
    guard page > 0 else { return first }
    return page <= first ? page - 1 : page
  }

  /// In which order pixels arrive; nil while the header is not there.
  ///
  /// Of JPEG and PNG a part can be shown, of other formats ImageIO does not say so.
  package func order(_ picture: Picture) -> PixelOrder? {
    guard count > 0, picture.width != nil else { return nil }
    guard [.jpeg, .png].contains(format), durations.isEmpty else { return .unknown }
    return picture.hasPasses ? .passes : .rows
  }

  /// What the codecs of Ikran say of a file.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError/unsupported(_:feature:)`` for a picture without a size.
  package func info(_ picture: Picture) throws(DecodeError) -> ImageInfo {
    let size = PixelSize(width: picture.width ?? 0, height: picture.height ?? 0)
    guard size.isPositive else { throw .unsupported(format, feature: "a picture without a size") }
    var info = ImageInfo(format: format, size: size)
    if let number = picture.orientation, let turn = Orientation(rawValue: UInt8(clamping: number)) {
      info.orientation = turn
    }
    info.hasAlpha = picture.hasAlpha ?? false
    if let depth = picture.depth, (1...32).contains(depth) { info.bitsPerChannel = depth }
    info.frames = isAnimation ? count : pages
    guard isAnimation else { return info }
    info.durations = durations
    // The protocol's 0 is for ever, too.
    info.loops = FrameTiming.plays(loops, format) ?? 0
    return info
  }

  /// What the frames are; nil where they are none.
  ///
  /// ImageIO composes each frame by itself, so that each is a key.
  ///
  /// - Parameters:
  ///   - info: What ``info(_:)`` has made of the first picture.
  ///   - complete: How many frames are there.
  ///   - isPrefix: Whether more bytes may follow.
  ///   - byteCount: The bytes of the file.
  /// - Returns: The frames that are there; nil for less than two in a whole file, and none in a
  ///   beginning.
  package func animation(
    _ info: ImageInfo,
    complete: Int,
    isPrefix: Bool,
    byteCount: Int
  ) -> AnimationInfo? {
    let usable = min(complete, durations.count)
    guard isAnimation || isPrefix, !durations.isEmpty, usable > 0, usable > 1 || isPrefix
    else { return nil }
    let frames = durations.prefix(usable).map {
      AnimationInfo.Frame(duration: $0, isKey: true, isBase: false)
    }
    var animation = AnimationInfo(
      format: format,
      size: info.size,
      hasAlpha: info.hasAlpha,
      frames: frames,
      plays: FrameTiming.plays(loops, format)
    )
    animation.orientation = info.orientation
    if isPrefix {
      animation.end = .arriving
    } else if usable < count {
      animation.end = .broken(.truncated(format, offset: byteCount))
    }
    return animation
  }
}
