#if AVIF
import CAVIF
import IkranPixels

/// One file that libavif reads: an `avifDecoder`.
struct AVIFHandle: ~Copyable {
  private let decoder: UnsafeMutablePointer<avifDecoder>
  /// A copy of the file; nil where the caller holds it.
  private let copy: UnsafeMutableRawBufferPointer?
  private let header: AVIFHeader
  private let byteCount: Int

  deinit {
    avifDecoderDestroy(decoder)
    copy?.deallocate()
  }

  private init(
    _ decoder: UnsafeMutablePointer<avifDecoder>,
    copy: UnsafeMutableRawBufferPointer?,
    _ header: AVIFHeader,
    byteCount: Int
  ) {
    self.decoder = decoder
    self.copy = copy
    self.header = header
    self.byteCount = byteCount
  }

  /// `avifDecoderParse`; the bytes must outlive the handle.
  static func open(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ header: AVIFHeader,
    limits: DecodeLimits
  ) throws(DecodeError) -> AVIFHandle {
    guard let decoder = avifDecoderCreate() else { throw .bitmap(.outOfMemory(bytes: 0)) }
    let handle = AVIFHandle(decoder, copy: nil, header, byteCount: bytes.count)
    try handle.parse(bytes, limits)
    return handle
  }

  /// `avifDecoderParse` of a copy of the bytes.
  static func open(
    copying bytes: [UInt8],
    _ header: AVIFHeader,
    limits: DecodeLimits
  ) throws(DecodeError) -> AVIFHandle {
    guard let decoder = avifDecoderCreate() else { throw .bitmap(.outOfMemory(bytes: 0)) }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    copy.copyBytes(from: bytes)
    let handle = AVIFHandle(decoder, copy: copy, header, byteCount: bytes.count)
    try handle.parse(UnsafeBufferPointer(copy.bindMemory(to: UInt8.self)), limits)
    return handle
  }

  private func parse(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ limits: DecodeLimits
  ) throws(DecodeError) {
    guard let source = avifIOCreateMemoryReader(bytes.baseAddress, bytes.count) else {
      throw .bitmap(.outOfMemory(bytes: 0))
    }
    if header.isTrack {
      // Of a file that is cut off, the pictures that are there are shown.
      source.pointee.sizeHint = UInt64(max(limits.maximumBytes, bytes.count))
    }
    avifDecoderSetIO(decoder, source)
    configure(limits)
    try check(avifDecoderParse(decoder))
    guard size == header.coded.size else {
      throw .malformed(.avif, offset: 0, reason: "its sizes contradict each other")
    }
  }

  private func configure(_ limits: DecodeLimits) {
    decoder.pointee.maxThreads = 1
    decoder.pointee.ignoreExif = 1
    decoder.pointee.ignoreXMP = 1
    decoder.pointee.strictFlags = avifStrictFlags(AVIF_STRICT_DISABLED.rawValue)
    // What is coded may differ from what the boxes say: a cell of a grid may be larger than it.
    let most = min(limits.maximumPixels, Int(AVIF_DEFAULT_IMAGE_SIZE_LIMIT))
    let likely = max((header.coded.size.pixelCount ?? most).multipliedClamping(by: 4), 1 << 22)
    decoder.pointee.imageSizeLimit = UInt32(clamping: max(1, min(most, likely)))
    decoder.pointee.imageDimensionLimit = UInt32(clamping: max(1, limits.maximumDimension))
    decoder.pointee.imageCountLimit = UInt32(clamping: max(1, limits.maximumFrames))
    _ = avifDecoderSetSource(
      decoder,
      header.isTrack ? AVIF_DECODER_SOURCE_TRACKS : AVIF_DECODER_SOURCE_PRIMARY_ITEM
    )
  }

  /// Width and height before the picture is turned.
  var size: PixelSize {
    guard let image = decoder.pointee.image else { return PixelSize(width: 0, height: 0) }
    return PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
  }

  // MARK: - Colours

  /// An ICC profile, else the code points of the boxes or of the coded picture.
  var colors: FileColors {
    var colors = FileColors()
    guard let image = decoder.pointee.image else { return colors }
    let icc = UnsafeBufferPointer(start: image.pointee.icc.data, count: image.pointee.icc.size)
    if !icc.isEmpty {
      // As many as tell that they are too many.
      let bytes = [UInt8](icc.prefix(ColorSource.largestProfile + 1))
      // Profiles of grays describe pictures without chroma, others its pixels.
      let isGray = image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
      colors.model = isGray && bytes.span.has("GRAY", at: 16) ? .gray : .rgb
      colors.sources = [.icc(bytes)]
    } else {
      let named = ColorSource(
        primaries: Int(image.pointee.colorPrimaries),
        transfer: Int(image.pointee.transferCharacteristics)
      )
      colors.sources = named.map { [$0] } ?? []
    }
    return colors
  }

