#if CLibraries
import CWebP
import IkranPixels

/// Writes animated WebP with libwebpmux, which stores the areas that change.
final class WebPFrameWriter: FrameWriter {
  private let size: PixelSize
  private var config: WebPConfig
  private let encoder: OpaquePointer
  /// When the next frame begins, in milliseconds.
  private var time: CInt = 0
  private let plays: Int?
  private var durations: [Int] = []

  /// `WebPAnimEncoderNew`; lossy of `quality` 0…100, lossless when that is nil.
  init(_ size: PixelSize, plays: Int?, quality: Int?, hasAlpha: Bool) throws(EncodeError) {
    // A level of 6, that of stills, takes three times as long as 4 and saves less than 1 %.
    config = try WebPWriter.configuration(quality: quality, losslessLevel: 4)
    var options = WebPAnimEncoderOptions()
    guard WebPAnimEncoderOptionsInitInternal(&options, WEBP_MUX_ABI_VERSION) != 0 else {
      throw WebPWriter.failure("another version of libwebpmux")
    }
    self.plays = plays.map { min($0, 0xFFFF) }
    options.anim_params.loop_count = CInt(self.plays ?? 0)
    options.anim_params.bgcolor = 0
    // Lossy frames leave out small changes: whole frames at gif2webp's distance keep these from
    // adding up. Lossless ones need none, which makes files half as large. Of lossy ones with alpha
    // every frame is whole: soft edges that stay the same would be blended over themselves.
    (options.kmin, options.kmax) = quality == nil ? (0, 0) : hasAlpha ? (0, 1) : (3, 5)
    let (width, height) = (CInt(size.width), CInt(size.height))
    let abi = WEBP_MUX_ABI_VERSION
    guard let encoder = WebPAnimEncoderNewInternal(width, height, &options, abi) else {
      throw .bitmap(.outOfMemory(bytes: 0))
    }
    self.encoder = encoder
    self.size = size
  }

  deinit { WebPAnimEncoderDelete(encoder) }

  /// `WebPAnimEncoderAdd`.
  func add(_ frame: Bitmap, duration: Int) throws(EncodeError) {
    let duration = min(duration, 0xFF_FFFF)
    let (end, isLate) = time.addingReportingOverflow(CInt(duration))
    guard !isLate else { throw WebPWriter.failure("it is longer than 24 days") }
    var picture = WebPPicture()
    guard WebPPictureInit(&picture) != 0 else {
      throw WebPWriter.failure("another version of libwebp")
    }
    defer { WebPPictureFree(&picture) }
    picture.use_argb = 1
    try WebPWriter.load(frame, into: &picture)
    guard WebPAnimEncoderAdd(encoder, &picture, time, &config) != 0 else { throw failure }
    time = end
    durations.append(duration)
  }

  /// `WebPAnimEncoderAssemble`.
  func finish() throws(EncodeError) -> [UInt8] {
    guard WebPAnimEncoderAdd(encoder, nil, time, nil) != 0 else { throw failure }
    var data = WebPData()
    defer { WebPFree(UnsafeMutableRawPointer(mutating: data.bytes)) }
    guard WebPAnimEncoderAssemble(encoder, &data) != 0 else { throw failure }
    let file = [UInt8](UnsafeBufferPointer(start: data.bytes, count: data.size))
    let splitter = WebPFrameSplitter(file, size, plays: plays)
    return splitter.count == durations.count ? file : try splitter.split(durations)
  }

  private var failure: EncodeError {
    WebPWriter.failure(
      WebPAnimEncoderGetError(encoder).map { String(cString: $0) } ?? "libwebpmux failed"
    )
  }
}
#endif
