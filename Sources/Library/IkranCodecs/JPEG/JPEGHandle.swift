#if CLibraries
import CIkranCodecs
import IkranPixels

// Decision 1: libjpeg's classic API, behind C for its longjmp.
/// One running libjpeg-turbo decompression, over bytes that outlive it.
struct JPEGHandle: ~Copyable {
  private let reader: OpaquePointer

  /// `jpeg_create_decompress`; the bytes must outlive the handle.
  private init(_ bytes: UnsafeBufferPointer<UInt8>, of size: PixelSize) throws(DecodeError) {
    guard let start = bytes.baseAddress else { throw .empty }
    let limit = Int64(Self.workLimit(of: size))
    guard let reader = ikran_jpeg_open(start, bytes.count, Self.memoryLimit, limit) else {
      throw .bitmap(.outOfMemory(bytes: 0))
    }
    self.reader = reader
  }

  deinit { ikran_jpeg_close(reader) }

  /// Decodes, crops and scales as `reduction` says, in stored orientation.
  ///
  /// Four inks are converted to sRGB by `inks`, after the reduction; without, ink and black
  /// multiply.
  static func render(
    _ bytes: Span<UInt8>,
    _ header: JPEGHeader,
    reduction: JPEGReduction,
    inks: ColorConversion? = nil,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let handle = try JPEGHandle(buffer, of: header.info.size)
      let rows = try handle.start(reduction)
      if rows.is_cmyk != 0, let inks {
        var picture = try InkSink.open(
          reduction.plan,
          rows: reduction.decodedSize,
          workspace: workspace
        )
        try handle.decode(rows, into: &picture) { _ in }
        return try picture.finish(inks, inverted: true, workspace: workspace)
      }
      var sink = try PixelSink.open(
        reduction.plan,
        rows: reduction.decodedSize,
        format: .bgrx,
        workspace: workspace
      )
      try handle.decode(rows, into: &sink) { row in
        if rows.is_cmyk != 0 { handle.convertCMYK(row) }
      }
      return try sink.finish()
    }
  }

  /// Decodes what is there of a file, in stored orientation; the rest is clear.
  ///
  /// - Returns: The pixels, and how many rows of the stored picture are there; nil for none of
  ///   those that are needed.
  static func renderBeginning(
    _ bytes: Span<UInt8>,
    _ header: JPEGHeader,
    reduction: JPEGReduction,
    inks: ColorConversion?,
    workspace: Workspace
  ) throws(DecodeError) -> (picture: Bitmap, rows: Int)? {
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let handle = try JPEGHandle(buffer, of: header.info.size)
      ikran_jpeg_accept_cut(handle.reader)
      let rows = try handle.start(reduction)
      var sink = try PixelSink.open(
        reduction.plan,
        rows: reduction.decodedSize,
        format: .bgra,
        workspace: workspace
      )
      let needed = sink.neededRows
      let simd = workspace.usesSIMD
      // Missing rows are clear, and inks have no alpha: they are converted before the reduction.
      let there = try handle.decode(rows, into: &sink) { row in
        guard rows.is_cmyk != 0 else { return }
        guard let inks else { return handle.convertCMYK(row) }
        inks.convertInks(row, inverted: true, usesSIMD: simd)
      }
      guard there > needed.lowerBound else { return nil }
      let all = there >= needed.upperBound && needed.upperBound == reduction.decodedSize.height
      let height = header.info.size.height
      let stored = all ? height : min(there * 8 / reduction.eighths, height)
      return (try sink.finish(), stored)
    }
  }

  /// `jpeg_read_header`, `jpeg_start_decompress`.
  private func start(_ reduction: JPEGReduction) throws(DecodeError) -> ikran_jpeg_rows {
    var rows = ikran_jpeg_rows()
    guard ikran_jpeg_start(reader, UInt32(reduction.eighths), &rows) != 0 else { throw fault() }
    // Two frame headers could disagree; the limits were checked on the first.
    guard rows.width == reduction.decodedSize.width, rows.height == reduction.decodedSize.height
    else {
      throw .malformed(.jpeg, offset: 0, reason: "its frame headers contradict each other")
    }
    return rows
  }

  /// Reads the rows that `sink` needs; `convert` changes them before they are processed.
  ///
  /// Of a file that is cut off, those that are missing are clear.
  ///
  /// - Returns: How many rows are there.
  @discardableResult
  private func decode(
    _ rows: ikran_jpeg_rows,
    into sink: inout some RowSink & ~Copyable,
    _ convert: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(DecodeError) -> Int {
    let firstColumn = try crop(rows, to: sink.neededColumns)
    let needed = sink.neededRows
    if needed.lowerBound > 0 {
      guard ikran_jpeg_skip(reader, UInt32(needed.lowerBound)) != 0 else { throw fault() }
    }
    var there = needed.upperBound
    for y in needed {
      try sink.nextRow { (row) throws(DecodeError) in
        guard let start = row.baseAddress else { return }
        if y < there {
          let target = (start + firstColumn * 4).assumingMemoryBound(to: UInt8.self)
          guard ikran_jpeg_read_row(reader, target) != 0 else { throw fault() }
          there = min(there, Int(ikran_jpeg_rows_there(reader)))
        }
        if y < there {
          convert(row)
        } else {
          _ = row.initializeMemory(as: UInt8.self, repeating: 0)
        }
      }
    }
    return there
  }

  /// `jpeg_crop_scanline`; returns the first column of the cropped rows.
  private func crop(_ rows: ikran_jpeg_rows, to columns: Range<Int>?) throws(DecodeError) -> Int {
    let all = 0..<Int(rows.width)
    // Upsampling treats the cut as the picture's border, and so does the smoothing of blocks whose
    // scans are missing, which looks at two blocks on each side: of halved chroma these have 32
    // pixels.
    let margin = 34
    guard let columns, columns.count + 2 * margin + 32 < all.count else { return 0 }
    let wanted = (columns.lowerBound - margin..<columns.upperBound + margin).clamped(to: all)
    var x = UInt32(wanted.lowerBound)
    var width = UInt32(wanted.count)
    guard ikran_jpeg_crop(reader, &x, &width) != 0 else { throw fault() }
    return Int(x)
  }

  /// Converts CMYK to blue, green, red, 255 in place: each ink and black multiply.
  ///
  /// All files are taken for inverted, as Adobe's are, with or without its marker: 255 is no ink.
  /// So do browsers, as files without the marker are mostly those that lost it.
  private func convertCMYK(_ row: UnsafeMutableRawBufferPointer) {
    for start in stride(from: 0, to: row.count & ~3, by: 4) {
      let black = UInt32(row[start + 3])
      let red = UInt32(row[start]) * black
      let green = UInt32(row[start + 1]) * black
      let blue = UInt32(row[start + 2]) * black
      row[start] = UInt8((blue + 127) / 255)
      row[start + 1] = UInt8((green + 127) / 255)
      row[start + 2] = UInt8((red + 127) / 255)
      row[start + 3] = 255
    }
  }

  private func fault() -> DecodeError {
    DecodeError(ikran_jpeg_fault(reader).pointee, .jpeg, memoryLimit: Self.memoryLimit)
  }
}
#endif
