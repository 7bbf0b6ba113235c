import IkranHTTP

/// The paths of every origin for tests of unusual servers; ``Origin`` lists them.
enum SpecialPath {
  case status(Int)
  case redirect(to: String)
  case picture
  case slow(Duration)
  case fixed(Entity)
  case truncatedPicture
  case stream(Response)

  /// The longest pause of a path, one hour, so that a stray request ends.
  private static let longestPause = 3_600_000
  /// The numbers a path may have; additions to the largest do not overflow.
  private static let numbers = 0...1 << 60

  init?(_ path: String) {
    let words = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let numbers = words.dropFirst().compactMap { Int($0) }.filter(Self.numbers.contains)
    guard let first = words.first, numbers.count == words.count - 1 else { return nil }
    switch (String(first), numbers.count) {
    case ("status", 1) where (200...599).contains(numbers[0]): self = .status(numbers[0])
    case ("redirect", 1) where numbers[0] == 0: self = .picture
    case ("redirect", 1): self = .redirect(to: "/redirect/\(numbers[0] - 1)")
    case ("slow", 1): self = .slow(Self.pause(numbers[0]))
    case ("bytes", 1): self = .fixed(Self.pattern(count: numbers[0]))
    case ("chunked", 1): self = .stream(Self.stream(0..<numbers[0]))
    case ("drip", 2):
      var response = Self.stream(0..<numbers[0])
      response.announcesLength = true
      response.pace = Pace(piece: 1, interval: Self.pause(numbers[1]))
      self = .stream(response)
    case (let name, 0): self.init(name: name)
    default: return nil
    }
  }

  /// N of `/bytes/N`.
  static func byteCount(_ path: String) -> Int? {
    guard path.hasPrefix("/bytes/") else { return nil }
    return Int(path.dropFirst("/bytes/".count)).flatMap { numbers.contains($0) ? $0 : nil }
  }

  private init?(name: String) {
    switch name {
    case "loop": self = .redirect(to: "/loop")
    case "redirect-to-file": self = .redirect(to: "file:///etc/passwd")
    case "html.jpg":
      let page = "<!DOCTYPE html><title>Not a picture</title><p>This is a page, not a picture.\n"
      self = .fixed(Self.entity(Array(page.utf8), type: "text/html; charset=utf-8"))
    case "empty.jpg": self = .fixed(Self.entity([], type: "image/jpeg"))
    case "huge.png": self = .fixed(Self.entity(HugePNG.bytes, type: "image/png"))
    case "truncated.jpg": self = .truncatedPicture
    case "endless":
      var response = Self.stream(0..<Int.max)
      response.pace = Pace(piece: 1024)
      self = .stream(response)
    default: return nil
    }
  }

  private static func pause(_ milliseconds: Int) -> Duration {
    .milliseconds(min(milliseconds, longestPause))
  }

  private static func stream(_ part: Range<Int>) -> Response {
    let type = Field("Content-Type", "application/octet-stream")
    var response = Response(
      status: 200,
      fields: [type],
      payload: .pattern(),
      part: part
    )
    response.announcesLength = false
    return response
  }

  /// `count` bytes of the pattern; each version has different ones.
  static func pattern(count: Int, version: Int = 0) -> Entity {
    Entity(
      payload: .pattern(shift: version % Pattern.period),
      count: count,
      contentType: "application/octet-stream",
      tag: version == 0 ? "\"bytes-\(count)\"" : "\"bytes-\(count)-\(version)\"",
      modified: Portraits.modified(0)
    )
  }

  private static func entity(_ bytes: [UInt8], type: String) -> Entity {
    Entity(
      payload: .memory(BodyBytes(bytes)),
      count: bytes.count,
      contentType: type,
      tag: Entity.tag(of: bytes),
      modified: Portraits.modified(0)
    )
  }
}

/// A small PNG that claims to be enormous.
enum HugePNG {
  /// Signature, a correct IHDR of 100,000×100,000 RGBA pixels, a few bytes of IDAT, IEND.
  static var bytes: [UInt8] {
    let side: [UInt8] = [0x00, 0x01, 0x86, 0xA0]
    // A zlib stream (RFC 1950) of one stored, final block with four zero bytes.
    let pixels: [UInt8] = [0x78, 0x01, 0x01, 4, 0, 0xFB, 0xFF, 0, 0, 0, 0, 0, 4, 0, 1]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", side + side + [8, 6, 0, 0, 0]) + chunk("IDAT", pixels) + chunk("IEND", [])
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return bigEndian(UInt32(data.count)) + body + bigEndian(checksum(body))
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// CRC-32 (PNG specification, annex D), bit by bit: a few dozen bytes need no table.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
    }
    return ~crc
  }
}
