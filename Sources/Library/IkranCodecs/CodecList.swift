public import IkranPixels

/// A list of codecs; the first that recognizes a file decodes it.
public struct CodecList: Sendable {
  /// JPEG, PNG, WebP, GIF, BMP, icons, cursors, QOI, PNM and the previews of raw files, and those
  /// formats whose traits are on.
  public static let standard: CodecList = {
    var list = CodecList([JPEGDecoder(), PNGDecoder()])
    #if CLibraries
    list.codecs.append(WebPDecoder())
    #endif
    list.codecs.append(GIFDecoder())
    list.codecs += [BMPDecoder(), QOIDecoder(), PNMDecoder()] as [any Codec]
    list.codecs += [IconDecoder(.ico), IconDecoder(.cur)]
    list.codecs += RawDecoder.formats.map { RawDecoder($0) }
    #if AVIF
    list.codecs.append(AVIFDecoder())
    #endif
    #if HEIC
    list.codecs += [HEICDecoder(.heic), HEICDecoder(.heif)]
    #endif
    #if JXL
    list.codecs.append(JXLDecoder())
    #endif
    #if SVG
    list.codecs.append(SVGDecoder())
    #endif
    #if TIFF
    list.codecs.append(TIFFDecoder())
    #endif
    return list
  }()

  /// The codecs in the order they are tried: append a custom one, or insert it first to replace a
  /// standard one.
  public var codecs: [any Codec]

  /// A list of the given codecs.
  public init(_ codecs: [any Codec]) {
    self.codecs = codecs
  }

  /// Reads the headers in `bytes`: a whole file or a prefix of it.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - format: Chooses the codec; nil takes the first that recognizes the bytes.
  ///   - page: The picture of the file, as ``DecodeRules/page`` chooses it.
  /// - Returns: What the headers say.
  /// - Throws: ``DecodeError`` when no codec recognizes the bytes, the prefix ends before the size,
  ///   or the headers are broken.
  public func probe(
    _ bytes: Span<UInt8>,
    as format: ImageFormat? = nil,
    page: Int = 0
  ) throws(DecodeError) -> ImageInfo {
    try codec(for: bytes, format).info(bytes, page: page)
  }

  /// Decodes the first picture in `bytes` to the pixels that `fitting` describes, upright.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - format: Chooses the codec; nil takes the first that recognizes the bytes.
  ///   - fitting: The pixels that are wanted.
  ///   - rules: Limits, colours, and whether a file may be cut off.
  ///   - workspace: Memory to reuse from picture to picture.
  /// - Returns: The picture, and what was wrong with the file all the same.
  /// - Throws: ``DecodeError``.
  public func decode(
    _ bytes: Span<UInt8>,
    as format: ImageFormat? = nil,
    fitting: Fitting = .original,
    rules: DecodeRules = DecodeRules(),
    workspace: Workspace = Workspace()
  ) throws(DecodeError) -> DecodedPicture {
    try rules.limits.check(byteCount: bytes.count)
    return try decode(
      bytes,
      with: try codec(for: bytes, format),
      fitting: fitting,
      rules: rules,
      workspace: workspace
    )
  }

  /// The frames of an animated file; nil for a still, for a file of one frame, and when not even
  /// one frame is complete.
  ///
  /// A file that is cut off or damaged after its first frame has a source for the frames before
  /// that. For the beginning of a file, ``AnimationInfo/end`` says whether more frames may arrive;
  /// make another source when more bytes have.
  ///
  /// Cost: parses the headers of all frames, and decodes nothing.
  ///
  /// - Parameters:
  ///   - bytes: The file, which the source keeps.
  ///   - format: Chooses the codec; nil takes the first that recognizes the bytes.
  ///   - isPrefix: Whether more bytes may follow. Then one complete frame is enough for a source
  ///     unless the file says that it is the only one.
  ///   - rules: The limits that the headers are held against, the colours of composed frames, and
  ///     the page.
  /// - Returns: The frames; nil for a page after the first, which does not move.
  /// - Throws: ``DecodeError`` for headers that are over the limits or broken, and for a page that
  ///   the file does not have.
  public func frames(
    of bytes: [UInt8],
    as format: ImageFormat? = nil,
    isPrefix: Bool = false,
    rules: DecodeRules = DecodeRules()
  ) throws(DecodeError) -> (any FrameSource)? {
    try rules.limits.check(byteCount: bytes.count)
    let chosen = try codec(for: bytes.span, format)
    guard rules.page == 0 else {
      _ = try chosen.info(bytes.span, page: rules.page)
      return nil
    }
    return try chosen.frames(of: bytes, isPrefix: isPrefix, rules: rules)
  }

