import IkranPixels

/// The rows of a picture in an icon that is a BMP file without its first header: colours, and then
/// a mask of one bit for each pixel.
struct IconReader: RowReader {
  let info: ImageInfo
  private var picture: BMPReader
  /// Nil where the picture has alpha, and where the mask is not there.
  private var mask: PackedRows?

  /// Reads the headers of a picture that begins with `bytes`.
  ///
  /// - Throws: ``DecodeError``.
  init(_ bytes: Span<UInt8>) throws(DecodeError) {
    picture = try BMPReader(bytes, at: .icon(offset: 0))
    var info = picture.info
    info.hasAlpha = true
    self.info = info
  }

  var colors: FileColors { picture.colors }
  var isBottomUp: Bool { picture.isBottomUp }

  mutating func begin(_ bytes: Span<UInt8>, limits: DecodeLimits) throws(DecodeError) {
    try picture.begin(bytes, limits: limits)
    guard !picture.hasAlpha, let start = picture.dataEnd else { return }
    let rows = PackedRows(start: start, bytesPerRow: (info.size.width + 31) / 32 * 4)
    // Some writers count it in the height and leave it out.
    if rows.range(of: info.size.height - 1, in: bytes) != nil { mask = rows }
  }

  mutating func read(
    row y: Int,
    of bytes: Span<UInt8>,
    into pixels: inout [UInt32]
  ) throws(DecodeError) {
    try picture.read(row: y, of: bytes, into: &pixels)
    let stored = isBottomUp ? info.size.height - 1 - y : y
    guard let range = mask?.range(of: stored, in: bytes) else { return }
    let bits = bytes.extracting(range)
    for x in pixels.indices where bits[x >> 3] << UInt8(x & 7) & 0x80 != 0 { pixels[x] = 0 }
  }
}
