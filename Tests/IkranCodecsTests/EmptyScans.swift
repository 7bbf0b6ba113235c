import IkranPixels

/// A gray progressive picture whose scans have nothing but runs of empty blocks.
struct EmptyScans {
  /// The coefficients of a scan, and the bits before and after.
  typealias Scan = (first: Int, last: Int, high: Int, low: Int)

  var size: PixelSize
  var scans: [Scan]
  /// In blocks; 0 for none.
  var restarts = 0

  private var blockCount: Int { ((size.width + 7) / 8) * ((size.height + 7) / 8) }

  /// The file.
  ///
  /// Its Huffman codes have one codeword of a bit each: a difference of zero, and a run of up to
  /// 32,767 empty blocks; AC has a second one of two bits, an empty block.
  func bytes() -> [UInt8] {
    let sides = [size.height, size.width].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    var bytes: [UInt8] = [0xFF, 0xD8]
    bytes += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    bytes += segment(0xC2, [8] + sides + [1, 1, 0x11, 0])
    bytes += segment(0xC4, [0x00, 1] + [UInt8](repeating: 0, count: 15) + [0])
    bytes += segment(0xC4, [0x10, 1, 1] + [UInt8](repeating: 0, count: 14) + [0xE0, 0])
    if restarts > 0 { bytes += segment(0xDD, [UInt8(restarts >> 8), UInt8(restarts & 255)]) }
    for scan in scans {
      let bits = UInt8(scan.high << 4 | scan.low)
      bytes += segment(0xDA, [1, 1, 0, UInt8(scan.first), UInt8(scan.last), bits])
      bytes += data(scan)
    }
    return bytes + [0xFF, 0xD9]
  }

  private func data(_ scan: Scan) -> [UInt8] {
    let interval = restarts == 0 ? blockCount : restarts
    var data: [UInt8] = []
    for (index, start) in stride(from: 0, to: blockCount, by: interval).enumerated() {
      if index > 0 { data += [0xFF, 0xD0 + UInt8((index - 1) & 7)] }
      let count = min(interval, blockCount - start)
      data += scan.first > 0 ? runs(count) : [UInt8](repeating: 0, count: (count + 7) / 8)
    }
    return data
  }

  /// Codewords for `count` empty blocks, filled with zeros.
  private func runs(_ count: Int) -> [UInt8] {
    var bits: [Bool] = []
    var left = count
    while left >= 16_384 {
      let run = min(left, 32_767)
      bits.append(false)
      for bit in (0..<14).reversed() { bits.append((run - 16_384) >> bit & 1 == 1) }
      left -= run
    }
    for _ in 0..<left { bits += [true, false] }
    while bits.count % 8 != 0 { bits.append(false) }
    return stride(from: 0, to: bits.count, by: 8).flatMap { start in
      let byte = bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
      return byte == 0xFF ? [byte, 0] : [byte]
    }
  }

  private func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
    let length = body.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + body
  }
}
