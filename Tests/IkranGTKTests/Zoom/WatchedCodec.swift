import Ikran
import IkranPixels

/// Decodes PNG files, and shows each decode to a test before it begins.
struct WatchedCodec: Codec {
  /// A decode that begins, on the thread that decodes.
  struct Decode {
    /// Of the picture.
    let width: Int
    /// nil for the whole picture.
    let region: PixelRectangle?
    let workspace: Workspace
  }

  /// What parts of pictures are decoded to, whatever they show; nil for what they do.
  var replacement: Bitmap?
  private let decoder = PNGDecoder()
  private let watch: @Sendable (Decode) throws(DecodeError) -> Void

  init(_ watch: @escaping @Sendable (Decode) throws(DecodeError) -> Void) { self.watch = watch }

  var format: ImageFormat { decoder.format }

  func recognizes(_ prefix: Span<UInt8>) -> Bool { decoder.recognizes(prefix) }

  func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo { try decoder.probe(bytes) }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    let size = try decoder.probe(bytes).size
    var region: PixelRectangle?
    if case .region(let part, _, _) = fitting, part.size != size { region = part }
    try watch(Decode(width: size.width, region: region, workspace: workspace))
    if region != nil, let replacement { return DecodedPicture(bitmap: replacement) }
    return try decoder.decode(bytes, fitting: fitting, rules: rules, workspace: workspace)
  }
}
