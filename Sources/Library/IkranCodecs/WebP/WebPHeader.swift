import IkranPixels

/// The chunks of a WebP file that describe it (RFC 9649, section 2).
struct WebPHeader {
  var info: ImageInfo
  /// Whether the file is an animation, which may have one frame.
  var isAnimation = false
  /// Whether the picture is coded without loss.
  var isLossless = false
  private var isExtended = false
  /// The first profile, and the TIFF structure of the EXIF block.
  private var profile, exif: Range<Int>?
  private var durations: [Int] = []
  private var plays: Int?
  private var frames = 0

  /// Parses the chunks in `bytes`; 30 bytes are enough for the size, which is in the first chunk.
  init(_ bytes: Span<UInt8>) throws(DecodeError) {
    info = ImageInfo(format: .webp, size: PixelSize(width: 0, height: 0))
    // A wrong RIFF size is ignored; a valid one excludes bytes after the file.
    let declared = (bytes.littleEndian32(at: 4) ?? 0) + 8
    let end = declared > 30 ? min(declared, bytes.count) : bytes.count
    var offset = 12
    while offset + 8 <= end, let length = bytes.littleEndian32(at: offset + 4) {
      try readChunk(bytes, at: offset, length: length, end: end)
      offset += 8 + length + length & 1
    }
    guard info.size.isPositive else {
      guard offset >= bytes.count || offset + 8 > end else {
        throw .malformed(.webp, offset: offset, reason: "there is no picture")
      }
      throw .truncated(.webp, offset: bytes.count)
    }
    info.frames = max(frames, 1)
    if info.isAnimated {
      info.durations = durations
      info.loops = plays ?? 0
    }
  }

  private mutating func readChunk(
    _ bytes: Span<UInt8>,
    at offset: Int,
    length: Int,
    end: Int
  ) throws(DecodeError) {
    let body = offset + 8
    if bytes.has("VP8X", at: offset) {
      try readExtended(bytes, at: body)
    } else if bytes.has("VP8 ", at: offset) {
      try readLossy(bytes, at: body)
    } else if bytes.has("VP8L", at: offset) {
      try readLossless(bytes, at: body)
    } else if bytes.has("ALPH", at: offset) {
      info.hasAlpha = true
    } else if bytes.has("ANIM", at: offset) {
      plays = bytes.littleEndian16(at: body + 4)
    } else if bytes.has("ANMF", at: offset) {
      readFrame(bytes, at: body)
    } else if bytes.has("ICCP", at: offset) {
      info.hasICCProfile = true
      if profile == nil, length <= end - body { profile = body..<body + length }
    } else if bytes.has("EXIF", at: offset) {
      let limit = min(body + length, end)
      guard body <= limit else { return }
      exif = ExifOrientation.directory(bytes, in: body..<limit)
      info.orientation = ExifOrientation.read(bytes.extracting(body..<limit))
    }
  }

  /// What it says of its colours: an ICC profile, else EXIF; `bytes` is what it was read from.
  func colors(_ bytes: Span<UInt8>) -> FileColors {
    var colors = FileColors()
    if let profile {
      // As many as tell that they are too many.
      let read = bytes.extracting(profile).extracting(first: ColorSource.largestProfile + 1)
      colors.sources = [.icc([UInt8](copying: read))]
    } else if info.hasICCProfile {
      colors.fault = .malformed(reason: "it is not there")
    } else if let exif {
      colors.sources = ExifColors.read(bytes.extracting(exif)).map { [$0] } ?? []
    }
    return colors
  }

  private mutating func readExtended(_ bytes: Span<UInt8>, at body: Int) throws(DecodeError) {
    guard !info.size.isPositive else { return }
    guard let flags = bytes.byte(at: body), let width = bytes.littleEndian24(at: body + 4),
      let height = bytes.littleEndian24(at: body + 7)
    else { throw .truncated(.webp, offset: bytes.count) }
    isExtended = true
    isAnimation = flags & 0x02 != 0
    info.hasAlpha = flags & 0x10 != 0
    info.hasICCProfile = flags & 0x20 != 0
    info.size = PixelSize(width: width + 1, height: height + 1)
  }

  private mutating func readLossy(_ bytes: Span<UInt8>, at body: Int) throws(DecodeError) {
    guard !info.size.isPositive else { return }
    guard let width = bytes.littleEndian16(at: body + 6),
      let height = bytes.littleEndian16(at: body + 8)
    else { throw .truncated(.webp, offset: bytes.count) }
    guard bytes.has([0x9D, 0x01, 0x2A], at: body + 3) else {
      throw .malformed(.webp, offset: body + 3, reason: "the lossy picture's start code is wrong")
    }
    try setSize(width & 0x3FFF, height & 0x3FFF, at: body + 6)
  }

  private mutating func readLossless(_ bytes: Span<UInt8>, at body: Int) throws(DecodeError) {
    isLossless = true
    guard !info.size.isPositive else { return }
    guard let fields = bytes.littleEndian32(at: body + 1) else {
      throw .truncated(.webp, offset: bytes.count)
    }
    guard bytes.byte(at: body) == 0x2F else {
      throw .malformed(.webp, offset: body, reason: "the lossless picture's signature is wrong")
    }
    info.hasAlpha = fields >> 28 & 1 != 0
    try setSize(fields & 0x3FFF + 1, fields >> 14 & 0x3FFF + 1, at: body + 1)
  }

  private mutating func setSize(_ width: Int, _ height: Int, at offset: Int) throws(DecodeError) {
    guard width > 0, height > 0 else {
      throw .malformed(.webp, offset: offset, reason: "the image is \(width)×\(height) pixels")
    }
    info.size = PixelSize(width: width, height: height)
  }

  private mutating func readFrame(_ bytes: Span<UInt8>, at body: Int) {
    guard isExtended, isAnimation, let width = bytes.littleEndian24(at: body + 6),
      let height = bytes.littleEndian24(at: body + 9),
      let duration = bytes.littleEndian24(at: body + 12)
    else { return }
    frames += 1
    durations.append(duration)
    if frames == 1, PixelSize(width: width + 1, height: height + 1) != info.size {
      info.hasAlpha = true
    }
  }
}
