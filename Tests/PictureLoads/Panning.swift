import IkranCodecs
import IkranPixels

/// Moves over TIFF files of 400 megapixels, in tiles and in strips, and looks at them whole.
struct Panning {
  private static let side = 20_000
  private static let files = [
    Panning(name: "tiles", width: 256, height: 256, tags: (offsets: 324, counts: 325)),
    Panning(name: "strips", width: side, height: 16, tags: (offsets: 273, counts: 279)),
  ]

  private let name: String
  /// The size of the parts in which the pixels lie.
  private let width, height: Int
  /// The tags that say where the parts are, and how long.
  private let tags: (offsets: Int, counts: Int)

  private var across: Int { (Self.side + width - 1) / width }
  private var down: Int { (Self.side + height - 1) / height }
  private var isTiled: Bool { width < Self.side }

  /// The most megabytes that it may take.
  private static let megabytes = 64

  /// Whether the rectangles are right, and take little memory.
  static func check() throws -> Bool {
    for file in files where try !file.check() { return false }
    return true
  }

  private func check() throws -> Bool {
    let (file, side) = (file(), Self.side)
    let (start, workspace) = (Resident.bytes(), Workspace())
    var decoder = try RegionDecoder(file.span)
    for step in 0..<60 {
      let (x, y) = (step * 320 + 13, step * 325 + 5)
      let region = PixelRectangle(x: x, y: y, width: 400, height: 400)
      let part = try decoder.decode(region, of: file.span, workspace: workspace)
      for (dx, dy) in [(0, 0), (399, 10), (150, 399)] {
        let found = part.withRow(dy) { $0[dx * part.format.bytesPerPixel] }
        guard found == gray(x + dx, y + dy) else {
          print("pan, \(name): \(found) at \(x + dx), \(y + dy)")
          return false
        }
      }
    }
    let whole = PixelRectangle(x: 0, y: 0, width: side, height: side)
    let size = PixelSize(width: 512, height: 512)
    _ = try decoder.decode(whole, of: file.span, size: size, workspace: workspace)
    let grown = (Resident.peakBytes() - start) >> 20
    print("pan, \(name): \(grown) MB over the start for rectangles of \(side)² pixels of TIFF")
    return grown <= Self.megabytes
  }

  /// The gray of a pixel: each part has one.
  private func gray(_ x: Int, _ y: Int) -> UInt8 {
    UInt8((y / height * 3 + x / width * 7) & 255)
  }

  /// A TIFF file of gray parts, in PackBits: 256 of them, which all others are, too.
  private func file() -> [UInt8] {
    // Rows are packed one by one, and the last run of a row may be short.
    let row = (width + 127) / 128
    let run = row * height
    let (count, entries) = (across * down, isTiled ? 10 : 9)
    let offsets = 8 + 2 + entries * 12 + 4
    let counts = offsets + count * 4
    let parts = counts + count * 4
    var bytes: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, UInt8(entries), 0]
    func add(_ number: Int) {
      for shift in [0, 8, 16, 24] { bytes.append(UInt8(number >> shift & 255)) }
    }
    func add(tag: Int, _ value: Int, count: Int = 1) {
      // Four-byte numbers all of them.
      add(tag | 4 << 16)
      add(count)
      add(value)
    }
    add(tag: 256, Self.side)
    add(tag: 257, Self.side)
    add(tag: 258, 8)
    add(tag: 259, 32_773)
    add(tag: 262, 1)
    if !isTiled { add(tag: tags.offsets, offsets, count: count) }
    add(tag: 277, 1)
    add(tag: isTiled ? 322 : 278, isTiled ? width : height)
    if isTiled { add(tag: 323, height) }
    if isTiled { add(tag: tags.offsets, offsets, count: count) }
    add(tag: tags.counts, counts, count: count)
    add(0)
    for index in 0..<count {
      let gray = Int(gray(index % across * width, index / across * height))
      add(parts + gray * run * 2)
    }
    for _ in 0..<count { add(run * 2) }
    for gray in 0..<256 {
      for number in 0..<run {
        let isLast = number % row == row - 1
        // Minus its count, and one.
        let count = isLast ? width - (row - 1) * 128 : 128
        bytes += [UInt8(truncatingIfNeeded: 1 - count), UInt8(gray)]
      }
    }
    return bytes
  }
}
