import IkranPixels

/// The chunks of a PNG file that say what its colours are (PNG 3rd edition, sections 4.3 and
/// 11.3.2).
enum PNGColors {
  private enum Place { static let colorType = 25 }

  /// What the chunks before the pixels say: cICP before iCCP before sRGB before gAMA and cHRM.
  ///
  /// A chunk whose checksum is wrong counts as absent, but for a profile, which is reported. Cost:
  /// inflates the profile.
  static func read(_ bytes: Span<UInt8>) -> FileColors {
    var colors = FileColors()
    if let type = bytes.byte(at: Place.colorType), type & 2 == 0 { colors.model = .gray }
    var found: [ColorSource?] = [nil, nil, nil]
    var (gamma, primaries) = (Double?.none, Chromaticities?.none)
    var offset = 8
    while let chunk = PNGChunk(bytes, at: offset), !chunk.has("IDAT", in: bytes) {
      offset = chunk.end
      let body = bytes.extracting(chunk.body)
      if chunk.has("cICP", in: bytes), chunk.isIntact(in: bytes) {
        found[0] = found[0] ?? codePoints(body)
      } else if chunk.has("iCCP", in: bytes), found[1] == nil, colors.fault == nil {
        do throws(ColorFault) {
          guard chunk.isIntact(in: bytes) else {
            throw ColorFault.malformed(reason: "its checksum is wrong")
          }
          found[1] = .icc(try profile(body))
        } catch { colors.fault = error }
      } else if chunk.has("sRGB", in: bytes), body.count == 1, chunk.isIntact(in: bytes) {
        found[2] = .sRGB
      } else if chunk.has("gAMA", in: bytes), body.count == 4, chunk.isIntact(in: bytes) {
        gamma = gamma ?? body.bigEndian32(at: 0).map { Double($0) / 100_000 }
      } else if chunk.has("cHRM", in: bytes), body.count == 32, chunk.isIntact(in: bytes) {
        primaries = primaries ?? chromaticities(body)
      }
    }
    // Code points come before a profile, whatever is wrong with that.
    if found[0] != nil { colors.fault = nil }
    colors.sources = found.compactMap { $0 }
    if gamma != nil || primaries != nil {
      colors.sources.append(.gammaAndPrimaries(gamma: gamma, primaries: primaries))
    }
    return colors
  }

  private static func codePoints(_ body: Span<UInt8>) -> ColorSource? {
    guard body.count == 4 else { return nil }
    return .cicp(
      primaries: body[0],
      transfer: body[1],
      matrix: body[2],
      isFullRange: body[3] != 0
    )
  }

  private static func chromaticities(_ body: Span<UInt8>) -> Chromaticities? {
    let values = (0..<8).compactMap { body.bigEndian32(at: $0 * 4) }.map { Double($0) / 100_000 }
    guard values.count == 8 else { return nil }
    func point(_ index: Int) -> Chromaticities.Point {
      Chromaticities.Point(x: values[index * 2], y: values[index * 2 + 1])
    }
    return Chromaticities(white: point(0), red: point(1), green: point(2), blue: point(3))
  }

  /// A name of up to 79 bytes, a zero, the method 0 and a zlib stream.
  private static func profile(_ body: Span<UInt8>) throws(ColorFault) -> [UInt8] {
    guard let end = (1..<80).first(where: { body.byte(at: $0) == 0 }),
      body.byte(at: end + 1) == 0
    else { throw .malformed(reason: "its chunk has no name or another compression") }
    let stream = body.extracting((end + 2)...)
    let limit = ColorSource.largestProfile
    guard let profile = InflateHandle().inflate(stream, atMost: limit) else {
      throw .malformed(reason: "its data is damaged, or has more than \(limit) bytes")
    }
    return profile
  }
}
