public import IkranPixels

// Decision 50: rectangles of pictures, and checkpoints in their files.
/// Decodes rectangles of one picture, again and again: for views that pan and zoom over very large
/// ones.
///
/// ```swift
/// var decoder = try RegionDecoder(file.span)
/// let whole = PixelRectangle(x: 0, y: 0, width: 20_000, height: 20_000)
/// let overview = try decoder.decode(whole, of: file.span, size: PixelSize(width: 500, height: 500))
/// let tile = PixelRectangle(x: 8_192, y: 4_096, width: 512, height: 512)
/// let sharp = try decoder.decode(tile, of: file.span)
/// ```
/// While it decodes, it notes how decoding can begin in the middle of the file, in at most 16 MB:
/// for sequential JPEG files and for PNG files that are not interlaced. So the first rectangle far
/// down a picture takes as long as what lies above it, the next ones a few milliseconds. Rows
/// stream through memory that does not grow with the height of such a picture, so
/// ``DecodeLimits/maximumPixels`` counts the pixels of the result. Of a TIFF file only those strips
/// or tiles are read that have some of the rectangle. Pictures in other formats are decoded again
/// for each rectangle.
///
/// It does not hold the file, which may be an array or mapped memory. It is a value: give several
/// threads a copy each.
///
/// Of a sequential JPEG file that is cut off, the whole picture shows where: rectangles below are
/// errors at once from then on.
public struct RegionDecoder: Sendable {
  /// What the file's headers say.
  public let info: ImageInfo
  /// What was wrong with the file all the same, as far as the last rectangle showed it.
  public private(set) var notes: [DecodeNote] = []
  private let codec: any Codec
  private let rules: DecodeRules
  private var entropy: EntropyIndex? = EntropyIndex()
  private var rows: PNGRowIndex? = PNGRowIndex()
  /// Where a JPEG file was found to end.
  private var cut: JPEGCut?

  /// Reads the headers of a file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - codecs: The first of them that recognizes the bytes decodes them.
  ///   - rules: The limits that the headers are held against, the colours of the pixels, whether a
  ///     file that is cut off has the rows that are there, and the page.
  /// - Throws: ``DecodeError`` when no codec recognizes the bytes, or the headers are broken.
  public init(
    _ bytes: Span<UInt8>,
    codecs: CodecList = .standard,
    rules: DecodeRules = DecodeRules()
  ) throws(DecodeError) {
    self.rules = rules
    codec = try codecs.codec(for: bytes, nil)
    info = try codec.info(bytes, page: rules.page)
  }

  /// Decodes a rectangle.
  ///
  /// - Parameters:
  ///   - region: The rectangle, in pixels of the upright picture.
  ///   - bytes: The same file as before. Another one has wrong pixels or is an error.
  ///   - size: The size of the result; nil for that of the rectangle.
  ///   - isolated: Whether the picture around the rectangle must not matter, as for one cell of a
  ///     sprite. Tiles that are shown side by side fit together without it.
  ///   - workspace: Memory to reuse from picture to picture.
  /// - Returns: The pixels of ``Fitting/region(_:_:isolated:)``, upright.
  /// - Throws: ``DecodeError``.
  public mutating func decode(
    _ region: PixelRectangle,
    of bytes: Span<UInt8>,
    size: PixelSize? = nil,
    isolated: Bool = false,
    workspace: Workspace = Workspace()
  ) throws(DecodeError) -> Bitmap {
    let fitting = Fitting.region(region, size ?? region.size, isolated: isolated)
    let picture = try decodeAsFarAsItGoes(bytes, fitting, workspace: workspace)
    notes = picture.notes
    if codec is JPEGDecoder, region.size == info.uprightSize, !notes.isEmpty {
      cut = JPEGCut(notes, of: bytes)
    }
    return picture.bitmap
  }

  private mutating func decodeAsFarAsItGoes(
    _ bytes: Span<UInt8>,
    _ fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    let (codec, rules, cut) = (codec, rules, cut)
    let share = cut?.share(of: fitting, in: bytes, rules: rules, workspace: workspace) ?? .all
    if let cut, share == .none { throw cut.error }
    return try codec.decodeAsFarAsItGoes(
      bytes,
      fitting: fitting,
      rules: rules,
      workspace: workspace
    ) { (bytes) throws(DecodeError) in
      // Without reading as far as there.
      if let cut, share == .part { throw cut.error }
      return try decode(bytes, fitting, workspace: workspace)
    }
  }

  private mutating func decode(
    _ bytes: Span<UInt8>,
    _ fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    if let codec = codec as? JPEGDecoder {
      return try codec.decode(
        bytes,
        fitting: fitting,
        rules: rules,
        workspace: workspace,
        index: &entropy
      )
    }
    if let codec = codec as? PNGDecoder {
      return try codec.decode(
        bytes,
        info,
        fitting: fitting,
        rules: rules,
        workspace: workspace,
        index: &rows
      )
    }
    return try codec.decode(bytes, fitting: fitting, rules: rules, workspace: workspace)
  }
}
