import IkranPixels

/// Draws the frames of a GIF; it keeps the decoder's memory and one colour table.
final class GIFPainter: FramePainter {
  private let bytes: [UInt8]
  private let headers: [GIFFrameHeader]
  private let layouts: [FrameLayout]
  private var decoder = LZWReader()
  private var colors: [UInt32] = []
  /// The palette that ``colors`` shows.
  private var palette: Range<Int>??

  init(_ bytes: [UInt8], _ headers: [GIFFrameHeader], _ layouts: [FrameLayout]) {
    self.bytes = bytes
    self.headers = headers
    self.layouts = layouts
  }

  func paint(_ frame: Int, on canvas: inout AnimationCanvas) throws(DecodeError) -> Bool {
    let header = headers[frame]
    guard let area = layouts[frame].area else { return true }
    let bytes = bytes
    if palette != .some(header.palette) {
      colors = GIFFrame.colors(bytes.span, header.palette)
      palette = header.palette
    }
    // Rows below the canvas need not be decoded; those of an interlaced picture are spread.
    let rows = header.isInterlaced ? header.size.height : area.height
    let wanted = header.size.width * rows
    let count = try decoder.decode(bytes.span, at: header.dataOffset, pixelCount: wanted)
    let rowsOfColors = PaletteRows(
      colors: colors,
      transparent: header.transparentIndex,
      storedWidth: header.size.width,
      area: area
    )
    try canvas.withArea(area) { (target, bytesPerRow) throws(DecodeError) in
      decoder.withIndices { indices in
        for (stored, y) in GIFRowOrder(height: rows, isInterlaced: header.isInterlaced)
        where y < area.height {
          guard stored * header.size.width < count else { break }
          rowsOfColors.paint(indices, row: stored, into: target, at: y * bytesPerRow)
        }
      }
    }
    return count == wanted
  }
}

/// Turns rows of indices into rows of pixels.
private struct PaletteRows {
  /// 256 words of blue, green, red, 255 (little-endian).
  let colors: [UInt32]
  let transparent: UInt8?
  let storedWidth: Int
  let area: FrameArea

  /// Paints the part of a stored row that is there and on the canvas.
  func paint(
    _ indices: UnsafeBufferPointer<UInt8>,
    row: Int,
    into target: UnsafeMutableRawBufferPointer,
    at offset: Int
  ) {
    let start = row * storedWidth
    let count = min(area.width, indices.count - start, (target.count - offset) / 4)
    guard count > 0, start >= 0, offset >= 0, let source = indices.baseAddress,
      let pixels = target.baseAddress
    else { return }
    let from = source + start
    let to = (pixels + offset).assumingMemoryBound(to: UInt32.self)
    colors.withUnsafeBufferPointer { table in
      // An index is below 256, the size of the table.
      guard table.count == 256, let table = table.baseAddress else { return }
      if let transparent {
        for x in 0..<count where from[x] != transparent { to[x] = table[Int(from[x])] }
      } else {
        for x in 0..<count { to[x] = table[Int(from[x])] }
      }
    }
  }
}
