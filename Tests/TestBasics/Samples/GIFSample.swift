/// A GIF file of one gray picture, whose data can have the errors of careless encoders.
package struct GIFSample {
  /// How the data ends after the last index.
  package enum End: Sendable {
    /// An end code, then the block that ends the chain.
    case endCode
    /// Only the block that ends the chain.
    case terminator
    /// The file ends with the data.
    case cutOff
  }

  /// Its size in pixels.
  package var width: Int
  package var height: Int
  /// One index per pixel; there may be fewer or more than the picture has pixels.
  package var indices: [UInt8]
  /// The smallest number of bits that holds an index.
  package var depth = 8
  /// Whether a full table is cleared; if not, it is used to the end.
  package var clearsFullTable = true
  package var end = End.endCode

  /// Describes a file.
  package init(width: Int, height: Int, indices: [UInt8], depth: Int = 8) {
    (self.width, self.height, self.indices, self.depth) = (width, height, indices, depth)
  }

  /// An interlaced file of gray levels.
  package static func interlaced(
    width: Int,
    height: Int,
    _ level: (_ x: Int, _ y: Int) -> UInt8
  ) -> [UInt8] {
    let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
    let rows = passes.flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) }
    let indices = rows.flatMap { y in (0..<width).map { level($0, y) } }
    var bytes = GIFSample(width: width, height: height, indices: indices).bytes
    // The flags of the picture, after the palette.
    bytes[13 + 768 + 9] |= 0x40
    return bytes
  }

  /// The bytes of the file.
  package var bytes: [UInt8] {
    var file = Array("GIF89a".utf8) + word(width) + word(height) + [0xF0 | UInt8(depth - 1), 0, 0]
    for index in 0..<1 << depth { file += [UInt8](repeating: UInt8(index), count: 3) }
    file += [0x2C, 0, 0, 0, 0] + word(width) + word(height) + [0, UInt8(depth)]
    let data = compressed()
    for start in stride(from: 0, to: data.count, by: 255) {
      let block = data[start..<min(start + 255, data.count)]
      file.append(UInt8(block.count))
      file += block
    }
    return end == .cutOff ? file : file + [0, 0x3B]
  }

  /// The size of the codes and the blocks of data, with the empty one.
  package var data: [UInt8] {
    Array(bytes.dropFirst(23 + (3 << depth)).dropLast(end == .cutOff ? 0 : 1))
  }

  private func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }

  private func compressed() -> [UInt8] {
    let clear = 1 << depth
    var writer = BitWriter()
    // A string is the code of all but its last index, and that index.
    var table: [Int: Int] = [:]
    var (next, size) = (clear + 2, depth + 1)
    writer.write(clear, size)
    var code: Int?
    for index in indices.lazy.map(Int.init) {
      guard let prefix = code else {
        code = index
        continue
      }
      code = table[prefix << 8 | index]
      if code != nil { continue }
      writer.write(prefix, size)
      code = index
      if next < 4_096 {
        table[prefix << 8 | index] = next
        // The decoder adds this code one step later.
        if next == 1 << size { size += 1 }
        next += 1
      } else if clearsFullTable {
        writer.write(clear, size)
        table = [:]
        (next, size) = (clear + 2, depth + 1)
      }
    }
    if let code { writer.write(code, size) }
    if next == 1 << size, size < 12 { size += 1 }
    if end == .endCode { writer.write(clear + 1, size) }
    return writer.finish()
  }

  private struct BitWriter {
    private var bytes: [UInt8] = []
    private var (word, count) = (0, 0)

    mutating func write(_ value: Int, _ bits: Int) {
      word |= value << count
      count += bits
      while count >= 8 {
        bytes.append(UInt8(word & 255))
        (word, count) = (word >> 8, count - 8)
      }
    }

    mutating func finish() -> [UInt8] { count > 0 ? bytes + [UInt8(word & 255)] : bytes }
  }
}
