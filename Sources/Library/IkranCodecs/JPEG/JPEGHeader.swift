import IkranPixels

/// The segments of a JPEG file up to its first scan (ITU-T T.81, annex B).
struct JPEGHeader {
  var info: ImageInfo
  /// The process: the low byte of the frame's start marker, 0xC0 for baseline.
  var process: UInt8 = 0
  /// Components of the first scan; nil before it.
  private(set) var scanComponents: Int?
  /// Whether its rows are decoded as quickly as bytes are read, without memory for all of them.
  var isStreamed: Bool { (process == 0xC0 || process == 0xC1) && scanComponents == components }
  /// Colour components of the frame.
  var components = 0
  /// Where the frame header has no height, which follows the first scan then (DNL); nil where it
  /// has one.
  private var missingHeight: Int?
  /// Whether chroma has the resolution of luma, or half of it on both axes.
  var reducesEvenly = true
  /// The parts of its ICC profile.
  private var profile = JPEGProfile()
  /// The TIFF structure of its EXIF block.
  private var exif: Range<Int>?

  /// Parses the segments in `bytes`; a prefix that reaches past the frame header is enough, or past
  /// the first scan where the height follows that.
  init(_ bytes: Span<UInt8>) throws(DecodeError) {
    info = ImageInfo(format: .jpeg, size: PixelSize(width: 0, height: 0))
    var offset = 2
    while let marker = Self.nextMarker(bytes, &offset) {
      // Restart markers, TEM and a repeated SOI stand alone.
      if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
      if marker == 0xD9 { break }
      if marker == 0xDA {
        scanComponents = bytes.byte(at: offset + 2).map { Int($0) }
        break
      }
      guard let length = bytes.bigEndian16(at: offset) else { break }
      guard length >= 2 else {
        if components > 0 { break }
        throw .malformed(.jpeg, offset: offset, reason: "a segment is shorter than its own length")
      }
      switch marker {
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        if components == 0 { try readFrame(bytes, at: offset, length: length, marker: marker) }
      case 0xE1 where exif == nil && Self.isExif(bytes, at: offset + 2):
        let end = min(offset + length, bytes.count)
        let block = min(offset + 2, end)..<end
        exif = ExifOrientation.directory(bytes, in: block)
        info.orientation = ExifOrientation.read(bytes.extracting(block))
      case 0xE2:
        let end = min(offset + length, bytes.count)
        if profile.add(bytes, min(offset + 2, end)..<end) { info.hasICCProfile = true }
      default: break
      }
      offset += length
    }
    guard components == 0 else {
      if missingHeight != nil { try readHeight(bytes, after: offset) }
      return
    }
    guard offset < bytes.count - 1 else { throw .truncated(.jpeg, offset: bytes.count) }
    throw .malformed(.jpeg, offset: offset, reason: "there is no frame header before the picture")
  }

  /// Reads the number of lines from the segment that follows the first scan (section B.2.5).
  private mutating func readHeight(
    _ bytes: Span<UInt8>,
    after header: Int
  ) throws(DecodeError) {
    var offset = header + (bytes.bigEndian16(at: header) ?? 0)
    var marker = Self.nextMarker(bytes, &offset)
    while let restart = marker, (0xD0...0xD7).contains(restart) {
      marker = Self.nextMarker(bytes, &offset)
    }
    guard let marker else { throw .truncated(.jpeg, offset: bytes.count) }
    guard scanComponents != nil, marker == 0xDC, bytes.bigEndian16(at: offset) ?? 4 == 4 else {
      let reason = "the frame has no height, and none follows its first scan (DNL)"
      throw .malformed(.jpeg, offset: offset, reason: reason)
    }
    guard let height = bytes.bigEndian16(at: offset + 2) else {
      throw .truncated(.jpeg, offset: bytes.count)
    }
    guard height > 0 else {
      throw .malformed(.jpeg, offset: offset, reason: "the frame has a height of 0 pixels")
    }
    info.size = PixelSize(width: info.size.width, height: height)
  }

  /// The file with its height in the frame header, where libjpeg looks for it; nil where it is
  /// there.
  func withHeight(_ bytes: Span<UInt8>) -> [UInt8]? {
    guard let place = missingHeight, place + 1 < bytes.count else { return nil }
    var file = [UInt8](copying: bytes)
    file[place] = UInt8(info.size.height >> 8 & 255)
    file[place + 1] = UInt8(info.size.height & 255)
    return file
  }

  private static func isExif(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
    bytes.has("Exif\0", at: offset) || ExifOrientation.isDirectory(bytes, at: offset)
  }

  /// What it says of its colours: an ICC profile, else EXIF; `bytes` is what it was read from.
  func colors(_ bytes: Span<UInt8>) -> FileColors {
    var colors = FileColors()
    colors.model = components == 1 ? .gray : components == 4 ? .cmyk : .rgb
    if !profile.isEmpty {
      do throws(ColorFault) { colors.sources = [.icc(try profile.joined(bytes))] } catch {
        colors.fault = error
      }
    } else if let exif, colors.model != .cmyk {
      colors.sources = ExifColors.read(bytes.extracting(exif)).map { [$0] } ?? []
    }
    return colors
  }

  /// The next marker's low byte, with `offset` moved past it; nil at the end of the bytes.
  private static func nextMarker(_ bytes: Span<UInt8>, _ offset: inout Int) -> UInt8? {
    while let byte = bytes.byte(at: offset) {
      offset += 1
      guard byte == 0xFF, let next = bytes.byte(at: offset), next != 0xFF, next != 0 else {
        continue
      }
      offset += 1
      return next
    }
    return nil
  }

  private mutating func readFrame(
    _ bytes: Span<UInt8>,
    at offset: Int,
    length: Int,
    marker: UInt8
  ) throws(DecodeError) {
    guard let precision = bytes.byte(at: offset + 2),
      let height = bytes.bigEndian16(at: offset + 3),
      let width = bytes.bigEndian16(at: offset + 5), let count = bytes.byte(at: offset + 7)
    else { throw .truncated(.jpeg, offset: bytes.count) }
    guard width > 0, count > 0 else {
      let reason = "the frame is \(width)×\(height) pixels of \(count) components"
      throw .malformed(.jpeg, offset: offset, reason: reason)
    }
    if height == 0 { missingHeight = offset + 3 }
    info.size = PixelSize(width: width, height: height)
    info.bitsPerChannel = Int(precision)
    process = marker
    components = Int(count)
    // Each component: identifier, sampling factors (across, down) in half a byte each, table.
    let factors = (0..<components).compactMap { bytes.byte(at: offset + 9 + $0 * 3) }
    if let luma = factors.first {
      let half = (luma >> 5) << 4 | (luma & 0x0F) >> 1
      reducesEvenly = factors.dropFirst().allSatisfy {
        $0 == luma || ($0 == half && luma & 0x11 == 0)
      }
    }
  }
}
