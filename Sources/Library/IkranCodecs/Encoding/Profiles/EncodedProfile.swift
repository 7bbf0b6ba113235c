import IkranPixels

/// Puts an ICC profile into a file that has none, as its format wants it.
enum EncodedProfile {
  /// The file of one picture with a profile.
  ///
  /// - Parameters:
  ///   - profile: Its bytes, which are not looked at.
  ///   - file: What an encoder of this module wrote.
  ///   - format: The file's format.
  ///   - size: The picture's size.
  /// - Returns: The file.
  /// - Throws: ``EncodeError`` when the format cannot hold the profile.
  static func insert(
    _ profile: [UInt8],
    into file: [UInt8],
    format: ImageFormat,
    size: PixelSize
  ) throws(EncodeError) -> [UInt8] {
    switch format {
    case .jpeg: try insertSegments(profile, file)
    case .png: try insertChunk(profile, file)
    case .webp: insertIntoRIFF(profile, file, size: size)
    case .gif: insertExtension(profile, file)
    case .bmp: try BMPWriterHandle.inserting(profile, into: file)
    default: file
    }
  }

  /// APP2 segments after the file's own header (ICC.1:2010, annex B.4).
  private static func insertSegments(
    _ profile: [UInt8],
    _ file: [UInt8]
  ) throws(EncodeError) -> [UInt8] {
    let largest = 65_519
    let count = (profile.count + largest - 1) / largest
    guard count <= 255 else {
      throw .failed(.jpeg, reason: "its colour profile has \(profile.count) bytes")
    }
    let hasHeader = file.span.has([0xFF, 0xE0], at: 2)
    let start = hasHeader ? 4 + (file.span.bigEndian16(at: 4) ?? 0) : 2
    var result = Array(file[..<start])
    result.reserveCapacity(file.count + profile.count + 18 * count)
    for part in 0..<count {
      let bytes = profile[part * largest..<min((part + 1) * largest, profile.count)]
      let length = bytes.count + 16
      result += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)]
      result += "ICC_PROFILE\0".utf8
      result += [UInt8(part + 1), UInt8(count)]
      result += bytes
    }
    return result + file[start...]
  }

  /// An iCCP chunk after the image header.
  private static func insertChunk(
    _ profile: [UInt8],
    _ file: [UInt8]
  ) throws(EncodeError) -> [UInt8] {
    guard let stream = PNGDeflation.compressed(profile) else {
      throw .bitmap(.outOfMemory(bytes: profile.count))
    }
    var result = Array(file[..<33])
    result.reserveCapacity(file.count + stream.count + 32)
    result.appendChunk("iCCP", Array("ICC profile\0\0".utf8) + stream)
    return result + file[33...]
  }

  /// An ICCP chunk before the picture, in an extended file (RFC 9649, section 2.7.1.4).
  private static func insertIntoRIFF(
    _ profile: [UInt8],
    _ file: [UInt8],
    size: PixelSize
  ) -> [UInt8] {
    let isExtended = file.span.has("VP8X", at: 12)
    let hasAlpha =
      file.span.has("VP8L", at: 12) && (file.span.littleEndian32(at: 21) ?? 0) >> 28 & 1 != 0
    var header = isExtended ? Array(file[20..<30]) : [hasAlpha ? 0x10 : 0, 0, 0, 0]
    header[0] |= 0x20
    if !isExtended { header += little(size.width - 1, 3) + little(size.height - 1, 3) }
    var body = Array("WEBPVP8X".utf8) + little(header.count, 4) + header
    body += "ICCP".utf8
    body += little(profile.count, 4)
    body += profile
    if profile.count % 2 == 1 { body.append(0) }
    body += file[(isExtended ? 30 : 12)...]
    return Array("RIFF".utf8) + little(body.count, 4) + body
  }

  /// An application extension after the shared palette.
  private static func insertExtension(_ profile: [UInt8], _ file: [UInt8]) -> [UInt8] {
    let flags = file.span.byte(at: 10) ?? 0
    let start = 13 + (flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1))
    var result = Array(file[..<start]) + [0x21, 0xFF, 11]
    result += "ICCRGBG1012".utf8
    for place in stride(from: 0, to: profile.count, by: 255) {
      let block = profile[place..<min(place + 255, profile.count)]
      result.append(UInt8(block.count))
      result += block
    }
    return result + [0] + file[start...]
  }

  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
