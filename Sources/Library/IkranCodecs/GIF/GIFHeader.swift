import IkranPixels

/// The blocks of a GIF file, parsed without decompression (GIF89a, sections 17 to 26).
struct GIFHeader {
  var info: ImageInfo
  /// The first picture; nil when the bytes end before it is described.
  private(set) var firstFrame: GIFFrameHeader?
  /// The pictures whose data is complete; empty unless they were asked for.
  private(set) var completeFrames: [GIFFrameHeader] = []
  /// Whether the trailer was found, or bytes that belong to no block, where decoders stop too.
  private(set) var hasEnded = false
  /// Whether the bytes end inside a block, or before the picture that an extension is for.
  private(set) var isTruncated = false
  /// How often the animation plays, 0 = forever; once when the file does not say.
  private(set) var plays = 1
  private let keepsFrames: Bool
  /// Where the blocks of an ICC profile begin.
  private var profile: Int?
  /// Where parsing ended: after the trailer, or at the end of the bytes.
  private var offset = 0
  private var frames = 0
  private var durations: [Int] = []
  private var delay = 0
  private var disposal: UInt8 = 0
  private var transparentIndex: UInt8?
  private var sharedPalette: Range<Int>?

  /// Parses the blocks in `bytes`, up to the description of the first frame at least: without it
  /// the size is not known.
  ///
  /// - Parameters:
  ///   - bytes: The file or its beginning.
  ///   - keepsFrames: Whether ``completeFrames`` is wanted.
  /// - Throws: ``DecodeError`` when the screen or the first block is broken.
  init(_ bytes: Span<UInt8>, keepsFrames: Bool = false) throws(DecodeError) {
    self.keepsFrames = keepsFrames
    guard let width = bytes.littleEndian16(at: 6), let height = bytes.littleEndian16(at: 8) else {
      throw .truncated(.gif, offset: bytes.count)
    }
    info = ImageInfo(format: .gif, size: PixelSize(width: width, height: height))
    sharedPalette = Self.palette(at: 13, flags: bytes.byte(at: 10) ?? 0)
    offset = sharedPalette?.upperBound ?? 13
    try readBlocks(bytes)
    guard frames > 0 || offset >= bytes.count && !hasEnded else {
      throw .malformed(.gif, offset: offset, reason: "there is no picture")
    }
    guard frames > 0 else { throw .truncated(.gif, offset: bytes.count) }
    guard info.size.isPositive else {
      throw .malformed(.gif, offset: 6, reason: "the screen is \(info.size) pixels")
    }
    info.frames = frames
    if info.isAnimated {
      info.durations = durations
      info.loops = plays
    }
  }

  private mutating func readBlocks(_ bytes: Span<UInt8>) throws(DecodeError) {
    while !hasEnded, let introducer = bytes.byte(at: offset) {
      offset += 1
      switch introducer {
      case 0x2C: readFrame(bytes)
      case 0x21: readExtension(bytes)
      case 0x3B: hasEnded = true
      default:
        // Anything may follow the first picture; decoders stop there too.
        hasEnded = true
        if frames == 0 {
          throw .malformed(.gif, offset: offset - 1, reason: "block \(introducer) does not exist")
        }
      }
    }
  }

  private static func palette(at offset: Int, flags: UInt8) -> Range<Int>? {
    flags & 0x80 == 0 ? nil : offset..<offset + (3 << (Int(flags & 7) + 1))
  }

