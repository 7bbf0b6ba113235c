#if CLibraries
import CWebP
import IkranPixels

/// One WebP picture and how to decode it: libwebp's decoder configuration.
struct WebPHandle {
  private var config = WebPDecoderConfig()
  private let bytes: UnsafeBufferPointer<UInt8>

  /// `WebPInitDecoderConfig`, `WebPGetFeatures`; the bytes must outlive the handle.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(DecodeError) {
    self.bytes = bytes
    guard WebPInitDecoderConfig(&config) != 0 else {
      throw .unsupported(.webp, feature: "another version of libwebp")
    }
    let status = WebPGetFeatures(bytes.baseAddress, bytes.count, &config.input)
    guard status == VP8_STATUS_OK else { throw Self.error(status, bytes.count) }
  }

  var size: PixelSize {
    PixelSize(width: Int(config.input.width), height: Int(config.input.height))
  }

  /// Decodes a still, crops and scales as `plan` says, in stored orientation.
  static func render(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    _ header: WebPHeader,
    _ reduction: WebPReduction,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    let info = header.info
    return try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      var handle = try WebPHandle(buffer)
      guard handle.size == info.size else {
        throw .malformed(.webp, offset: 12, reason: "its headers contradict each other")
      }
      // In the reduced picture one cannot see what the loop filter smooths.
      let isSmall = plan.ratio >= 4
      handle.config.options.bypass_filtering = isSmall ? 1 : 0
      handle.config.options.no_fancy_upsampling = isSmall ? 1 : 0
      handle.config.options.use_threads = usesThread(info.size, workspace) ? 1 : 0
      if reduction.block > 0 {
        let reduced = try handle.reduced(by: reduction.block, workspace)
        let rest = plan.scaled(to: reduced.size, numerator: 1, denominator: reduction.block)
        return try PixelSink.render(reduced, rest, workspace: workspace)
      }
      let format: PixelFormat = info.hasAlpha ? .bgra : .bgrx
      let reduced = reduction.size
      var picture = try Canvas.decoding(reduced, format, zeroed: false)
      if reduced != info.size { handle.scale(to: reduced) }
      let bytesPerRow = picture.bytesPerRow
      try picture.withUnsafeMutableBytes { (pixels) throws(DecodeError) in
        let isStraight = plan.keepsStraightColors
        try handle.decode(into: pixels, bytesPerRow: bytesPerRow, format, isStraight: isStraight)
      }
      if header.isLossless, !format.hasAlpha { picture.makeOpaque() }
      let rest = reduced == info.size ? plan : plan.scaled(to: reduced, from: info.size)
      return try PixelSink.render(picture, rest, workspace: workspace)
    }
  }

  /// `WebPDecode`; pixels in a format with alpha are premultiplied unless they are to be straight,
  /// others stay as they are.
  mutating func decode(
    into pixels: UnsafeMutableRawBufferPointer,
    bytesPerRow: Int,
    _ format: PixelFormat,
    isStraight: Bool = false
  ) throws(DecodeError) {
    config.output.colorspace = MODE_BGRA
    config.output.is_external_memory = 1
    config.output.u.RGBA = WebPRGBABuffer(
      rgba: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self),
      stride: CInt(clamping: bytesPerRow),
      size: pixels.count
    )
    let status = WebPDecode(bytes.baseAddress, bytes.count, &config)
    // Frees nothing: the caller owns the memory.
    WebPFreeDecBuffer(&config.output)
    guard status == VP8_STATUS_OK else { throw Self.error(status, bytes.count) }
    // libwebp's own premultiplication rounds down, so a round trip would darken.
    if format.hasAlpha, !isStraight { premultiply(pixels, size, bytesPerRow: bytesPerRow) }
  }

  /// Whether a thread of libwebp's rebuilds each row of blocks while the caller's decodes the next.
  ///
  /// Of a megapixel that takes half as much processor time again, and saves a twentieth of the
  /// wait.
  private static func usesThread(_ size: PixelSize, _ workspace: Workspace) -> Bool {
    size.pixelCount ?? 0 >= 4_000_000 && workspace.idleThreads?.isAnyIdle == true
  }

  /// Decodes the planes of a lossy picture and makes squares of `block` pixels one.
  private mutating func reduced(
    by block: Int,
    _ workspace: Workspace
  ) throws(DecodeError) -> Canvas {
    let status: VP8StatusCode
    do throws(BitmapError) {
      let planes = try PlanarPicture(size)
      config.output.colorspace = MODE_YUV
      config.output.is_external_memory = 1
      config.output.u.YUVA = WebPYUVABuffer(
        y: planes.luma.baseAddress,
        u: planes.blue.baseAddress,
        v: planes.red.baseAddress,
        a: nil,
        y_stride: CInt(planes.size.width),
        u_stride: CInt(planes.chromaWidth),
        v_stride: CInt(planes.chromaWidth),
        a_stride: 0,
        y_size: planes.luma.count,
        u_size: planes.blue.count,
        v_size: planes.red.count,
        a_size: 0
      )
      status = WebPDecode(bytes.baseAddress, bytes.count, &config)
      WebPFreeDecBuffer(&config.output)
      if status == VP8_STATUS_OK { return try planes.reduced(by: block, workspace: workspace) }
    } catch { throw .bitmap(error) }
    throw Self.error(status, bytes.count)
  }

  private mutating func scale(to reduced: PixelSize) {
    config.options.use_scaling = 1
    config.options.scaled_width = CInt(clamping: reduced.width)
    config.options.scaled_height = CInt(clamping: reduced.height)
  }

  private static func error(_ status: VP8StatusCode, _ count: Int) -> DecodeError {
    switch status {
    case VP8_STATUS_OUT_OF_MEMORY: .bitmap(.outOfMemory(bytes: 0))
    case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: .truncated(.webp, offset: count)
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      .unsupported(.webp, feature: "a feature libwebp does not know")
    default: .malformed(.webp, offset: 0, reason: "its data makes no sense")
    }
  }
}

extension Canvas {
  /// Sets every fourth byte to 255: files without loss may store any alpha and say it is unused.
  mutating func makeOpaque() {
    let (size, bytesPerRow) = (size, bytesPerRow)
    withUnsafeMutableBytes { IkranPixels.makeOpaque($0, size, bytesPerRow: bytesPerRow) }
  }
}
#endif
