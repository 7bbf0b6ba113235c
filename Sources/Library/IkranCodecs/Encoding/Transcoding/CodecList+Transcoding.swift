public import IkranPixels

extension CodecList {
  /// The first picture in a file as the bytes of another file.
  ///
  /// A bitmap is premultiplied: the colours of translucent pixels are rounded, those of clear ones
  /// are lost. Here pixels that are not resized keep the colours that a PNG or WebP file stores, if
  /// the encoding stores them: all of the file, a region or a crop in its own pixels. The rows of a
  /// PNG file that become PNG or JPEG do not wait for each other: they take a few megabytes and the
  /// file that is written.
  ///
  /// Everything else is decoded and encoded, as by ``decode(_:as:fitting:rules:workspace:)`` and
  /// `Bitmap.encoded(as:)`. What was ignored of the file is not said, so a file that is cut off is
  /// an error, whatever the rules say.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - encoding: The format to write.
  ///   - fitting: The pixels that are wanted.
  ///   - rules: Which files are refused, and what becomes of their colours.
  ///   - workspace: Memory to reuse from picture to picture.
  /// - Returns: The file, upright.
  /// - Throws: ``TranscodeError``.
  public func transcode(
    _ bytes: Span<UInt8>,
    as encoding: ImageEncoding,
    fitting: Fitting = .original,
    rules: DecodeRules = DecodeRules(),
    workspace: Workspace = Workspace()
  ) throws(TranscodeError) -> [UInt8] {
    do throws(EncodeError) {
      let stored = StoredPixels(bytes, fitting, rules: rules, workspace: workspace, codecs: self)
      if let file = try stored?.piped(bytes, as: encoding, workspace) { return file }
      if let picture = stored?.picture(bytes, workspace),
        let file = try picture.encoded(as: encoding)
      {
        return file
      }
    } catch { throw .encode(error) }
    let bitmap: Bitmap
    var rules = rules
    rules.acceptsCutFiles = false
    do throws(DecodeError) {
      bitmap = try decode(bytes, fitting: fitting, rules: rules, workspace: workspace).bitmap
    } catch { throw .decode(error) }
    do throws(EncodeError) { return try bitmap.encoded(as: encoding) } catch {
      throw .encode(error)
    }
  }

  /// Red, green, blue and straight alpha of the first picture in a file, eight bits each, rows
  /// without padding, with the colours that the file stores where nothing is resized.
  ///
  /// - Throws: ``DecodeError``.
  package func straightRGBA(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> [UInt8] {
    do throws(BitmapError) {
      let stored = StoredPixels(bytes, fitting, rules: rules, workspace: workspace, codecs: self)
      if let picture = stored?.picture(bytes, workspace) { return try picture.rgba() }
    } catch { throw .bitmap(error) }
    let picture = try decode(bytes, fitting: fitting, rules: rules, workspace: workspace)
    do throws(BitmapError) { return try picture.bitmap.straightRGBA() } catch {
      throw .bitmap(error)
    }
  }
}

/// The pixels of a still PNG or WebP file of which each becomes one of the result, in the colours
/// that are stored.
private struct StoredPixels {
  private let info: ImageInfo
  private let codec: any Codec
  private var plan: RenderPlan
  private let cut: PixelRectangle

  /// Nil for what is resized, animated, refused or in colours that are converted: the usual way
  /// decodes it, or says why not.
  init?(
    _ bytes: Span<UInt8>,
    _ fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace,
    codecs: CodecList
  ) {
    guard bytes.count <= rules.limits.maximumBytes, rules.page == 0,
      let codec = try? codecs.codec(for: bytes, nil), Self.keepsStraight(codec),
      let info = try? codec.probe(bytes), !info.isAnimated, info.loops == nil,
      let plan = try? info.plan(fitting), let cut = plan.cut,
      (try? rules.limits.check(info, byteCount: bytes.count)) != nil,
      Self.isPlain(bytes, codec, rules: rules, workspace: workspace)
    else { return nil }
    (self.info, self.codec, self.plan, self.cut) = (info, codec, plan, cut)
    self.plan.keepsStraightColors = true
  }