  private mutating func readFrame(_ bytes: Span<UInt8>) {
    guard var left = bytes.littleEndian16(at: offset),
      var top = bytes.littleEndian16(at: offset + 2),
      let width = bytes.littleEndian16(at: offset + 4),
      let height = bytes.littleEndian16(at: offset + 6), let flags = bytes.byte(at: offset + 8)
    else {
      offset = bytes.count
      isTruncated = true
      return
    }
    let size = PixelSize(width: width, height: height)
    if frames == 0 { fitScreen(to: size, &left, &top) }
    let ownPalette = Self.palette(at: offset + 9, flags: flags)
    let frame = GIFFrameHeader(
      left: left,
      top: top,
      size: size,
      isInterlaced: flags & 0x40 != 0,
      delay: delay,
      disposal: disposal,
      transparentIndex: transparentIndex,
      palette: ownPalette ?? sharedPalette,
      dataOffset: ownPalette?.upperBound ?? offset + 9
    )
    if frames == 0 {
      let covers =
        left == 0 && top == 0 && width >= info.size.width && height >= info.size.height
      info.hasAlpha = transparentIndex != nil || !covers
      firstFrame = frame
    }
    frames += 1
    durations.append(delay)
    delay = 0
    disposal = 0
    transparentIndex = nil
    // One byte: the size of the codes.
    offset = frame.dataOffset + 1
    isTruncated = false
    if skipBlocks(bytes), keepsFrames { completeFrames.append(frame) }
  }

  /// Gives a screen without size that of the first frame, which moves to its corner; enlarges one
  /// that is smaller than the frame so that it holds all of it.
  ///
  /// gif2webp and Firefox (nsGIFDecoder2) do so with the first, Chrome (SkWuffsCodec) and Pillow
  /// with the second; Firefox takes the frame's size then, too. giflib and ImageMagick leave the
  /// screen as it is. Later frames are cropped, and so is a smaller first frame that reaches over
  /// the edge.
  private mutating func fitScreen(to frame: PixelSize, _ left: inout Int, _ top: inout Int) {
    if !info.size.isPositive {
      info.size = frame
      (left, top) = (0, 0)
    } else if frame.width > info.size.width || frame.height > info.size.height {
      info.size = PixelSize(
        width: max(info.size.width, left + frame.width),
        height: max(info.size.height, top + frame.height)
      )
    }
  }

  private mutating func readExtension(_ bytes: Span<UInt8>) {
    let label = bytes.byte(at: offset)
    offset += 1
    if label == 0xF9, bytes.byte(at: offset) ?? 0 >= 4 {
      let flags = bytes.byte(at: offset + 1) ?? 0
      let isTransparent = flags & 1 != 0
      disposal = flags >> 2 & 7
      isTruncated = true
      transparentIndex = isTransparent ? bytes.byte(at: offset + 4) : nil
      delay = (bytes.littleEndian16(at: offset + 2) ?? 0) * 10
    } else if label == 0xFF,
      bytes.has("NETSCAPE2.0", at: offset + 1) || bytes.has("ANIMEXTS1.0", at: offset + 1),
      bytes.byte(at: offset + 12) ?? 0 >= 3, bytes.byte(at: offset + 13) == 1,
      let repetitions = bytes.littleEndian16(at: offset + 14)
    {
      // After the first time, as in browsers.
      plays = repetitions == 0 ? 0 : repetitions + 1
    } else if label == 0xFF, bytes.has("ICCRGBG1012", at: offset + 1), frames == 0, profile == nil {
      profile = offset + 12
      info.hasICCProfile = true
    }
    skipBlocks(bytes)
  }

  /// What it says of its colours, before its first picture; `bytes` is what it was read from.
  func colors(_ bytes: Span<UInt8>) -> FileColors {
    var colors = FileColors()
    guard var offset = profile else { return colors }
    var joined: [UInt8] = []
    while let length = bytes.byte(at: offset), length > 0, bytes.count - offset > Int(length),
      joined.count <= ColorSource.largestProfile
    {
      joined.append(copying: bytes.extracting(offset + 1..<offset + 1 + Int(length)))
      offset += 1 + Int(length)
    }
    colors.sources = [.icc(joined)]
    return colors
  }

  /// Moves past the empty block that ends a chain of blocks; false when the bytes end before it.
  @discardableResult
  private mutating func skipBlocks(_ bytes: Span<UInt8>) -> Bool {
    while let length = bytes.byte(at: offset) {
      offset += 1 + Int(length)
      if length == 0 { return true }
    }
    offset = max(offset, bytes.count)
    isTruncated = true
    return false
  }
}
