import CWebP
import IkranPixels

/// The frames of an animated WebP: libwebpdemux, over bytes that outlive it.
struct WebPAnimationHandle: ~Copyable {
  private let demuxer: OpaquePointer

  /// `WebPDemuxPartial`; the bytes must outlive the handle.
  private init(_ bytes: UnsafeBufferPointer<UInt8>) throws(DecodeError) {
    var data = WebPData(bytes: bytes.baseAddress, size: bytes.count)
    var state = WEBP_DEMUX_PARSE_ERROR
    let demuxer = WebPDemuxInternal(&data, 1, &state, WEBP_DEMUX_ABI_VERSION)
    guard let demuxer else {
      throw state == WEBP_DEMUX_PARSE_ERROR
        ? .malformed(.webp, offset: 12, reason: "its chunks make no sense")
        : .truncated(.webp, offset: bytes.count)
    }
    guard state == WEBP_DEMUX_DONE else {
      WebPDemuxDelete(demuxer)
      throw .truncated(.webp, offset: bytes.count)
    }
    self.demuxer = demuxer
  }

  deinit { WebPDemuxDelete(demuxer) }

  /// Decodes the first frame on a clear canvas, crops and scales as `plan` says.
  static func render(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    _ info: ImageInfo,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let handle = try WebPAnimationHandle(buffer)
      let format: PixelFormat = info.hasAlpha ? .bgra : .bgrx
      var canvas = try WebPHandle.newCanvas(info.size, format, zeroed: true)
      try handle.drawFirstFrame(on: &canvas)
      if !format.hasAlpha { canvas.makeOpaque() }
      return try PixelSink.render(canvas, plan, workspace: workspace)
    }
  }

  /// `WebPDemuxGetFrame`: over a clear canvas, a frame is the same with and without blending.
  private func drawFirstFrame(on canvas: inout Canvas) throws(DecodeError) {
    var frame = WebPIterator()
    guard WebPDemuxGetFrame(demuxer, 1, &frame) != 0 else {
      throw .malformed(.webp, offset: 12, reason: "there is no frame")
    }
    defer { WebPDemuxReleaseIterator(&frame) }
    let bytes = UnsafeBufferPointer(start: frame.fragment.bytes, count: frame.fragment.size)
    var handle = try WebPHandle(bytes)
    let left = Int(frame.x_offset)
    let top = Int(frame.y_offset)
    let size = handle.size
    guard left >= 0, top >= 0, left <= canvas.size.width - size.width,
      top <= canvas.size.height - size.height
    else { throw .malformed(.webp, offset: 12, reason: "a frame lies outside the canvas") }
    let bytesPerRow = canvas.bytesPerRow
    let format = canvas.format
    try canvas.withUnsafeMutableBytes { (pixels) throws(DecodeError) in
      let start = top * bytesPerRow + left * 4
      let end = start + (size.height - 1) * bytesPerRow + size.width * 4
      let area = UnsafeMutableRawBufferPointer(rebasing: pixels[start..<end])
      try handle.decode(into: area, bytesPerRow: bytesPerRow, format)
    }
  }
}
