import IkranPixels

/// Where the rows of a picture in run lengths begin, found in one pass over the file.
///
/// The rows come from the bottom, so without that the highest could be read only after all others.
struct BMPRuns: Sendable {
  /// The first code of a row, and the pixel that it begins with.
  private struct Start: Sendable {
    let row: Int
    var offset: Int
    var x: Int
  }

  /// One kind of code.
  private enum Code {
    /// Pixels of two indices in turn; of eight bits each they are the same.
    case run(count: Int, index: UInt8)
    /// Pixels whose indices follow.
    case indices(count: Int, offset: Int)
    /// Pixels to leave out: to the right, and rows upwards.
    case skip(right: Int, up: Int)
    case endOfRow
    case endOfPicture
  }

  private let width: Int
  private let bitsPerPixel: Int
  /// In the order of the file, without rows of which it says nothing.
  private var starts: [Start]
  /// The rows that are whole, in the order of the file.
  private(set) var rowCount: Int
  /// Whether the file leaves pixels out, which are clear.
  private(set) var hasGaps: Bool

  /// Finds the rows.
  ///
  /// Cost: reads the codes, and takes memory for three numbers of each row that has some.
  init(_ bytes: Span<UInt8>, _ header: BMPHeader) {
    let (width, height) = (header.size.width, header.size.height)
    (self.width, bitsPerPixel) = (width, header.bitsPerPixel)
    (rowCount, hasGaps) = (height, false)
    var (x, row, offset) = (0, 0, header.dataOffset)
    var painted = 0
    starts = [Start(row: 0, offset: offset, x: 0)]
    scan: while row < height {
      guard let (code, next) = readCode(bytes, at: offset) else {
        rowCount = x >= width ? row + 1 : row
        break
      }
      offset = next
      switch code {
      case .run(let count, _), .indices(let count, _):
        painted += min(count, max(width - x, 0))
        x += count
      case .skip(let right, let up):
        x += right
        row += up
        if up > 0, row < height { starts.append(Start(row: row, offset: offset, x: x)) }
      case .endOfRow:
        (x, row) = (0, row + 1)
        if row < height { starts.append(Start(row: row, offset: offset, x: 0)) }
      case .endOfPicture: break scan
      }
    }
    // No pixel is painted twice: codes never go back. The limit of pixels is checked before.
    let wanted = width.multipliedReportingOverflow(by: rowCount)
    hasGaps = wanted.overflow || painted < wanted.partialValue
  }

  /// Reads one code; nil when the bytes end before it does.
  private func readCode(_ bytes: Span<UInt8>, at offset: Int) -> (Code, next: Int)? {
    guard let first = bytes.byte(at: offset), let second = bytes.byte(at: offset + 1) else {
      return nil
    }
    let next = offset + 2
    if first > 0 { return (.run(count: Int(first), index: second), next) }
    switch second {
    case 0: return (.endOfRow, next)
    case 1: return (.endOfPicture, next)
    case 2:
      guard let right = bytes.byte(at: next), let up = bytes.byte(at: next + 1) else { return nil }
      return (.skip(right: Int(right), up: Int(up)), next + 2)
    default:
      // Indices are padded to an even number of bytes.
      let length = (Int(second) * bitsPerPixel + 15) / 16 * 2
      guard length <= bytes.count - next else { return nil }
      return (.indices(count: Int(second), offset: next), next + length)
    }
  }

  /// Paints a row, counted in the order of the file; pixels that it leaves out become clear.
  ///
  /// - Parameters:
  ///   - row: One that is whole.
  ///   - bytes: The file.
  ///   - palette: 256 colours.
  ///   - pixels: The row's memory.
  func paint(
    row: Int,
    of bytes: Span<UInt8>,
    _ palette: [UInt32],
    into pixels: inout [UInt32]
  ) {
    for x in pixels.indices { pixels[x] = 0 }
    guard var start = beginning(of: row) else { return }
    while start.x < width, let (code, next) = readCode(bytes, at: start.offset) {
      let room = width - start.x
      switch code {
      case .run(let count, let index):
        for step in 0..<min(count, room) {
          pixels[start.x + step] = palette[part(of: index, step)]
        }
        start.x += count
      case .indices(let count, let offset):
        for step in 0..<min(count, room) {
          let byte = bitsPerPixel == 8 ? bytes[offset + step] : bytes[offset + step / 2]
          pixels[start.x + step] = palette[part(of: byte, step)]
        }
        start.x += count
      case .skip(let right, let up):
        guard up == 0 else { return }
        start.x += right
      case .endOfRow, .endOfPicture: return
      }
      start.offset = next
    }
  }

  /// Where a row begins; nil for one of which the file says nothing.
  private func beginning(of row: Int) -> Start? {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle].row < row { low = middle + 1 } else { high = middle }
    }
    return low < starts.count && starts[low].row == row ? starts[low] : nil
  }

  /// The index of a pixel in a byte: of two, the first is the higher.
  private func part(of byte: UInt8, _ number: Int) -> Int {
    bitsPerPixel == 8 ? Int(byte) : Int(number & 1 == 0 ? byte >> 4 : byte & 15)
  }
}