  /// The beginning of a file that may be enough for some sizes; nil when only the whole file will
  /// do.
  package func prefix(_ bytes: Span<UInt8>, as format: ImageFormat? = nil) -> JPEGPrefix? {
    // Another codec may make other pixels of the whole.
    guard (try? codec(for: bytes, format)) is JPEGDecoder else { return nil }
    return JPEGPrefix(bytes)
  }

  /// In which order the pixels of a file that begins like this arrive; nil while that is not known.
  package func order(of bytes: Span<UInt8>, as format: ImageFormat? = nil) -> PixelOrder? {
    guard bytes.count >= 12 else { return nil }
    guard let chosen = try? codec(for: bytes, format) as? any PrefixCodec else { return .unknown }
    return chosen.order(of: bytes)
  }

  /// Decodes what is there of a file to the pixels that `fitting` describes, upright: rows that are
  /// missing are clear; nil before a first row or pass is whole, for animated PNG and WebP, and
  /// when all of a GIF's first picture is there.
  ///
  /// Cost: a decode of the bytes that are there, and a picture in full.
  ///
  /// - Throws: ``DecodeError``.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    as format: ImageFormat? = nil,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    guard bytes.count <= rules.limits.maximumBytes,
      let chosen = try codec(for: bytes, format) as? any PrefixCodec,
      rules.page == 0 || chosen is any PagedCodec
    else { return nil }
    return try chosen.decodePrefix(bytes, fitting: fitting, rules: rules, workspace: workspace)
  }

  /// Whether a file begins like an image, of a format that a codec recognizes or another known one.
  package func mayBeImage(_ bytes: Span<UInt8>) -> Bool {
    codecs.contains { $0.recognizes(bytes) } || Sniffer.verdict(on: bytes).isImage
  }

  package func codec(
    for bytes: Span<UInt8>,
    _ format: ImageFormat?
  ) throws(DecodeError) -> any Codec {
    if let format {
      for codec in codecs where codec.format == format { return codec }
      throw .unsupported(format, feature: "a codec this list does not have")
    }
    for codec in codecs where codec.recognizes(bytes) { return codec }
    switch Sniffer.verdict(on: bytes) {
    case .empty: throw .empty
    case .image(let format): throw .unsupported(format, feature: "a codec this list does not have")
    case .beginning(let format): throw .truncated(format, offset: bytes.count)
    case .other(let format): throw Self.refusal(of: format, leftOut: ImageFormat.leftOut)
    case .foreign(let name): throw .unknownFormat(hint: name)
    case .unknown: throw .unknownFormat(hint: nil)
    }
  }
}

extension CodecList {
  /// The error of a file in a format that no codec reads, which may be because of this build.
  static func refusal(of format: ImageFormat, leftOut: [ImageFormat]) -> DecodeError {
    guard leftOut.contains(format) else { return .unknownFormat(hint: format.phrase) }
    return .unknownFormat(hint: "\(format.phrase), and this build does not read \(format.title)")
  }

  /// Loads what libraries would load when they first decode, which a sandbox would not let them.
  package static func loadPlugins() {
    #if HEIC
    HEICHandle.loadPlugins()
    #endif
  }
}
