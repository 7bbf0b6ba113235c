public import IkranCodecs
import IkranPixels

/// Which files are decoded in another process.
@nonexhaustive
public enum Isolation: String, Sendable, Hashable, CaseIterable {
  /// None: a file that breaks its decoder breaks the program.
  case none
  /// Those of formats whose decoders are large and young, or that describe more than pixels: AVIF,
  /// HEIC, JPEG XL, SVG, TIFF and raw files.
  case risky
  /// All of the formats that Ikran has.
  case all
}

extension CodecList {
  /// The standard codecs, of which the risky ones work in other processes.
  package static let isolatedStandard = standard.isolated(.risky)

  /// The codecs, of which those that `isolation` names work in other processes.
  ///
  /// Codecs of the program's own stay in it. A decode takes its thread until the response is there.
  public func isolated(_ isolation: Isolation) -> CodecList { isolated(isolation, in: .shared) }

  package func isolated(_ isolation: Isolation, in pool: DecoderPool) -> CodecList {
    CodecList(
      codecs.map { codec in
        IsolatedCodec.isolates(codec, isolation) ? IsolatedCodec(codec, in: pool) : codec
      }
    )
  }
}

extension CodecList {
  /// Whether the headers of a file that begins like this are read in this process, at once.
  package func probesHere(_ bytes: Span<UInt8>, as format: ImageFormat?) -> Bool {
    guard let chosen = try? codec(for: bytes, format) as? IsolatedCodec else { return true }
    return chosen.readsHeaderHere
  }

  /// Starts a decoder for a file that is on its way, if files of its media type are decoded in
  /// another process, and none is there: to link one takes longer than most files take to arrive.
  package func expectFile(of mediaType: String?) {
    guard let mediaType else { return }
    let codec = codecs.first { $0.format.mediaType == mediaType }
    (codec as? IsolatedCodec)?.pool.startAhead()
  }
}

// Decision 79: hostile bytes meet their decoder in another process.
/// A codec whose decoder works in another process: a file that breaks it costs an error.
///
/// It costs some dozen microseconds for each picture, and for the first what it takes to link its
/// program, some dozen milliseconds, unless that was done while the file arrived.
struct IsolatedCodec: PrefixCodec, PagedCodec, CancellableCodec {
  /// Formats whose headers a large library reads, or which bring a program's worth of text.
  private static let risky: Set<ImageFormat> = [
    .avif, .heic, .heif, .jpegXL, .svg, .tiff, .cr2, .nef, .dng, .arw, .raf,
  ]
  /// Of these libjxl and librsvg read the headers, Swift those of the others.
  private static let readByLibraries: Set<ImageFormat> = [.jpegXL, .svg]

  private let codec: any Codec
  fileprivate let pool: DecoderPool

  init(_ codec: any Codec, in pool: DecoderPool) {
    (self.codec, self.pool) = (codec, pool)
  }

  /// Whether a codec is one of those that work in another process.
  static func isolates(_ codec: any Codec, _ isolation: Isolation) -> Bool {
    guard CodecList.standard.codecs.contains(where: { type(of: $0) == type(of: codec) }) else {
      return false
    }
    return isolation == .all || isolation == .risky && risky.contains(codec.format)
  }

  var format: ImageFormat { codec.format }

  var readsHeaderHere: Bool {
    Self.risky.contains(format) && !Self.readByLibraries.contains(format)
  }

  func recognizes(_ prefix: Span<UInt8>) -> Bool { codec.recognizes(prefix) }

  func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    try probe(bytes, until: nil)
  }

  func probe(
    _ bytes: Span<UInt8>,
    until cancellation: (any DecodeCancellation)?
  ) throws(DecodeError) -> ImageInfo {
    if readsHeaderHere { return try codec.probe(bytes) }
    let (response, _, _) = try pool.response(
      to: .probe(format),
      bytes,
      blaming: bytes,
      cancellation
    )
    switch response {
    case .info(let info): return info
    default: throw unexpected(response)
    }
  }

  func probe(_ bytes: Span<UInt8>, page: Int) throws(DecodeError) -> ImageInfo {
    // Those with pages have headers that Swift reads.
    guard let paged = codec as? any PagedCodec else { throw .noPage(format, page, count: 1) }
    return try paged.probe(bytes, page: page)
  }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    let decoded = try picture(for: .decode(format, fitting, rules), bytes, workspace)
    guard let decoded else { throw unexpected(.none) }
    return decoded
  }

  func order(of prefix: Span<UInt8>) -> PixelOrder? {
    // libjxl would read this one's header here. Of an animation a prefix has no picture.
    if format == .jpegXL { return .passes }
    guard let codec = codec as? any PrefixCodec else { return .unknown }
    return codec.order(of: prefix)
  }

  func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    guard codec is any PrefixCodec else { return nil }
    return try picture(for: .decodePrefix(format, fitting, rules), bytes, workspace)
  }

  /// The picture that a request brings; nil for none.
  private func picture(
    for request: DecoderRequest,
    _ bytes: Span<UInt8>,
    _ workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    let (response, bitmap, _) = try pool.response(
      to: request,
      bytes,
      blaming: bytes,
      workspace.cancellation
    )
    if case .none = response { return nil }
    guard case .picture(let picture) = response, let bitmap else { throw unexpected(response) }
    return DecodedPicture(bitmap: bitmap, notes: picture.notes)
  }

  func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) -> (any FrameSource)? {
    try frames(of: bytes, isPrefix: isPrefix, rules: rules, until: nil)
  }

  func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules,
    until cancellation: (any DecodeCancellation)?
  ) throws(DecodeError) -> (any FrameSource)? {
    let movie = DecoderRequest.Movie(format: format, isPrefix: isPrefix, rules: rules)
    let span = bytes.span
    let (response, _, _) = try pool.response(
      to: .frames(movie),
      span,
      blaming: span,
      cancellation
    )
    switch response {
    case .none: return nil
    case .frames(let info):
      return IsolatedFrames(info: info, movie: movie, bytes: bytes, pool: pool)
    default: throw unexpected(response)
    }
  }

  private func unexpected(_ response: DecoderResponse) -> DecodeError {
    if case .failed(let error) = response { return error }
    return .isolated(format, .crashed(reason: "its response makes no sense"))
  }
}
