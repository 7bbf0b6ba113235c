#if JXL
import CJXL
import IkranPixels

/// A decoder of libjxl, which reads one file from its beginning to its end.
///
/// It composes frames itself, and leaves the picture as it is stored, not turned upright. libjxl
/// 0.7 takes the memory of pictures past its memory manager, so headers are held against the
/// limits before.
struct JXLHandle: ~Copyable {
  /// Where a decoder stops.
  enum Event {
    case information
    case colors
    case frame
    /// It needs memory for a picture.
    case output
    /// The mean of each square of eight pixels per side is there.
    case means
    case picture
    case end
    /// The bytes end.
    case cut
    case damage
  }

  private let decoder: OpaquePointer
  private var position = 0
  /// Bytes that the decoder has left of those that it was lent last.
  private(set) var unread = 0

  /// Prepares to read a file.
  ///
  /// - Parameters:
  ///   - decodes: Whether pictures are wanted, not only headers.
  ///   - stopsAtMeans: Whether it stops when it could show means.
  /// - Throws: ``DecodeError/bitmap(_:)`` without memory.
  init(decodes: Bool, stopsAtMeans: Bool = false) throws(DecodeError) {
    guard let decoder = JxlDecoderCreate(nil) else { throw .bitmap(.outOfMemory(bytes: 0)) }
    self.decoder = decoder
    var events = JXL_DEC_BASIC_INFO.rawValue | JXL_DEC_COLOR_ENCODING.rawValue
    events |= JXL_DEC_FRAME.rawValue
    if decodes { events |= JXL_DEC_FULL_IMAGE.rawValue }
    if stopsAtMeans { events |= JXL_DEC_FRAME_PROGRESSION.rawValue }
    JxlDecoderSubscribeEvents(decoder, CInt(events))
    JxlDecoderSetKeepOrientation(decoder, 1)
    if stopsAtMeans { JxlDecoderSetProgressiveDetail(decoder, kDC) }
  }

  deinit { JxlDecoderDestroy(decoder) }

  /// Lends the decoder the rest of its file while `body` runs, which asks for events.
  mutating func read<R>(
    _ file: Span<UInt8>,
    _ body: (borrowing JXLHandle) throws(DecodeError) -> R
  ) throws(DecodeError) -> R {
    let rest = file.extracting(min(position, file.count)..<file.count)
    let (count, decoder) = (rest.count, decoder)
    var left = count
    let result = try rest.withUnsafeBufferPointer { (bytes) throws(DecodeError) in
      JxlDecoderSetInput(decoder, bytes.baseAddress, bytes.count)
      defer { left = JxlDecoderReleaseInput(decoder) }
      return try body(self)
    }
    position += count - left
    unread = left
    return result
  }

  /// Runs until something is there.
  func next() -> Event {
    switch JxlDecoderProcessInput(decoder) {
    case JXL_DEC_BASIC_INFO: .information
    case JXL_DEC_COLOR_ENCODING: .colors
    case JXL_DEC_FRAME: .frame
    case JXL_DEC_NEED_IMAGE_OUT_BUFFER: .output
    case JXL_DEC_FRAME_PROGRESSION: .means
    case JXL_DEC_FULL_IMAGE: .picture
    case JXL_DEC_SUCCESS: .end
    case JXL_DEC_NEED_MORE_INPUT: .cut
    default: .damage
    }
  }

  /// Leaves out frames from the next one on, which others may need all the same.
  func skip(_ frames: Int) {
    if frames > 0 { JxlDecoderSkipFrames(decoder, frames) }
  }

  /// Leaves out the data of the frame whose memory was asked for, after ``Event/output``.
  func skipData() { JxlDecoderSkipCurrentFrame(decoder) }

  // MARK: - Headers

  /// What the header says, after ``Event/information``.
  func information() throws(DecodeError) -> JXLInformation {
    var facts = JxlBasicInfo()
    guard JxlDecoderGetBasicInfo(decoder, &facts) == JXL_DEC_SUCCESS else {
      throw .malformed(.jpegXL, offset: 0, reason: "its header makes no sense")
    }
    let rate = Double(facts.animation.tps_numerator)
    return JXLInformation(
      size: PixelSize(width: Int(facts.xsize), height: Int(facts.ysize)),
      orientation: Int(facts.orientation.rawValue),
      bits: Int(facts.bits_per_sample),
      isGray: facts.num_color_channels == 1,
      hasAlpha: facts.alpha_bits > 0,
      isPremultiplied: facts.alpha_bits > 0 && facts.alpha_premultiplied != 0,
      extraChannels: Int(facts.num_extra_channels) - (facts.alpha_bits > 0 ? 1 : 0),
      isAnimation: facts.have_animation != 0,
      tick: rate > 0 ? 1000 * Double(facts.animation.tps_denominator) / rate : 0,
      plays: Int(facts.animation.num_loops)
    )
  }

  /// The ticks of the frame that follows, after ``Event/frame``.
  func ticks() -> Int? {
    var header = JxlFrameHeader()
    guard JxlDecoderGetFrameHeader(decoder, &header) == JXL_DEC_SUCCESS else { return nil }
    return Int(header.duration)
  }

