import Foundation
public import IkranCodecs
public import IkranPixels
import ImageIO

// Decision 98: what ImageIO decodes, and what it is asked for.
/// Decodes files of one type by the system's ImageIO: HEIC, AVIF, raw files and whatever else it
/// lists.
///
/// ImageIO recognizes the files itself. They are held against the limits before anything is
/// decoded. Pictures of high dynamic range are mapped to the standard range, as a
/// ``/IkranPixels/Bitmap`` has eight bits for each channel: what is brighter than white is lost.
public struct ImageIOCodec: PagedCodec {
  /// The format whose files this codec reads; for a type that Ikran does not know it has the name
  /// of the uniform type identifier.
  public var format: ImageFormat { type.format }

  let type: ImageIOType
  private let recognizer: PrefixRecognizer

  /// A codec for each type that ImageIO lists on this system, in its order.
  ///
  /// Types without a picture of their own, such as PDF, have none.
  public static let all: [ImageIOCodec] = {
    let list = CGImageSourceCopyTypeIdentifiers() as NSArray
    let identifiers = (0..<list.count).compactMap { list.object(at: $0) as? String }
    let recognizer = PrefixRecognizer()
    return ImageIOType.codecs(of: identifiers).map {
      ImageIOCodec(type: $0, recognizer: recognizer)
    }
  }()

  /// Whether ImageIO says that a file which begins like this has the codec's type.
  public func recognizes(_ prefix: Span<UInt8>) -> Bool {
    recognizer.type(of: prefix) == type.identifier
  }

  /// Reads what ImageIO says of the first picture.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError``.
  public func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    try probe(bytes, page: 0)
  }

  /// Reads what ImageIO says of a page.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError``.
  package func probe(_ bytes: Span<UInt8>, page: Int) throws(DecodeError) -> ImageInfo {
    // ImageIO reads the header of a prefix, too.
    try header(ImageIOSource(bytes), page: page, limits: DecodeLimits()).info
  }

  /// Decodes to the pixels that `fitting` describes, upright, at no more than the size that is
  /// needed for them.
  ///
  /// Copies in the file are not used, whatever ``/IkranCodecs/DecodeRules/usesThumbnails`` says.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError``.
  public func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    try rules.limits.check(byteCount: bytes.count)
    let source = try ImageIOSource(bytes)
    let (info, index) = try header(source, page: rules.page, limits: rules.limits)
    let plan = try PicturePlan(
      info,
      fitting: fitting,
      limits: rules.limits,
      byteCount: bytes.count
    )
    if source.status(at: index) != .complete { throw source.error(format) }
    let image = try source.image(at: index, longestSide: plan.longestSide, of: format)
    let bitmap = try plan.finish(image, colors: rules.colors, workspace: workspace)
    return DecodedPicture(bitmap: bitmap)
  }

  /// The frames of an animation.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError``.
  public func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) -> (any FrameSource)? {
    let data = try ImageIOData(bytes.span)
    let source = try ImageIOSource(data, isWhole: !isPrefix)
    let facts = source.facts(format, limits: rules.limits)
    guard facts.isAnimation || isPrefix, facts.count > 0 else { return nil }
    var info = try facts.info(source.picture(at: 0))
    try rules.limits.check(info, byteCount: bytes.count)
    try rules.limits.checkWholeFrames(facts.count, of: info.size)
    let complete = (0..<facts.count).prefix { source.status(at: $0) == .complete }
    info.hasAlpha = complete.contains { source.picture(at: $0).hasAlpha ?? false }
    let animation = facts.animation(
      info,
      complete: complete.count,
      isPrefix: isPrefix,
      byteCount: bytes.count
    )
    return animation.map { ImageIOFrames($0, data, rules: rules) }
  }

  /// The header of a page, and the number that ImageIO has for it.
  private func header(
    _ source: ImageIOSource,
    page: Int,
    limits: DecodeLimits
  ) throws(DecodeError) -> (info: ImageInfo, index: Int) {
    let facts = source.facts(format, limits: limits)
    guard facts.count > 0 else { throw source.error(format) }
    let index = try facts.index(ofPage: page)
    let picture = source.picture(at: index)
    guard picture.width != nil else { throw source.error(format) }
    return (try facts.info(picture), index)
  }
}

extension ImageIOCodec: PrefixCodec {
  package func order(of prefix: Span<UInt8>) -> PixelOrder? {
    // Without bytes there is no header.
    guard let source = try? ImageIOSource(prefix, isWhole: false) else { return nil }
    return source.facts(format, limits: DecodeLimits()).order(source.picture(at: 0))
  }

  /// Decodes what is there of a file.
  ///
  /// ImageIO does not say how many rows that are, or what the others show.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    let source = try ImageIOSource(bytes, isWhole: false)
    guard source.facts(format, limits: rules.limits).durations.isEmpty else { return nil }
    let (info, index) = try header(source, page: rules.page, limits: rules.limits)
    guard source.status(at: index).hasPixels else { return nil }
    let plan = try PicturePlan(
      info,
      fitting: fitting,
      limits: rules.limits,
      byteCount: bytes.count
    )
    let image = try source.image(at: index, longestSide: plan.longestSide, of: format)
    let bitmap = try plan.finish(image, colors: rules.colors, workspace: workspace)
    let height = info.size.height
    return DecodedPicture(bitmap: bitmap, notes: [.cut(rows: height, height: height)])
  }
}

extension CodecList {
  /// Ikran's own codec of GIF, those of ImageIO, and Ikran's for the types that ImageIO lacks.
  ///
  /// For a pipeline on Apple's platforms, where Ikran's codecs of JPEG and PNG have no C library to
  /// leave rare files to. ImageIO has no rows for tiles and no early previews: where these matter,
  /// put the codecs in another order.
  public static let withImageIO: CodecList = {
    let first = CodecList.standard.codecs.filter { $0.format == .gif }
    let system = ImageIOCodec.all.filter { $0.format != .gif }
    return CodecList(first + system + CodecList.standard.codecs.filter { $0.format != .gif })
  }()
}
