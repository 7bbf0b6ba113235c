import IkranPixels

/// Receives the rows of a decoder and writes a part of them to a file, so that no more than one row
/// of pixels is held.
struct WriterSink: RowSink, ~Copyable {
  let neededRows: Range<Int>
  let neededColumns: Range<Int>?
  /// What the writer threw, which a decoder passes on as an error of its own.
  private(set) var failure: EncodeError?
  private let columns: Range<Int>
  private let writer: any RowWriter
  private var row: Canvas

  /// A sink for rows of an image of `rows` pixels.
  init(_ cut: PixelRectangle, rows: PixelSize, _ writer: any RowWriter) throws(DecodeError) {
    do throws(BitmapError) {
      let size = PixelSize(width: rows.width, height: 1)
      row = try Canvas(size: size, format: .bgra, zeroed: false)
    } catch { throw .bitmap(error) }
    neededRows = cut.y..<cut.y + cut.size.height
    columns = cut.x..<cut.x + cut.size.width
    neededColumns = columns
    self.writer = writer
  }

  mutating func nextRow(
    _ fill: (UnsafeMutableRawBufferPointer) throws(DecodeError) -> Void
  ) throws(DecodeError) {
    let (columns, writer, width) = (columns, writer, row.size.width * 4)
    let failure = try row.withUnsafeMutableBytes { (bytes) throws(DecodeError) -> EncodeError? in
      try fill(UnsafeMutableRawBufferPointer(rebasing: bytes[..<width]))
      let part = bytes[(columns.lowerBound * 4)..<(columns.upperBound * 4)]
      do throws(EncodeError) {
        try writer.append(UnsafeRawBufferPointer(rebasing: part))
        return nil
      } catch { return error }
    }
    guard let failure else { return }
    self.failure = failure
    throw .bitmap(.outOfMemory(bytes: 0))
  }
}
