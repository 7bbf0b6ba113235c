import CIkranKernels
import IkranPixels

// Decision 47: a custom reader of PNG rows; libpng has the rest.
/// Decodes PNG files that are plain, which most are: see ``PlainPNGHeader``.
///
/// Its pixels are libpng's. It gives up on everything unusual or damaged: then libpng decodes the
/// file from its first byte, and its result counts.
struct PNGRowDecoder: ~Copyable {
  /// Rows of more bytes are left to libpng: eight of them, twice, would take too much memory.
  private static let longestRow = 1 << 20
  /// The bytes of rows that are inflated at once, if eight rows have no more: they stay in the
  /// processor's cache.
  private static let bytesAtOnce = 48 << 10

  private let header: PlainPNGHeader
  private let usesSIMD: Bool
  /// Whether colours are multiplied by their alpha.
  private let isPremultiplied: Bool
  /// A multiple of eight: so many are unfiltered at once.
  private let rowsAtOnce: Int
  /// The distance of unfiltered rows, of which the first is the one above the others.
  private let stride: Int
  private let rows: UnsafeMutablePointer<UInt8>
  /// Inflated rows.
  private let filtered: UnsafeMutablePointer<UInt8>
  /// The bytes of both.
  private let byteCount: Int
  /// The pixels of indices, premultiplied if pixels are; empty when there are none.
  private var table: [UInt8]
  private let clear: [UInt16]
  /// What samples of 16 bits become; nil for their high byte, rounded.
  private let levels: SampleLevels?

  /// Decodes, crops and scales as `plan` says, in stored orientation; nil when libpng must.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - plan: The crop and the scale.
  ///   - info: What was read from the header before.
  ///   - workspace: Memory, and whether SIMD instructions are used.
  ///   - usesISAL: Whether ISA-L inflates, or zlib.
  /// - Returns: The pixels, or nil.
  static func render(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    _ info: ImageInfo,
    workspace: Workspace,
    usesISAL: Bool = PNGDataHandle.hasISAL
  ) -> Bitmap? {
    var index: PNGRowIndex?
    return render(bytes, plan, info, workspace: workspace, usesISAL: usesISAL, index: &index)
  }

  /// Does the same with an index, if there is one: begins where it says, and completes it.
  ///
  /// It is nil afterwards when libpng must decode the file. With `levels`, samples of 16 bits
  /// become those.
  static func render(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    _ info: ImageInfo,
    workspace: Workspace,
    usesISAL: Bool = PNGDataHandle.hasISAL,
    levels: SampleLevels? = nil,
    index: inout PNGRowIndex?
  ) -> Bitmap? {
    var known = index.take()
    guard let header = plainHeader(bytes, info) else { return nil }
    return bytes.withUnsafeBufferPointer { bytes in
      do throws(DecodeError) {
        var sink = try PixelSink.open(
          plan,
          rows: header.size,
          format: header.hasAlpha ? .bgra : .bgrx,
          workspace: workspace
        )
        let start = known?.checkpoint(for: sink.neededRows.lowerBound)
        let opened =
          if let start {
            PNGDataHandle(bytes, from: start.data)
          } else {
            PNGDataHandle(bytes, from: header.dataStart, usesISAL: usesISAL)
          }
        let decoder = PNGRowDecoder(
          header,
          levels: levels,
          isStraight: plan.keepsStraightColors,
          usesSIMD: workspace.usesSIMD
        )
        guard var data = opened, let decoder,
          try decoder.decode(&data, from: start, into: &sink, &known)
        else { return nil }
        index = known
        return try sink.finish()
      } catch {
        // libpng meets the same error and throws it: one of the result, not of the file.
        index = known
        return nil
      }
    }
  }

  /// Delivers the rows of a file with straight colours, in stored orientation; false when libpng
  /// must, and some may have been delivered.
  ///
  /// - Throws: Errors of the sink.
  static func deliver(
    _ bytes: Span<UInt8>,
    _ info: ImageInfo,
    to sink: inout some RowSink & ~Copyable,
    workspace: Workspace
  ) throws(DecodeError) -> Bool {
    guard let header = plainHeader(bytes, info) else { return false }
    return try bytes.withUnsafeBufferPointer { (bytes) throws(DecodeError) in
      let usesISAL = PNGDataHandle.hasISAL
      let decoder = PNGRowDecoder(header, isStraight: true, usesSIMD: workspace.usesSIMD)
      let start = header.dataStart
      guard let decoder, var data = PNGDataHandle(bytes, from: start, usesISAL: usesISAL) else {
        return false
      }
      var index: PNGRowIndex?
      return try decoder.decode(&data, from: nil, into: &sink, &index)
    }
  }

