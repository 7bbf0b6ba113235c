import IkranPixels

/// An ICC profile (ICC.1:2010) before LittleCMS sees it: only what decides its colours, checked.
///
/// LittleCMS reads what is left of it: a header and at most eight tags, each in bytes of its own,
/// whose numbers all lie inside it. What it does is then bounded by the profile's length.
struct ProfileHeader {
  /// The profile with its needed tags alone.
  let bytes: [UInt8]
  /// Whether it has a table and not a matrix or a single curve.
  let hasTable: Bool

  /// Reads a profile of a picture with the colours of `model`.
  init(_ profile: [UInt8], _ model: ColorModel) throws(ColorFault) {
    let declared = try Self.length(profile.span)
    let header = Array(profile[..<128])
    try Self.check(header.span, model)
    let tags = TagList(profile, length: declared)
    var needed = try tags.tables(model)
    hasTable = !needed.isEmpty
    if !hasTable { needed = try tags.curves(model) }
    bytes = Self.assembled(header, needed)
  }

  private static func length(_ profile: Span<UInt8>) throws(ColorFault) -> Int {
    let limit = ColorSource.largestProfile
    guard let declared = profile.bigEndian32(at: 0), profile.count >= 132 else {
      throw .truncated(declared: 132, given: profile.count)
    }
    let length = max(declared, profile.count)
    guard length <= limit else { throw .tooLarge(bytes: length, limit: limit) }
    guard declared <= profile.count else {
      throw .truncated(declared: declared, given: profile.count)
    }
    guard declared >= 132 else { throw .malformed(reason: "it declares \(declared) bytes") }
    return declared
  }

  private static func check(_ header: Span<UInt8>, _ model: ColorModel) throws(ColorFault) {
    guard header.has("acsp", at: 36) else { throw .malformed(reason: "its signature is missing") }
    guard (1...4).contains(header[8]) else {
      throw .malformed(reason: "it is of version \(header[8])")
    }
    let kinds = ["scnr", "mntr", "prtr", "spac"]
    guard kinds.contains(where: { header.has($0, at: 12) }) else {
      throw .wrongKind(letters(header, at: 12))
    }
    let name =
      switch model {
      case .gray: "GRAY"
      case .rgb: "RGB "
      case .cmyk: "CMYK"
      }
    guard header.has(name, at: 16) else { throw .wrongColors(profile: letters(header, at: 16)) }
    guard header.has("XYZ ", at: 20) || header.has("Lab ", at: 20) else {
      throw .malformed(reason: "it has no connection space")
    }
  }

  /// Four letters, without spaces at the end; what is no letter or digit is a question mark.
  private static func letters(_ bytes: Span<UInt8>, at offset: Int) -> String {
    var text = ""
    for index in offset..<offset + 4 {
      let byte = bytes[index]
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
      if isPlain || byte == 0x20 {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "?"
      }
    }
    while text.last == " " { text.removeLast() }
    return text
  }

  private static func assembled(_ header: [UInt8], _ tags: [ProfileTag]) -> [UInt8] {
    var list = word(tags.count)
    var data: [UInt8] = []
    let start = 132 + 12 * tags.count
    for tag in tags {
      list += Array(tag.name.utf8) + word(start + data.count) + word(tag.bytes.count)
      data += tag.bytes
      while data.count % 4 != 0 { data.append(0) }
    }
    return word(start + data.count) + header[4...] + list + data
  }

  private static func word(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}

/// A tag's name, of four letters, and its bytes.
struct ProfileTag {
  let name: String
  let bytes: [UInt8]
}

/// The tags of a profile.
private struct TagList {
  private let profile: [UInt8]
  private let length: Int

  init(_ profile: [UInt8], length: Int) { (self.profile, self.length) = (profile, length) }

  /// The table for relative colorimetric colours, or the perceptual one, or none.
  func tables(_ model: ColorModel) throws(ColorFault) -> [ProfileTag] {
    for name in ["A2B1", "A2B0"] {
      guard let tag = try find(name) else { continue }
      guard TagCheck.isTable(tag.bytes.span, inputs: model.channels) else {
        throw .malformed(reason: "its table is damaged")
      }
      return [tag]
    }
    if model == .cmyk { throw .malformed(reason: "it has no table") }
    return []
  }

  /// Colorants and curves.
  func curves(_ model: ColorModel) throws(ColorFault) -> [ProfileTag] {
    var tags: [ProfileTag] = []
    let colorants = model == .gray ? [] : ["rXYZ", "gXYZ", "bXYZ"]
    let curves = model == .gray ? ["kTRC"] : ["rTRC", "gTRC", "bTRC"]
    for name in colorants + curves {
      guard let tag = try find(name, atMost: TagCheck.longestCurve) else {
        throw .malformed(reason: "it has no \(name)")
      }
      let isCurve = name.hasSuffix("TRC")
      let isRight =
        isCurve
        ? TagCheck.curveLength(tag.bytes.span, at: 0) != nil
        : TagCheck.isColor(tag.bytes.span)
      guard isRight else { throw .malformed(reason: "its \(name) is damaged") }
      tags.append(tag)
    }
    return tags
  }

  /// A tag, of which more bytes than `limit` do not matter: tags may share their bytes.
  private func find(_ name: String, atMost limit: Int = .max) throws(ColorFault) -> ProfileTag? {
    let bytes = profile.span.extracting(..<length)
    // LittleCMS reads at most 100.
    for index in 0..<min(bytes.bigEndian32(at: 128) ?? 0, 100) {
      let entry = 132 + 12 * index
      guard bytes.has(name, at: entry) else { continue }
      guard let offset = bytes.bigEndian32(at: entry + 4),
        let count = bytes.bigEndian32(at: entry + 8), offset >= 128, count >= 8,
        offset <= length, count <= length - offset
      else { throw .malformed(reason: "its \(name) lies outside") }
      return ProfileTag(name: name, bytes: Array(profile[offset..<offset + min(count, limit)]))
    }
    return nil
  }
}
