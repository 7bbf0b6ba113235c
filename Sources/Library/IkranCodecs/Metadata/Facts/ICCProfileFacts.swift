/// What an ICC profile says of itself (ICC.1:2022, sections 7.2, 9.2.22 and 10.15).
public struct ICCProfileFacts: Sendable, Hashable {
  /// Its name, in English if it has that, at most 256 letters; nil when there is none.
  public var description: String?
  /// The colour space of the pixels it describes: `RGB`, `GRAY`, `CMYK`, `Lab` and so on.
  public var colorSpace: String
  /// The kind of device: `display`, `input`, `output`, `device link`, `colour space`, `abstract` or
  /// `named colours`; another one's four letters as they are.
  public var deviceClass: String
  /// The version of the specification, such as `4.3`.
  public var version: String
  /// The bytes of the profile as they are in the file.
  public var byteCount: Int

  private static let longestDescription = 256
  private static let maximumTags = 256

  /// Reads a profile; nil when it has no header.
  init?(_ profile: Span<UInt8>) {
    guard profile.count >= 132, profile.has("acsp", at: 36) else { return nil }
    byteCount = profile.count
    version = "\(profile[8]).\(profile[9] >> 4)"
    colorSpace = Self.letters(profile, at: 16)
    let kind = Self.letters(profile, at: 12)
    let kinds = [
      "mntr": "display", "scnr": "input", "prtr": "output", "link": "device link",
      "spac": "colour space", "abst": "abstract", "nmcl": "named colours",
    ]
    deviceClass = kinds[kind] ?? kind
    description = Self.description(of: profile)
  }

  private static func letters(_ profile: Span<UInt8>, at offset: Int) -> String {
    let text = String(decoding: profile.bytes(offset..<offset + 4), as: UTF8.self)
    return String(text.reversed().drop { $0 == " " || $0 == "\0" }.reversed())
  }

  private static func description(of profile: Span<UInt8>) -> String? {
    let count = min(profile.bigEndian32(at: 128) ?? 0, maximumTags)
    for index in 0..<count where profile.has("desc", at: 132 + index * 12) {
      guard let start = profile.bigEndian32(at: 132 + index * 12 + 4) else { return nil }
      let text = profile.has("mluc", at: start) ? names(profile, start) : name(profile, start)
      return text.flatMap { $0.isEmpty ? nil : $0 }
    }
    return nil
  }

  /// A description of version 2: ASCII with its length before it.
  private static func name(_ profile: Span<UInt8>, _ start: Int) -> String? {
    guard profile.has("desc", at: start), let length = profile.bigEndian32(at: start + 8) else {
      return nil
    }
    let end = min(start + 12 + min(length, longestDescription), profile.count)
    guard start + 12 <= end else { return nil }
    return String(decoding: profile.bytes(start + 12..<end).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// A description of version 4: UTF-16 in several languages.
  private static func names(_ profile: Span<UInt8>, _ start: Int) -> String? {
    guard let count = profile.bigEndian32(at: start + 8), count > 0,
      profile.bigEndian32(at: start + 12) ?? 0 >= 12
    else { return nil }
    let size = min(profile.bigEndian32(at: start + 12) ?? 12, 1 << 16)
    let records = (0..<min(count, maximumTags)).map { start + 16 + $0 * size }
    guard let record = records.first(where: { profile.has("en", at: $0) }) ?? records.first,
      let length = profile.bigEndian32(at: record + 4),
      let offset = profile.bigEndian32(at: record + 8)
    else { return nil }
    var units: [UInt16] = []
    for index in 0..<min(length / 2, longestDescription) {
      guard let unit = profile.bigEndian16(at: start + offset + index * 2), unit != 0 else { break }
      units.append(UInt16(unit))
    }
    return String(decoding: units, as: UTF16.self)
  }
}
