import IkranPixels

/// How JPEG XL is written.
struct JXLSettings: Sendable {
  /// 0…100; nil without loss.
  let quality: Int?
  /// 1…9: more takes longer and makes smaller files.
  let effort: Int

  init(quality: Int? = nil, effort: Int) {
    self.quality = quality.map { min(max($0, 0), 100) }
    self.effort = min(max(effort, 1), 9)
  }

  /// The settings of an encoding as JPEG XL.
  init(_ encoding: ImageEncoding) {
    switch encoding {
    case .jpegXL(let quality, let effort): self.init(quality: quality, effort: effort)
    case .jpegXLLossless(let effort): self.init(effort: effort)
    case .png, .jpeg, .webp, .webpLossless, .gif, .avif, .bmp: self.init(effort: 5)
    }
  }

  /// The distance from the picture that is allowed, in units of what can just be seen; as in cjxl,
  /// about that of JPEG.
  var distance: Float {
    guard let quality else { return 0 }
    if quality >= 30 { return 0.1 + Float(100 - quality) * 0.09 }
    // 2.5 to the power of a fifth of what 30 has more.
    var power: Float = 1
    for _ in quality..<30 { power *= 1.201_124_4 }
    return min(15, 6.4 + power / 6.25)
  }
}

/// Writes JPEG XL where its trait is on.
enum JXLWriter {
  /// The file of a still, with the profile of the bitmap if it has one.
  static func encode(_ bitmap: Bitmap, _ settings: JXLSettings) throws(EncodeError) -> [UInt8] {
    let pixels: [UInt8]
    do throws(BitmapError) { pixels = try bitmap.straightRGBA() } catch { throw .bitmap(error) }
    let profile = bitmap.format == .gray ? nil : bitmap.profile?.bytes
    return try encode(
      pixels,
      JXLCanvas(size: bitmap.size, hasAlpha: bitmap.format.hasAlpha, profile: profile),
      settings: settings
    )
  }

  /// The file of a still of red, green, blue and straight alpha.
  static func encode(
    _ pixels: [UInt8],
    _ canvas: JXLCanvas,
    settings: JXLSettings
  ) throws(EncodeError) -> [UInt8] {
    #if JXL
    let writer = try JXLWriterHandle(canvas, settings)
    try writer.add(pixels, duration: nil)
    return try writer.finish()
    #else
    throw isOff
    #endif
  }

  /// A writer of frames.
  static func frames(
    _ canvas: JXLCanvas,
    _ settings: JXLSettings
  ) throws(EncodeError) -> any FrameWriter {
    #if JXL
    return JXLFrameWriter(try JXLWriterHandle(canvas, settings))
    #else
    throw isOff
    #endif
  }

  #if !JXL
  private static var isOff: EncodeError {
    .failed(.jpegXL, reason: "this build does not write it, for its trait JXL is off")
  }
  #endif
}

/// What pictures of a file have in common.
struct JXLCanvas: Sendable {
  var size: PixelSize
  var hasAlpha: Bool
  /// An ICC profile of its colours; nil for sRGB.
  var profile: [UInt8]?
  /// How often an animation plays, 0 = forever; nil for a still.
  var plays: Int?
}

#if JXL
/// Writes frames, each as soon as it is known not to be the last.
final class JXLFrameWriter: FrameWriter {
  private let writer: JXLWriterHandle
  private var last: (pixels: [UInt8], duration: Int)?

  init(_ writer: JXLWriterHandle) { self.writer = writer }

  func add(_ frame: Bitmap, duration: Int) throws(EncodeError) {
    if let last { try writer.add(last.pixels, duration: last.duration) }
    do throws(BitmapError) {
      last = (try frame.straightRGBA(), duration)
    } catch { throw .bitmap(error) }
    try writer.drain()
  }

  func finish() throws(EncodeError) -> [UInt8] {
    if let last { try writer.add(last.pixels, duration: last.duration) }
    return try writer.finish()
  }
}
#endif
