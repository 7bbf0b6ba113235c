#if TIFF
import IkranPixels

/// A TIFF file of one page, made by hand: any number of bits and samples, strips or tiles.
struct TIFFSample: Sendable {
  enum Compression: Int, Sendable {
    case none = 1
    case oldJPEG = 6
    case packBits = 32_773
    case logarithms = 34_676
  }

  var size: PixelSize
  var bits = 8
  var channels = 3
  var photometric = 2
  var isBigEndian = false
  var isBig = false
  var isSeparate = false
  var tile: PixelSize?
  var rowsPerStrip: Int?
  var compression = Compression.none
  /// 1 for whole numbers, 2 for signed ones, 3 for floating point.
  var format = 1
  /// What samples are that are no colours; nil for no tag.
  var extras: [Int]?
  /// Other entries: short numbers, or bytes for an ICC profile.
  var shorts: [(tag: Int, values: [Int])] = []
  var profile: [UInt8] = []
  /// The only strip as it is in the file; nil for one made of the samples.
  var stored: [UInt8]?
  /// Blocks as they are in the file, and which of them each block is; empty for those made of the
  /// samples.
  var shared: [[UInt8]] = []
  var chosen: [Int] = []
  /// Whether the directory follows the pixels.
  var isDirectoryLast = false
  /// The bits of a sample.
  var value: @Sendable (_ x: Int, _ y: Int, _ channel: Int) -> UInt64

  private struct Entry {
    let tag, type, count: Int
    let bytes: [UInt8]
  }

  /// The file.
  var bytes: [UInt8] {
    let blocks = self.blocks
    let head = isBig ? 16 : 8
    let total = blocks.reduce(0) { $0 + $1.count }
    let length = directory(blocks, at: head, data: 0).count
    let data = isDirectoryLast ? head : head + length
    let place = isDirectoryLast ? head + total : head
    let table = directory(blocks, at: place, data: data)
    var file = isBigEndian ? Array("MM".utf8) : Array("II".utf8)
    file += number(isBig ? 43 : 42, 2)
    if isBig { file += number(8, 2) + number(0, 2) }
    file += number(place, isBig ? 8 : 4)
    let pixels = blocks.flatMap { $0 }
    return file + (isDirectoryLast ? pixels + table : table + pixels)
  }

  private func number(_ value: Int, _ count: Int) -> [UInt8] {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    return isBigEndian ? bytes.reversed() : bytes
  }

  private func directory(_ blocks: [[UInt8]], at place: Int, data: Int) -> [UInt8] {
    let word = isBig ? 8 : 4
    let entries = self.entries(blocks, data: data)
    let length = (isBig ? 8 : 2) + entries.count * (isBig ? 20 : 12) + word
    var table = number(entries.count, isBig ? 8 : 2)
    var values: [UInt8] = []
    for entry in entries {
      table += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, word)
      if entry.bytes.count <= word {
        table += entry.bytes + [UInt8](repeating: 0, count: word - entry.bytes.count)
      } else {
        table += number(place + length + values.count, word)
        values += entry.bytes
      }
    }
    return table + number(0, word) + values
  }

  private func entries(_ blocks: [[UInt8]], data: Int) -> [Entry] {
    func short(_ tag: Int, _ values: [Int]) -> Entry {
      Entry(tag: tag, type: 3, count: values.count, bytes: values.flatMap { number($0, 2) })
    }
    func long(_ tag: Int, _ values: [Int]) -> Entry {
      Entry(tag: tag, type: 4, count: values.count, bytes: values.flatMap { number($0, 4) })
    }
    var offsets: [Int] = []
    var offset = data
    for block in blocks {
      offsets.append(offset)
      offset += block.count
    }
    let chosen = chosen.isEmpty ? Array(blocks.indices) : chosen
    let (starts, counts) = (chosen.map { offsets[$0] }, chosen.map { blocks[$0].count })
    var entries = [
      long(256, [size.width]), long(257, [size.height]),
      short(258, [Int](repeating: bits, count: channels)), short(259, [compression.rawValue]),
      short(262, [photometric]), short(277, [channels]), short(284, [isSeparate ? 2 : 1]),
      short(339, [Int](repeating: format, count: channels)),
      long(tile == nil ? 273 : 324, starts), long(tile == nil ? 279 : 325, counts),
    ]
    if let tile {
      entries += [long(322, [tile.width]), long(323, [tile.height])]
    } else {
      entries.append(long(278, [rowsPerStrip ?? size.height]))
    }
    if let extras { entries.append(short(338, extras)) }
    if !profile.isEmpty {
      entries.append(Entry(tag: 34_675, type: 7, count: profile.count, bytes: profile))
    }
    entries += shorts.map { short($0.tag, $0.values) }
    return entries.sorted { $0.tag < $1.tag }
  }

  private var blocks: [[UInt8]] {
    if let stored { return [stored] }
    if !shared.isEmpty { return shared }
    let block = tile ?? PixelSize(width: size.width, height: rowsPerStrip ?? size.height)
    let planes = isSeparate ? (0..<channels).map { [$0] } : [Array(0..<channels)]
    return planes.flatMap { plane in
      stride(from: 0, to: size.height, by: block.height).flatMap { top in
        stride(from: 0, to: size.width, by: block.width).map { left in
          let height = tile == nil ? min(block.height, size.height - top) : block.height
          return (top..<top + height).flatMap { y in
            compressed(row(left..<left + block.width, y, plane))
          }
        }
      }
    }
  }

  private func row(_ columns: Range<Int>, _ y: Int, _ plane: [Int]) -> [UInt8] {
    var row: [UInt8] = []
    var (pending, count) = (0, 0)
    for x in columns {
      for channel in plane {
        let isInside = x < size.width && y < size.height
        let value = isInside ? value(x, y, channel) : 0
        if bits % 8 == 0 {
          row += number(Int(truncatingIfNeeded: value), bits / 8)
          continue
        }
        pending = pending << bits | Int(value)
        count += bits
        while count >= 8 {
          count -= 8
          row.append(UInt8(truncatingIfNeeded: pending >> count))
        }
        pending &= 1 << count - 1
      }
    }
    if count > 0 { row.append(UInt8(truncatingIfNeeded: pending << (8 - count))) }
    return row
  }

  private func compressed(_ row: [UInt8]) -> [UInt8] {
    guard compression == .packBits else { return row }
    return stride(from: 0, to: row.count, by: 128).flatMap { start -> [UInt8] in
      let part = row[start..<min(start + 128, row.count)]
      return [UInt8(part.count - 1)] + part
    }
  }
}
#endif
