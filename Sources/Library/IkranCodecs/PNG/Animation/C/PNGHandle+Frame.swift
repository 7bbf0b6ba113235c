#if CLibraries
import CIkranCodecs
import IkranPixels

extension PNGHandle {
  /// Draws a PNG file of the area's size, whose checksums are not looked at.
  ///
  /// - Throws: ``DecodeError``; a part of the area may then be drawn.
  static func draw(
    _ file: Span<UInt8>,
    _ layout: FrameLayout,
    in area: FrameArea,
    of canvas: inout AnimationCanvas,
    _ scratch: inout FrameScratch
  ) throws(DecodeError) {
    let size = PixelSize(width: area.width, height: area.height)
    let format: PixelFormat = layout.hasAlpha ? .bgra : .bgrx
    try file.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let handle = try PNGHandle(buffer, largestSide: max(size.width, size.height))
      guard ikran_png_trust(handle.reader) != 0 else { throw handle.fault() }
      if try handle.start(expecting: size, shift: 0) {
        // The format without alpha leaves pixels straight.
        let read: PixelFormat = layout.replacesArea ? format : .bgrx
        let picture = try handle.readPicture(size, read).finish()
        try canvas.draw(picture, in: area, isBlended: !layout.replacesArea)
        return
      }
      try canvas.withArea(area) { (target, bytesPerRow) throws(DecodeError) in
        for y in 0..<size.height {
          let start = y * bytesPerRow
          let row = UnsafeMutableRawBufferPointer(rebasing: target[start..<start + size.width * 4])
          if layout.replacesArea {
            try handle.readRow(row, format)
          } else {
            try handle.blendRow(row, scratch.bytes(row.count))
          }
        }
      }
    }
  }

  /// `png_read_row`; pixels in a format with alpha are premultiplied, others stay as they are.
  private func readRow(
    _ row: UnsafeMutableRawBufferPointer,
    _ format: PixelFormat
  ) throws(DecodeError) {
    guard let start = row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    guard ikran_png_read_row(reader, start) != 0 else { throw fault() }
    if format.hasAlpha { premultiply(row) }
  }

  /// `png_read_row` over the pixels of a row; `pixels` has as many bytes.
  private func blendRow(
    _ row: UnsafeMutableRawBufferPointer,
    _ pixels: UnsafeMutableRawBufferPointer
  ) throws(DecodeError) {
    try readRow(pixels, .bgrx)
    blend(UnsafeRawBufferPointer(pixels), over: row)
  }
}
#endif