  /// The header of a file that can be decoded here.
  private static func plainHeader(_ bytes: Span<UInt8>, _ info: ImageInfo) -> PlainPNGHeader? {
    guard let header = PlainPNGHeader(bytes), header.size == info.size,
      header.hasAlpha == info.hasAlpha, header.rowBytes <= longestRow,
      !(header.rowBytes + 1).multipliedReportingOverflow(by: header.size.height).overflow
    else { return nil }
    return header
  }

  /// Allocates memory for rows; nil when there is none.
  private init?(
    _ header: PlainPNGHeader,
    levels: SampleLevels? = nil,
    isStraight: Bool,
    usesSIMD: Bool
  ) {
    let row = header.rowBytes + 1
    let groups = min(Self.bytesAtOnce / (8 * row) + 1, (header.size.height + 7) / 8)
    let slack = Int(IKRAN_PNG_SLACK)
    let stride = (header.rowBytes + slack + 63) & ~63
    let unfilteredBytes = (groups * 8 + 1) * stride
    byteCount = unfilteredBytes + groups * 8 * row + slack
    guard let memory = ikran_aligned_alloc(byteCount) else { return nil }
    (self.header, self.usesSIMD, self.stride) = (header, usesSIMD, stride)
    self.levels = levels
    isPremultiplied = header.hasAlpha && !isStraight
    rowsAtOnce = groups * 8
    rows = memory.assumingMemoryBound(to: UInt8.self)
    filtered = rows + unfilteredBytes
    rows.update(repeating: 0, count: stride)
    table = header.table
    clear = header.clearColor
    if isPremultiplied {
      table.withUnsafeMutableBytes { premultiply($0) }
    }
  }

  deinit { ikran_free(rows, byteCount) }

  /// Decodes the rows `sink` needs; false when the data is damaged.
  private func decode(
    _ data: inout PNGDataHandle,
    from start: PNGRowIndex.Checkpoint?,
    into sink: inout some RowSink & ~Copyable,
    _ index: inout PNGRowIndex?
  ) throws(DecodeError) -> Bool {
    let needed = sink.neededRows
    let columns = sink.neededColumns ?? 0..<header.size.width
    let simd = usesSIMD
    var y = 0
    if let start {
      guard start.above.count == header.rowBytes else { return false }
      y = start.y
      start.above.withUnsafeBufferPointer { above in
        if let first = above.baseAddress { rows.update(from: first, count: above.count) }
      }
    }
    while y < needed.upperBound {
      if let next = index?.next(header), y >= next, let place = data.checkpoint() {
        let above = Array(UnsafeBufferPointer(start: rows, count: header.rowBytes))
        index?.append(PNGRowIndex.Checkpoint(y: y, data: place, above: above))
      }
      let count = min(rowsAtOnce, needed.upperBound - y)
      let bytes = header.rowBytes
      guard data.fill(filtered, count * (bytes + 1)),
        ikran_png_unfilter(filtered, bytes, count, header.pixelBytes, rows, stride, simd)
      else { return false }
      for row in 0..<count where y + row >= needed.lowerBound {
        let source = rows + (row + 1) * stride
        try sink.nextRow { (target) throws(DecodeError) in paint(source, columns, into: target) }
      }
      rows.update(from: rows + count * stride, count: bytes)
      y += count
    }
    // libpng, too, stops at the last row that is needed.
    return y < header.size.height && data.hasMoreInput() || skip(from: y, &data)
  }

  /// Inflates the rows that are left; false when the data is damaged.
  private func skip(from first: Int, _ data: inout PNGDataHandle) -> Bool {
    var y = first
    while y < header.size.height {
      let count = min(rowsAtOnce, header.size.height - y)
      guard data.fill(filtered, count * (header.rowBytes + 1)) else { return false }
      y += count
    }
    return data.finish()
  }

  /// Converts columns of a row, and perhaps some before them, to four bytes per pixel,
  /// premultiplied if need be.
  private func paint(
    _ row: UnsafePointer<UInt8>,
    _ columns: Range<Int>,
    into target: UnsafeMutableRawBufferPointer
  ) {
    let (channels, depth) = (header.channels, header.depth)
    // Eight pixels of any depth are whole bytes.
    let first = columns.lowerBound & ~7
    let width = columns.upperBound - first
    let row = row + first / 8 * channels * depth
    let target = UnsafeMutableRawBufferPointer(rebasing: target[(first * 4)...].prefix(width * 4))
    guard let out = target.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    if !table.isEmpty { return ikran_png_look_up(row, depth, table, width, out) }
    if depth == 16, let levels {
      levels.expand(row, channels: channels, clear: clear, width: width, into: out)
    } else if clear.isEmpty {
      ikran_png_expand(row, channels, depth, nil, width, out, usesSIMD)
    } else {
      ikran_png_expand(row, channels, depth, clear, width, out, usesSIMD)
    }
    if isPremultiplied { premultiply(target) }
  }
}
