#if CLibraries
import IkranPixels

/// The still that stands for an animated WebP: its first frame, which is all that has to be there.
enum WebPFirstFrame {
  /// Decodes the first frame on a clear canvas, crops and scales as `plan` says.
  ///
  /// - Throws: ``DecodeError``, also when the frame is not all there.
  static func render(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    _ info: ImageInfo,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    let list = WebPFrameList(bytes, on: info.size, atMost: 1)
    guard let header = list.frames.first else {
      throw list.fault ?? (list.isComplete ? noFrame : .truncated(.webp, offset: bytes.count))
    }
    let format: PixelFormat = info.hasAlpha ? .bgra : .bgrx
    var canvas = try Canvas.decoding(info.size, format, zeroed: true)
    if let area = header.layout.area {
      try draw(bytes.extracting(header.picture), header, in: area, of: &canvas)
    }
    if !format.hasAlpha { canvas.makeOpaque() }
    return try PixelSink.render(canvas, plan, workspace: workspace)
  }

  private static var noFrame: DecodeError {
    .malformed(.webp, offset: 12, reason: "there is no frame")
  }

  /// Over a clear canvas, a frame is the same with and without blending.
  private static func draw(
    _ picture: Span<UInt8>,
    _ header: WebPFrameHeader,
    in area: FrameArea,
    of canvas: inout Canvas
  ) throws(DecodeError) {
    let (bytesPerRow, format) = (canvas.bytesPerRow, canvas.format)
    let start = area.top * bytesPerRow + area.left * 4
    let end = start + (area.height - 1) * bytesPerRow + area.width * 4
    try picture.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      var handle = try header.open(buffer)
      try canvas.withUnsafeMutableBytes { (pixels) throws(DecodeError) in
        let target = UnsafeMutableRawBufferPointer(rebasing: pixels[start..<end])
        try handle.decode(into: target, bytesPerRow: bytesPerRow, format)
      }
    }
  }
}
#endif
