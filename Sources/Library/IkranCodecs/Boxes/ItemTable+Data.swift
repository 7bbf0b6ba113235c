#if AVIF || HEIC
extension ItemTable {
  /// The bytes of an item, from all of its parts; nil when one is not there, and for more than
  /// `limit` bytes.
  func data(of item: Int, _ bytes: Span<UInt8>, atMost limit: Int) -> [UInt8]? {
    guard let locations, let place = ItemLocation(of: item, in: locations, bytes) else {
      return nil
    }
    var data: [UInt8] = []
    for part in place.parts {
      // Parts are counted from the start of the file, or of a box of data.
      let whole = place.isInDataBox ? self.data ?? 0..<0 : 0..<bytes.count
      guard part.offset <= whole.count else { return nil }
      let length = part.length == 0 ? whole.count - part.offset : part.length
      guard length <= whole.count - part.offset, length <= limit - data.count else { return nil }
      let start = whole.lowerBound + part.offset
      data += bytes.bytes(start..<start + length)
    }
    return data
  }

  /// What a MIME item holds, as `application/rdf+xml`.
  func contentType(of item: Int, _ bytes: Span<UInt8>) -> String? {
    guard let rest = description(of: item, bytes),
      let name = Self.text(bytes, in: rest)
    else { return nil }
    return Self.text(bytes, in: rest.dropFirst(name.count + 1)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Bytes up to a zero; nil for very many.
  private static func text(_ bytes: Span<UInt8>, in range: Range<Int>) -> [UInt8]? {
    var text: [UInt8] = []
    for offset in range.prefix(1_024) {
      guard let byte = bytes.byte(at: offset) else { return nil }
      if byte == 0 { return text }
      text.append(byte)
    }
    return nil
  }
}

/// Where the bytes of an item are (ISO/IEC 14496-12, section 8.11.3).
private struct ItemLocation {
  private(set) var parts: [(offset: Int, length: Int)] = []
  private(set) var isInDataBox = false

  /// The most parts of one item.
  private static let mostParts = 1_024

  /// Searches the body of an `iloc` box.
  init?(of item: Int, in body: Range<Int>, _ bytes: Span<UInt8>) {
    let start = body.lowerBound + 4
    guard let version = bytes.byte(at: body.lowerBound), let widths = bytes.bigEndian16(at: start)
    else { return nil }
    let (offsetWidth, lengthWidth) = (widths >> 12, widths >> 8 & 15)
    let (baseWidth, indexWidth) = (widths >> 4 & 15, version > 0 ? widths & 15 : 0)
    let step = indexWidth + offsetWidth + lengthWidth
    let isWide = version > 1
    var offset = start + (isWide ? 6 : 4)
    while offset < body.upperBound, let number = bytes.bigEndian(isWide, at: offset) {
      offset += isWide ? 4 : 2
      let method = version > 0 ? (bytes.bigEndian16(at: offset) ?? 0) & 15 : 0
      offset += version > 0 ? 4 : 2
      guard let base = Self.number(bytes, at: offset, width: baseWidth),
        let count = bytes.bigEndian16(at: offset + baseWidth)
      else { return nil }
      offset += baseWidth + 2
      guard number == item else {
        offset += count * step
        continue
      }
      guard method < 2, count <= Self.mostParts else { return nil }
      isInDataBox = method == 1
      for index in 0..<count {
        let place = offset + index * step + indexWidth
        guard let from = Self.number(bytes, at: place, width: offsetWidth),
          let length = Self.number(bytes, at: place + offsetWidth, width: lengthWidth)
        else { return nil }
        let (sum, overflow) = base.addingReportingOverflow(from)
        parts.append((overflow ? .max : sum, length))
      }
      return
    }
    return nil
  }

  /// A number of 0, 4 or 8 bytes; nil for another width.
  private static func number(_ bytes: Span<UInt8>, at offset: Int, width: Int) -> Int? {
    switch width {
    case 0: 0
    case 4: bytes.bigEndian32(at: offset)
    case 8: bytes.bigEndian64(at: offset)
    default: nil
    }
  }
}
#endif