  /// What the samples that come out stand for, after ``Event/colors``; asks for sRGB where libjxl
  /// can convert, and for the file's own colours where they are of high dynamic range, whose bright
  /// light it would cut off.
  ///
  /// - Returns: The colours, and whether the file has an ICC profile.
  func colors(isGray: Bool) -> (colors: FileColors, hasProfile: Bool) {
    let original = encoding(JXL_COLOR_PROFILE_TARGET_ORIGINAL)
    var wanted = JxlColorEncoding()
    JxlColorEncodingSetToSRGB(&wanted, isGray ? 1 : 0)
    if let original, original.isBright { wanted = original }
    // An error where samples come out in the colours of the file.
    JxlDecoderSetPreferredColorProfile(decoder, &wanted)
    var colors = FileColors()
    colors.model = isGray ? .gray : .rgb
    if let data = encoding(JXL_COLOR_PROFILE_TARGET_DATA) {
      if data.isSRGB { return (colors, original == nil) }
      if let source = data.source { colors.sources.append(source) }
    }
    if let bytes = profile() { colors.sources.append(.icc(bytes)) }
    return (colors, original == nil)
  }

  private func encoding(_ target: JxlColorProfileTarget) -> JxlColorEncoding? {
    var encoding = JxlColorEncoding()
    return ikran_jxl_encoding(decoder, target, &encoding) == JXL_DEC_SUCCESS ? encoding : nil
  }

  private func profile() -> [UInt8]? {
    var count = 0
    let target = JXL_COLOR_PROFILE_TARGET_DATA
    guard ikran_jxl_profile_size(decoder, target, &count) == JXL_DEC_SUCCESS, count > 0,
      count <= ColorSource.largestProfile
    else { return nil }
    var profile = [UInt8](repeating: 0, count: count)
    let status = profile.withUnsafeMutableBufferPointer {
      ikran_jxl_profile(decoder, target, $0.baseAddress, $0.count)
    }
    return status == JXL_DEC_SUCCESS ? profile : nil
  }

  // MARK: - Pixels

  /// Four bytes for a pixel, in rows of the length that canvases have.
  private static var format: JxlPixelFormat {
    JxlPixelFormat(
      num_channels: 4,
      data_type: JXL_TYPE_UINT8,
      endianness: JXL_NATIVE_ENDIAN,
      align: 64
    )
  }

  /// Has the picture written to memory, after ``Event/output``: red, green, blue, alpha, or what
  /// the output's levels make of samples of 16 bits.
  ///
  /// The output must live, and its memory stay where it is, until the decoder ends or gets other.
  func write(to output: JXLOutput) throws(DecodeError) {
    guard output.levels == nil ? hasBytesWritten(to: output) : hasSamplesTaken(by: output) else {
      throw .malformed(.jpegXL, offset: 0, reason: "its sizes contradict each other")
    }
  }

  private func hasBytesWritten(to output: JXLOutput) -> Bool {
    var (format, count) = (Self.format, 0)
    let pixels = output.pixels
    return JxlDecoderImageOutBufferSize(decoder, &format, &count) == JXL_DEC_SUCCESS
      && count <= pixels.count
      && JxlDecoderSetImageOutBuffer(decoder, &format, pixels.baseAddress, pixels.count)
        == JXL_DEC_SUCCESS
  }

  private func hasSamplesTaken(by output: JXLOutput) -> Bool {
    var format = JxlPixelFormat(
      num_channels: 4,
      data_type: JXL_TYPE_UINT16,
      endianness: JXL_BIG_ENDIAN,
      align: 0
    )
    let status = JxlDecoderSetImageOutCallback(
      decoder,
      &format,
      { output, x, y, count, samples in
        guard let output, let samples else { return }
        Unmanaged<JXLOutput>.fromOpaque(output).takeUnretainedValue()
          .take(samples, count: count, x: x, y: y)
      },
      Unmanaged.passUnretained(output).toOpaque()
    )
    return status == JXL_DEC_SUCCESS
  }

  /// Writes what is there of the picture; false when that is nothing.
  func flush() -> Bool { JxlDecoderFlushImage(decoder) == JXL_DEC_SUCCESS }
}

extension JxlColorEncoding {
  fileprivate var isSRGB: Bool {
    let isGray = color_space == JXL_COLOR_SPACE_GRAY
    return (isGray || color_space == JXL_COLOR_SPACE_RGB && primaries == JXL_PRIMARIES_SRGB)
      && white_point == JXL_WHITE_POINT_D65 && transfer_function == JXL_TRANSFER_FUNCTION_SRGB
  }

  /// Whether its light is brighter than white: PQ and HLG.
  fileprivate var isBright: Bool {
    transfer_function == JXL_TRANSFER_FUNCTION_PQ || transfer_function == JXL_TRANSFER_FUNCTION_HLG
  }

  /// Its colours in code points of ITU-T H.273, from which libjxl has its numbers; nil for others.
  fileprivate var source: ColorSource? {
    // Grays of any primaries are the same; those of other curves have a profile.
    let isBrightGray = color_space == JXL_COLOR_SPACE_GRAY && isBright
    let isDisplayP3 = primaries == JXL_PRIMARIES_P3 && white_point == JXL_WHITE_POINT_D65
    guard isBrightGray || color_space == JXL_COLOR_SPACE_RGB, white_point == JXL_WHITE_POINT_D65,
      // As libjxl numbers them, but that H.273 has P3 with the white of cinemas as 11.
      let primaries = isBrightGray ? 1 : isDisplayP3 ? 12 : UInt8(exactly: primaries.rawValue),
      primaries != 2,
      let transfer = UInt8(exactly: transfer_function.rawValue), transfer != 2
    else { return nil }
    return .cicp(primaries: primaries, transfer: transfer, matrix: 0, isFullRange: true)
  }
}
#endif
