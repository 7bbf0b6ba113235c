#if CLibraries
import CWebP
import IkranPixels

/// Draws the frames of an animated WebP, each with libwebp, on our canvas.
///
/// `WebPAnimDecoder` composes straight pixels and cannot begin in the middle.
final class WebPPainter: FramePainter {
  private let bytes: [UInt8]
  private let headers: [WebPFrameHeader]
  /// The pixels of a frame that is blended.
  private var scratch = FrameScratch()

  init(_ bytes: [UInt8], _ headers: [WebPFrameHeader]) {
    self.bytes = bytes
    self.headers = headers
  }

  func paint(_ frame: Int, on canvas: inout AnimationCanvas) throws(DecodeError) -> Bool {
    let (bytes, header) = (bytes, headers[frame])
    guard let area = header.layout.area else { return true }
    let picture = bytes.span.extracting(header.picture)
    try picture.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      var handle = try header.open(buffer)
      if header.layout.replacesArea {
        try canvas.withArea(area) { (target, bytesPerRow) throws(DecodeError) in
          let format: PixelFormat = header.layout.hasAlpha ? .bgra : .bgrx
          try handle.decode(into: target, bytesPerRow: bytesPerRow, format)
          if header.isLossless, !header.layout.hasAlpha {
            let size = PixelSize(width: area.width, height: area.height)
            makeOpaque(target, size, bytesPerRow: bytesPerRow)
          }
        }
      } else {
        try blend(&handle, in: area, of: &canvas)
      }
    }
    return true
  }

  private func blend(
    _ handle: inout WebPHandle,
    in area: FrameArea,
    of canvas: inout AnimationCanvas
  ) throws(DecodeError) {
    let rowBytes = area.width * 4
    let source = scratch.bytes(rowBytes * area.height)
    // The format without alpha leaves pixels straight.
    try handle.decode(into: source, bytesPerRow: rowBytes, .bgrx)
    try canvas.withArea(area) { (target, bytesPerRow) throws(DecodeError) in
      for y in 0..<area.height {
        let start = y * bytesPerRow
        IkranPixels.blend(
          UnsafeRawBufferPointer(rebasing: source[y * rowBytes..<(y + 1) * rowBytes]),
          over: UnsafeMutableRawBufferPointer(rebasing: target[start..<start + rowBytes])
        )
      }
    }
  }
}

extension WebPFrameHeader {
  /// Opens the frame's picture, whose bytes must outlive what is returned.
  func open(_ bytes: UnsafeBufferPointer<UInt8>) throws(DecodeError) -> WebPHandle {
    let handle = try WebPHandle(bytes)
    guard handle.size == size else {
      let offset = picture.lowerBound
      throw .malformed(.webp, offset: offset, reason: "a frame's sizes contradict each other")
    }
    return handle
  }
}
#endif
