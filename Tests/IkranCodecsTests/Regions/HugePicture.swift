import TestBasics

@testable import IkranCodecs

/// Files of about 20,000 × 20,000 pixels, made without so many pixels.
enum HugePicture {
  /// How many rows each has.
  static let side = 20_000

  // MARK: - JPEG

  /// A baseline file of three rows of MCUs in turn, with restart markers between them.
  static func jpegWithRestarts() -> [UInt8] {
    let across = (side + 15) / 16
    let sample = JPEGSample(
      width: side,
      height: 48,
      sampling: .quarter,
      restarts: UInt32(across)
    )
    // The same columns in all rows of an MCU, other ones in the next.
    let rows: [[UInt8]] = (0..<3).map { band in
      (0..<side).flatMap { (x: Int) -> [UInt8] in
        [UInt8(x / 64 & 255), UInt8(band * 100), UInt8(x / 9_000 * 90)]
      }
    }
    let strip = sample.bytes(of: (0..<48).flatMap { rows[$0 / 16] })
    let (head, data) = parts(of: strip)
    let intervals = data.dropLast(2).split(marker: 0xD0...0xD7)
    var file = withHeight(head)
    for row in 0..<side / 16 {
      if row > 0 { file += [0xFF, 0xD0 + UInt8((row - 1) & 7)] }
      file += intervals[row % 3]
    }
    return file + [0xFF, 0xD9]
  }

  /// A baseline file of one gray without restart markers: with libjpeg's tables an MCU is four bytes.
  static func jpeg(height: Int) -> [UInt8] {
    let sample = JPEGSample(width: side, height: 16, sampling: .quarter)
    let gray = [UInt8](repeating: 128, count: side * 16 * 3)
    let (head, data) = parts(of: sample.bytes(of: gray))
    let mcus = side / 16 * (height / 16)
    // The middle of all levels: no block differs from the one before, the first included.
    let mcu = Array(data.prefix(4))
    var file = withHeight(head, height)
    for _ in 0..<mcus { file += mcu }
    return file + [0xFF, 0xD9]
  }

  private static func parts(of file: [UInt8]) -> (head: [UInt8], data: ArraySlice<UInt8>) {
    let scan = file.indices.dropLast(1).first { file[$0] == 0xFF && file[$0 + 1] == 0xDA } ?? 0
    let start = scan + 2 + Int(file[scan + 2]) * 256 + Int(file[scan + 3])
    return (Array(file[..<start]), file[start...])
  }

  private static func withHeight(_ head: [UInt8], _ height: Int = side) -> [UInt8] {
    var head = head
    let frame = head.indices.dropLast(1).first { head[$0] == 0xFF && head[$0 + 1] == 0xC0 } ?? 0
    (head[frame + 5], head[frame + 6]) = (UInt8(height >> 8), UInt8(height & 255))
    return head
  }

  // MARK: - PNG

  /// So many columns that a row is a whole number of bytes in the file.
  static let pngWidth = 1 + 258 * 78

  /// A file of 8-bit gray, each row one level lighter than the one above it.
  ///
  /// A row is a block of fixed codes: the filter (up), a difference of one, and that again in copies of
  /// 258 bytes.
  static func png() -> [UInt8] {
    var bits = BitWriter()
    // Not the last block, fixed codes (RFC 1951, 3.2.3).
    bits.put(0b010, 3)
    bits.putCode(0x30 + 2, 8)
    bits.putCode(0x30 + 1, 8)
    for _ in 0..<78 {
      bits.putCode(0b1100_0101, 8)
      bits.putCode(0, 5)
    }
    bits.putCode(0, 7)
    var (low, high) = (1, 0)
    for _ in 0..<side {
      for value in [2, 1] {
        low = (low + value) % 65_521
        high = (high + low) % 65_521
      }
      // The rest of the row adds one to the low sum with each byte.
      let count = pngWidth - 1
      high = (high + count * low + count * (count + 1) / 2) % 65_521
      low = (low + count) % 65_521
    }
    var rows: [UInt8] = []
    for _ in 0..<side { rows += bits.bytes }
    let stream = [0x78, 0x01] + rows + [1, 0, 0, 0xFF, 0xFF] + PNGSample.word(high << 16 | low)
    let header = PNGSample.word(pngWidth) + PNGSample.word(side) + [8, 0, 0, 0, 0]
    return PNGSample.signature + PNGSample.chunk("IHDR", header)
      + data(stream) + PNGSample.chunk("IEND", [])
  }

  private static func data(_ stream: [UInt8]) -> [UInt8] {
    let checked = Array("IDAT".utf8) + stream
    return PNGSample.word(stream.count) + checked
      + PNGSample.word(InflateHandle.crc32(checked.span))
  }
}

/// Bits of a deflate stream, the lowest of each byte first.
private struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var used = 0

  /// Writes the lowest bits of a number, the lowest first.
  mutating func put(_ value: Int, _ count: Int) {
    for bit in 0..<count {
      if used % 8 == 0 { bytes.append(0) }
      bytes[used / 8] |= UInt8(value >> bit & 1) << UInt8(used % 8)
      used += 1
    }
  }

  /// Writes a codeword, the highest bit first.
  mutating func putCode(_ code: Int, _ count: Int) {
    for bit in (0..<count).reversed() { put(code >> bit, 1) }
  }
}

extension ArraySlice<UInt8> {
  /// The parts between markers, which are left out.
  fileprivate func split(marker: ClosedRange<UInt8>) -> [ArraySlice<UInt8>] {
    var (parts, start) = ([] as [ArraySlice<UInt8>], startIndex)
    for index in indices.dropLast() where self[index] == 0xFF && marker.contains(self[index + 1]) {
      parts.append(self[start..<index])
      start = index + 2
    }
    return parts + [self[start...]]
  }
}
