#if CLibraries
import CIkranCodecs
import IkranPixels

/// One running libpng read, over bytes that outlive it.
struct PNGHandle: ~Copyable {
  let reader: OpaquePointer

  /// `png_create_read_struct`; the bytes must outlive the handle.
  init(_ bytes: UnsafeBufferPointer<UInt8>, largestSide: Int) throws(DecodeError) {
    guard let start = bytes.baseAddress else { throw .empty }
    let side = UInt32(clamping: largestSide)
    guard let reader = ikran_png_open(start, bytes.count, side) else {
      throw .bitmap(.outOfMemory(bytes: 0))
    }
    self.reader = reader
  }

  deinit { ikran_png_close(reader) }

  /// Decodes, crops and scales as `plan` says, in stored orientation.
  static func render(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    of info: ImageInfo,
    workspace: Workspace,
    reduction: PNGReduction? = nil
  ) throws(DecodeError) -> Bitmap {
    try picture(bytes, plan, of: info, workspace: workspace, reduction: reduction).bitmap
  }

  /// Does the same, and notes a wrong checksum of the data: where all of it is there, that is no
  /// error.
  static func picture(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    of info: ImageInfo,
    workspace: Workspace,
    reduction: PNGReduction? = nil
  ) throws(DecodeError) -> DecodedPicture {
    let reduction = reduction ?? PNGReduction(plan, info.size, bytesInFull: bytesInFull)
    return try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let side = max(info.size.width, info.size.height)
      let handle = try PNGHandle(buffer, largestSide: side)
      do throws(DecodeError) {
        let picture = try handle.render(plan, reduction, of: info, workspace: workspace)
        return DecodedPicture(bitmap: picture, notes: handle.notes)
      } catch {
        guard !handle.notes.isEmpty else { throw error }
      }
      // Other data follows the checksum, which libpng has read with the last row.
      let second = try PNGHandle(buffer, largestSide: side)
      ikran_png_read_byte_by_byte(second.reader)
      let picture = try second.render(plan, reduction, of: info, workspace: workspace)
      return DecodedPicture(bitmap: picture, notes: handle.notes)
    }
  }

  /// What was wrong with the data that was read.
  private var notes: [DecodeNote] {
    ikran_png_has_wrong_checksum(reader) == 0 ? [] : [.checksumWrong]
  }

  private func render(
    _ plan: RenderPlan,
    _ reduction: PNGReduction,
    of info: ImageInfo,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    let isInterlaced = try start(expecting: info.size, shift: reduction.shift)
    let format: PixelFormat = info.hasAlpha ? .bgra : .bgrx
    if isInterlaced, reduction.shift > 0 {
      return try readReduced(reduction, format, workspace: workspace)
    }
    if isInterlaced {
      let picture = try readPicture(info.size, format, isStraight: plan.keepsStraightColors)
      return try PixelSink.render(picture, plan, workspace: workspace)
    }
    var sink = try PixelSink.open(plan, rows: info.size, format: format, workspace: workspace)
    let isPremultiplied = format.hasAlpha && !plan.keepsStraightColors
    try readRows(into: &sink, height: info.size.height, isPremultiplied: isPremultiplied)
    return try sink.finish()
  }

  /// Delivers the rows of a file that is not interlaced with straight colours, in stored
  /// orientation.
  static func deliver(
    _ bytes: Span<UInt8>,
    _ info: ImageInfo,
    to sink: inout some RowSink & ~Copyable
  ) throws(DecodeError) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let side = max(info.size.width, info.size.height)
      let handle = try PNGHandle(buffer, largestSide: side)
      _ = try handle.start(expecting: info.size, shift: 0)
      try handle.readRows(into: &sink, height: info.size.height, isPremultiplied: false)
    }
  }

  /// Decodes what is there of an interlaced file, crops and scales it as `plan` says, in stored
  /// orientation.
  ///
  /// - Returns: The picture, in which a pixel fills the block that it stands for until later passes
  ///   bring the others; nil before the first pass is whole, when anything is damaged, and for a
  ///   picture that takes more than ``bytesInFull``.
  static func renderPasses(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    of info: ImageInfo,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap? {
    guard let count = info.size.pixelCount, count <= bytesInFull / 4 else { return nil }
    return try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let side = max(info.size.width, info.size.height)
      let handle = try PNGHandle(buffer, largestSide: side)
      guard try handle.start(expecting: info.size, shift: 0) else { return nil }
      let format: PixelFormat = info.hasAlpha ? .bgra : .bgrx
      guard let picture = try handle.readPasses(info.size, format) else { return nil }
      return try PixelSink.render(picture, plan, workspace: workspace)
    }
  }

  /// Decodes the rows that are there of a file that is not interlaced, in stored orientation; the
  /// rest is clear.
  ///
  /// - Returns: The pixels, and how many rows are there; nil for none of those that are needed.
  static func renderBeginning(
    _ bytes: Span<UInt8>,
    plan: RenderPlan,
    info: ImageInfo,
    workspace: Workspace
  ) throws(DecodeError) -> (picture: Bitmap, rows: Int)? {
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let side = max(info.size.width, info.size.height)
      let handle = try PNGHandle(buffer, largestSide: side)
      ikran_png_accept_cut(handle.reader)
      guard try !handle.start(expecting: info.size, shift: 0) else { return nil }
      var sink = try PixelSink.open(plan, rows: info.size, format: .bgra, workspace: workspace)
      let needed = sink.neededRows
      let rows = try handle.readBeginning(into: &sink, hasAlpha: info.hasAlpha)
      return rows > needed.lowerBound ? (try sink.finish(), rows) : nil
    }
  }

  /// `png_read_row` for each row up to the last that is needed and there; returns how many there
  /// are.
  private func readBeginning(
    into sink: inout PixelSink,
    hasAlpha: Bool
  ) throws(DecodeError) -> Int {
    let needed = sink.neededRows
    var rows = 0
    while rows < needed.lowerBound {
      guard try readIfThere(nil) else { return rows }
      rows += 1
    }
    for y in needed {
      try sink.nextRow { (row) throws(DecodeError) in
        guard let start = row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        if rows == y, try readIfThere(start) { rows += 1 }
        if rows <= y {
          _ = row.initializeMemory(as: UInt8.self, repeating: 0)
        } else if hasAlpha {
          premultiply(row)
        }
      }
    }
    return rows
  }

  /// Reads a row; false when the file ends before, after which nothing more can be read.
  private func readIfThere(_ row: UnsafeMutablePointer<UInt8>?) throws(DecodeError) -> Bool {
    if ikran_png_read_row(reader, row) != 0 { return true }
    let error = fault()
    guard case .truncated = error else { throw error }
    return false
  }

  /// `png_read_info` and the transformations to four bytes per pixel; returns whether it is
  /// interlaced.
  func start(expecting size: PixelSize, shift: Int) throws(DecodeError) -> Bool {
    var rows = ikran_png_rows()
    guard ikran_png_start(reader, UInt32(shift), &rows) != 0 else { throw fault() }
    guard Int(rows.width) == size.width, Int(rows.height) == size.height else {
      throw .malformed(.png, offset: 8, reason: "its image headers contradict each other")
    }
    return rows.is_interlaced != 0
  }

  /// `png_read_row` for each row up to the last that is needed.
  private func readRows(
    into sink: inout some RowSink & ~Copyable,
    height: Int,
    isPremultiplied: Bool
  ) throws(DecodeError) {
    let needed = sink.neededRows
    for _ in 0..<needed.lowerBound {
      guard ikran_png_read_row(reader, nil) != 0 else { throw fault() }
    }
    for _ in needed {
      try sink.nextRow { (row) throws(DecodeError) in
        guard let start = row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        guard ikran_png_read_row(reader, start) != 0 else { throw fault() }
        if isPremultiplied { premultiply(row) }
      }
    }
    if needed.upperBound == height { try finish() }
  }

  /// Reads all passes into one picture: rows of an interlaced file are complete only at the end.
  func readPicture(
    _ size: PixelSize,
    _ format: PixelFormat,
    isStraight: Bool = false
  ) throws(DecodeError) -> Canvas {
    var picture: Canvas
    do throws(BitmapError) {
      picture = try Canvas(size: size, format: format)
    } catch { throw .bitmap(error) }
    let bytesPerRow = picture.bytesPerRow
    try picture.withUnsafeMutableBytes { (bytes) throws(DecodeError) in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      guard ikran_png_read_image(reader, start, bytesPerRow, UInt32(size.height)) != 0 else {
        throw fault()
      }
      try finish()
      if format.hasAlpha, !isStraight { premultiply(bytes, size, bytesPerRow: bytesPerRow) }
    }
    return picture
  }

  /// Reads the passes that are there into one picture; nil before the first one is whole.
  func readPasses(
    _ size: PixelSize,
    _ format: PixelFormat
  ) throws(DecodeError) -> Canvas? {
    var picture: Canvas
    do throws(BitmapError) {
      picture = try Canvas(size: size, format: format)
    } catch { throw .bitmap(error) }
    let bytesPerRow = picture.bytesPerRow
    let passes = picture.withUnsafeMutableBytes { bytes -> Int in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
      let passes = ikran_png_read_passes(reader, start, bytesPerRow, UInt32(size.height))
      if format.hasAlpha { premultiply(bytes, size, bytesPerRow: bytesPerRow) }
      return Int(passes)
    }
    guard passes > 0 else { return nil }
    return consume picture
  }

  /// Reads all passes into means of squares, which take a fraction of the picture's memory.
  private func readReduced(
    _ reduction: PNGReduction,
    _ format: PixelFormat,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    guard ikran_png_reduce(reader) != 0 else { throw fault() }
    try finish()
    var sink = try PixelSink.open(
      reduction.plan,
      rows: reduction.decodedSize,
      format: format,
      workspace: workspace
    )
    for y in sink.neededRows {
      try sink.nextRow { (row) throws(DecodeError) in
        guard let start = row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        ikran_png_reduced_row(reader, UInt32(y), start)
      }
    }
    return try sink.finish()
  }

  /// `png_read_end`: finds a wrong checksum after the last row.
  private func finish() throws(DecodeError) {
    guard ikran_png_finish(reader) != 0 else { throw fault() }
  }

  func fault() -> DecodeError {
    DecodeError(ikran_png_fault(reader).pointee, .png)
  }
}
#endif