  // MARK: - Frames

  /// The number of pictures.
  var count: Int { Int(decoder.pointee.imageCount) }

  /// `avifDecoderIsKeyframe`.
  func isKey(_ frame: Int) -> Bool {
    avifDecoderIsKeyframe(decoder, UInt32(clamping: frame)) != 0
  }

  /// `avifDecoderNthImageMaxExtent`: whether all bytes of a picture are there, and of those that it
  /// needs.
  func isThere(_ frame: Int) -> Bool {
    var extent = avifExtent()
    guard avifDecoderNthImageMaxExtent(decoder, UInt32(clamping: frame), &extent) == AVIF_RESULT_OK
    else { return false }
    let (end, overflow) = extent.offset.addingReportingOverflow(UInt64(extent.size))
    return !overflow && end <= UInt64(byteCount)
  }

  /// `avifDecoderNthImage`; pictures that it needs are decoded before it.
  func decode(_ frame: Int) throws(DecodeError) {
    try check(avifDecoderNthImage(decoder, UInt32(clamping: frame)))
    guard size == header.coded.size else {
      throw .malformed(.avif, offset: 0, reason: "its sizes contradict each other")
    }
  }

  /// What becomes of the colours; all bits of the samples tell light apart that is brighter than
  /// white.
  func colorPlan(_ handling: ColorHandling, workspace: Workspace) -> ColorPlan {
    let colors = colors
    let isDeep = (decoder.pointee.image?.pointee.depth ?? 8) > 8 && colors.isBright
    return ColorPlan(colors, handling: handling, workspace: workspace, isDeep: isDeep)
  }

  /// The first picture, cropped and scaled as `plan` says, in stored orientation.
  static func renderFirst(
    _ bytes: Span<UInt8>,
    _ header: AVIFHeader,
    plan: RenderPlan,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> (Bitmap, ColorPlan) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let handle = try AVIFHandle.open(buffer, header, limits: rules.limits)
      try handle.decode(0)
      let colors = handle.colorPlan(rules.colors, workspace: workspace)
      return (try handle.render(plan, levels: colors.levels, workspace: workspace), colors)
    }
  }

  /// The decoded picture, cropped and scaled as `plan` says, in stored orientation.
  ///
  /// - Parameters:
  ///   - plan: The part and the size.
  ///   - levels: What samples of 16 bits become; nil for those of 8.
  ///   - workspace: Working memory.
  /// - Returns: The pixels.
  /// - Throws: ``DecodeError``.
  func render(
    _ plan: RenderPlan,
    levels: SampleLevels?,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    guard let image = decoder.pointee.image else { throw .bitmap(.outOfMemory(bytes: 0)) }
    let (hasAlpha, isStraight) = (header.info.hasAlpha, plan.keepsStraightColors)
    guard let part = header.part else {
      let planes = AVIFPlanes(image, hasAlpha: hasAlpha, isStraight: isStraight, levels: levels)
      return try planes.render(plan, workspace: workspace)
    }
    return try AVIFViewHandle().withPart(part, of: image) { (part) throws(DecodeError) in
      let planes = AVIFPlanes(part, hasAlpha: hasAlpha, isStraight: isStraight, levels: levels)
      return try planes.render(plan, workspace: workspace)
    }
  }

  // MARK: - Errors

  private func check(_ result: avifResult) throws(DecodeError) {
    guard result != AVIF_RESULT_OK else { return }
    switch result {
    case AVIF_RESULT_TRUNCATED_DATA, AVIF_RESULT_IO_ERROR, AVIF_RESULT_WAITING_ON_IO:
      throw .truncated(.avif, offset: byteCount)
    case AVIF_RESULT_OUT_OF_MEMORY: throw .bitmap(.outOfMemory(bytes: 0))
    case AVIF_RESULT_NOT_IMPLEMENTED, AVIF_RESULT_NO_CODEC_AVAILABLE,
      AVIF_RESULT_UNSUPPORTED_DEPTH:
      throw .unsupported(.avif, feature: "a feature libavif does not know")
    default:
      let text = reason(result)
      // What lies after the end of the file.
      if text.hasPrefix("Exceeded avifIO's sizeHint") {
        throw .truncated(.avif, offset: byteCount)
      }
      throw .malformed(.avif, offset: 0, reason: text)
    }
  }

  private func reason(_ result: avifResult) -> String {
    let text = withUnsafeBytes(of: decoder.pointee.diag.error) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return text.isEmpty ? String(cString: avifResultToString(result)) : text
  }
}

extension Int {
  fileprivate func multipliedClamping(by factor: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? .max : product
  }
}
#endif