  /// The rows of a PNG file, written as they come; nil where that cannot be, and for a file with
  /// damage.
  func piped(
    _ bytes: Span<UInt8>,
    as encoding: ImageEncoding,
    _ workspace: Workspace
  ) throws(EncodeError) -> [UInt8]? {
    // Interlaced rows are complete only at the end, and those of a turned picture are columns.
    guard codec is PNGDecoder, info.orientation == .up, bytes.byte(at: 28) == 0 else { return nil }
    let colors: RowColors = info.hasAlpha ? .straight : .opaque
    let writer: any RowWriter
    switch encoding {
    case .png: writer = try PNGWriterHandle(cut.size, colors)
    case .jpeg(let quality): writer = try JPEGWriterHandle(cut.size, colors, quality: quality)
    case .bmp: writer = try BMPWriterHandle(cut.size, colors)
    case .webp, .webpLossless, .gif, .avif, .jpegXL, .jpegXLLossless: return nil
    }
    if try deliver(
      to: writer,
      { (sink) throws(DecodeError) in
        try PNGRowDecoder.deliver(bytes, info, to: &sink, workspace: workspace)
      }
    ) {
      return try writer.finish()
    }
    try writer.begin()
    let isDone = try deliver(to: writer) { (sink) throws(DecodeError) in
      try PNGHandle.deliver(bytes, info, to: &sink)
      return true
    }
    return isDone ? try writer.finish() : nil
  }

  /// Whether `decode` has delivered all rows.
  private func deliver(
    to writer: any RowWriter,
    _ decode: (inout WriterSink) throws(DecodeError) -> Bool
  ) throws(EncodeError) -> Bool {
    guard var sink = try? WriterSink(cut, rows: info.size, writer) else { return false }
    // A file that cannot be decoded is decoded again, in the usual way, which says why not.
    let isDone = (try? decode(&sink)) ?? false
    if let failure = sink.failure { throw failure }
    return isDone
  }

  /// The pixels of a file that has alpha, turned upright; nil for one without, and for damage.
  func picture(_ bytes: Span<UInt8>, _ workspace: Workspace) -> StraightPicture? {
    guard info.hasAlpha, let stored = try? rendered(bytes, workspace),
      let upright = try? stored.upright(info.orientation)
    else { return nil }
    return StraightPicture(upright)
  }

  private func rendered(
    _ bytes: Span<UInt8>,
    _ workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    #if CLibraries
    if codec is WebPDecoder {
      let header = try WebPHeader(bytes)
      let reduction = WebPReduction(plan, header, mostPixels: .max)
      return try WebPHandle.render(bytes, plan, header, reduction, workspace: workspace)
    }
    #endif
    if let fast = PNGRowDecoder.render(bytes, plan, info, workspace: workspace) { return fast }
    return try PNGHandle.render(bytes, plan, of: info, workspace: workspace)
  }

  /// Whether a codec can leave colours apart from their alpha.
  private static func keepsStraight(_ codec: any Codec) -> Bool {
    #if CLibraries
    if codec is WebPDecoder { return true }
    #endif
    return codec is PNGDecoder
  }

  /// Whether pixels are shown as they are stored: neither in other colours nor instead of an
  /// animation's.
  private static func isPlain(
    _ bytes: Span<UInt8>,
    _ codec: any Codec,
    rules: DecodeRules,
    workspace: Workspace
  ) -> Bool {
    let colors =
      if codec is PNGDecoder { PNGColors.read(bytes) } else {
        (try? WebPHeader(bytes))?.colors(bytes) ?? FileColors()
      }
    let plan = ColorPlan(colors, handling: rules.colors, workspace: workspace)
    // A profile travels with a bitmap only.
    guard plan.conversion == nil, plan.profile == nil else { return false }
    return !(codec is PNGDecoder && hasAnimation(bytes))
  }

  private static func hasAnimation(_ bytes: Span<UInt8>) -> Bool {
    var offset = 8
    while let chunk = PNGChunk(bytes, at: offset), !chunk.has("IDAT", in: bytes) {
      if chunk.has("acTL", in: bytes) { return true }
      offset = chunk.end
    }
    return false
  }
}
