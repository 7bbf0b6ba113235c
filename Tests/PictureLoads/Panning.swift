import IkranCodecs
import IkranPixels

/// Moves over a TIFF file of 400 megapixels, and looks at it whole.
enum Panning {
  private static let side = 20_000
  private static let tile = 256
  private static let across = (side + tile - 1) / tile
  /// The most megabytes that it may take.
  private static let megabytes = 64

  /// Whether the rectangles are right, and take little memory.
  static func check() throws -> Bool {
    let file = file()
    let (start, workspace) = (Resident.bytes(), Workspace())
    var decoder = try RegionDecoder(file.span)
    for step in 0..<60 {
      let (x, y) = (step * 320 + 13, step * 325 + 5)
      let region = PixelRectangle(x: x, y: y, width: 400, height: 400)
      let part = try decoder.decode(region, of: file.span, workspace: workspace)
      for (dx, dy) in [(0, 0), (399, 10), (150, 399)] {
        let found = part.withRow(dy) { $0[dx * part.format.bytesPerPixel] }
        guard found == gray(x + dx, y + dy) else {
          print("pan: \(found) at \(x + dx), \(y + dy)")
          return false
        }
      }
    }
    let whole = PixelRectangle(x: 0, y: 0, width: side, height: side)
    let size = PixelSize(width: 512, height: 512)
    _ = try decoder.decode(whole, of: file.span, size: size, workspace: workspace)
    let grown = (Resident.peakBytes() - start) >> 20
    print("pan: \(grown) MB over the start for rectangles of \(side)² pixels of TIFF")
    return grown <= megabytes
  }

  /// The gray of a pixel: each tile has one.
  private static func gray(_ x: Int, _ y: Int) -> UInt8 {
    UInt8((y / tile * 3 + x / tile * 7) & 255)
  }

  /// A TIFF file of gray tiles, in PackBits: 256 of them, which all others are, too.
  private static func file() -> [UInt8] {
    let run = tile * tile / 128
    let (count, tags) = (across * across, 10)
    let offsets = 8 + 2 + tags * 12 + 4
    let counts = offsets + count * 4
    let tiles = counts + count * 4
    var bytes: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, UInt8(tags), 0]
    func add(_ number: Int) {
      for shift in [0, 8, 16, 24] { bytes.append(UInt8(number >> shift & 255)) }
    }
    func add(tag: Int, _ value: Int, count: Int = 1) {
      // Four-byte numbers all of them.
      add(tag | 4 << 16)
      add(count)
      add(value)
    }
    add(tag: 256, side)
    add(tag: 257, side)
    add(tag: 258, 8)
    add(tag: 259, 32_773)
    add(tag: 262, 1)
    add(tag: 277, 1)
    add(tag: 322, tile)
    add(tag: 323, tile)
    add(tag: 324, offsets, count: count)
    add(tag: 325, counts, count: count)
    add(0)
    for index in 0..<count {
      let gray = Int(gray(index % across * tile, index / across * tile))
      add(tiles + gray * run * 2)
    }
    for _ in 0..<count { add(run * 2) }
    for gray in 0..<256 { for _ in 0..<run { bytes += [129, UInt8(gray)] } }
    return bytes
  }
}
