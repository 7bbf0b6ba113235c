#if JXL
import CJXL
import IkranPixels

/// Writes one file with libjxl.
final class JXLWriterHandle {
  private let canvas: JXLCanvas
  private let encoder: OpaquePointer
  /// What the encoder has.
  private let settings: OpaquePointer
  private var file: [UInt8] = []

  /// `JxlEncoderCreate`, and what comes before frames.
  init(_ canvas: JXLCanvas, _ wanted: JXLSettings) throws(EncodeError) {
    guard let encoder = JxlEncoderCreate(nil) else { throw .bitmap(.outOfMemory(bytes: 0)) }
    guard let settings = JxlEncoderFrameSettingsCreate(encoder, nil) else {
      JxlEncoderDestroy(encoder)
      throw .bitmap(.outOfMemory(bytes: 0))
    }
    (self.canvas, self.encoder, self.settings) = (canvas, encoder, settings)
    try check(begin(isLossless: wanted.quality == nil), "its header cannot be written")
    try check(setColors(), "its colour profile cannot be used")
    JxlEncoderFrameSettingsSetOption(
      settings,
      JXL_ENC_FRAME_SETTING_EFFORT,
      Int64(wanted.effort)
    )
    if wanted.quality == nil {
      try check(JxlEncoderSetFrameLossless(settings, 1), "it cannot be without loss")
    } else {
      try check(JxlEncoderSetFrameDistance(settings, wanted.distance), "no such quality")
    }
  }

  deinit { JxlEncoderDestroy(encoder) }

  /// Adds a picture of red, green, blue and alpha.
  ///
  /// - Parameters:
  ///   - pixels: The samples, rows without padding.
  ///   - duration: Milliseconds; nil for a still.
  /// - Throws: ``EncodeError``.
  func add(_ pixels: [UInt8], duration: Int?) throws(EncodeError) {
    if let duration {
      var header = JxlFrameHeader()
      JxlEncoderInitFrameHeader(&header)
      header.duration = UInt32(clamping: duration)
      try check(JxlEncoderSetFrameHeader(settings, &header), "a frame's header cannot be written")
    }
    let channels = canvas.hasAlpha ? 4 : 3
    let samples = canvas.hasAlpha ? pixels : Self.withoutAlpha(pixels)
    var format = JxlPixelFormat(
      num_channels: UInt32(channels),
      data_type: JXL_TYPE_UINT8,
      endianness: JXL_NATIVE_ENDIAN,
      align: 0
    )
    let status = samples.withUnsafeBytes {
      JxlEncoderAddImageFrame(settings, &format, $0.baseAddress, $0.count)
    }
    try check(status, "a picture cannot be written")
  }

  /// Writes the pictures that were added; more must follow.
  func drain() throws(EncodeError) {
    while true {
      var status = JXL_ENC_SUCCESS
      let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        var next = buffer.baseAddress
        var room = buffer.count
        status = JxlEncoderProcessOutput(encoder, &next, &room)
        count = buffer.count - room
      }
      file += piece
      if status == JXL_ENC_SUCCESS { return }
      guard status == JXL_ENC_NEED_MORE_OUTPUT else {
        throw .failed(.jpegXL, reason: "libjxl error \(JxlEncoderGetError(encoder).rawValue)")
      }
    }
  }

  /// Ends the file after the last picture.
  func finish() throws(EncodeError) -> [UInt8] {
    JxlEncoderCloseInput(encoder)
    try drain()
    return file
  }

  // MARK: - Headers

  private func begin(isLossless: Bool) -> JxlEncoderStatus {
    var facts = JxlBasicInfo()
    JxlEncoderInitBasicInfo(&facts)
    facts.xsize = UInt32(clamping: canvas.size.width)
    facts.ysize = UInt32(clamping: canvas.size.height)
    facts.bits_per_sample = 8
    facts.uses_original_profile = isLossless ? 1 : 0
    if canvas.hasAlpha {
      facts.num_extra_channels = 1
      facts.alpha_bits = 8
    }
    if let plays = canvas.plays {
      facts.have_animation = 1
      facts.animation.tps_numerator = 1000
      facts.animation.tps_denominator = 1
      facts.animation.num_loops = UInt32(clamping: plays)
    }
    return JxlEncoderSetBasicInfo(encoder, &facts)
  }

  private func setColors() -> JxlEncoderStatus {
    if let profile = canvas.profile {
      return profile.withUnsafeBufferPointer {
        JxlEncoderSetICCProfile(encoder, $0.baseAddress, $0.count)
      }
    }
    var colors = JxlColorEncoding()
    JxlColorEncodingSetToSRGB(&colors, 0)
    return JxlEncoderSetColorEncoding(encoder, &colors)
  }

  private func check(_ status: JxlEncoderStatus, _ reason: String) throws(EncodeError) {
    guard status == JXL_ENC_SUCCESS else { throw .failed(.jpegXL, reason: reason) }
  }

  private static func withoutAlpha(_ pixels: [UInt8]) -> [UInt8] {
    let count = pixels.count / 4
    return [UInt8](unsafeUninitializedCapacity: count * 3) { colors, filled in
      for pixel in 0..<count {
        colors[pixel * 3] = pixels[pixel * 4]
        colors[pixel * 3 + 1] = pixels[pixel * 4 + 1]
        colors[pixel * 3 + 2] = pixels[pixel * 4 + 2]
      }
      filled = count * 3
    }
  }
}
#endif
