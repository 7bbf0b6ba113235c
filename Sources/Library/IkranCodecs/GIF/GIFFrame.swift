import IkranPixels

/// One frame of a GIF file: palette indices, and their position on the logical screen.
struct GIFFrame: ~Copyable {
  private let header: GIFFrameHeader
  /// Has the indices as stored; the last ones may be missing.
  private let decoder: LZWReader
  /// 256 words of blue, green, red, 255 (little-endian).
  private let colors: [UInt32]
  /// The stored position of each row.
  private let storedRows: [Int]

  /// Decodes the picture that `header` describes.
  ///
  /// - Throws: ``DecodeError``.
  init(
    _ bytes: Span<UInt8>,
    _ header: GIFFrameHeader,
    limits: DecodeLimits
  ) throws(DecodeError) {
    let size = header.size
    guard size.isPositive else {
      throw .malformed(.gif, offset: header.dataOffset, reason: "the picture is \(size) pixels")
    }
    let count = size.pixelCount ?? .max
    try limits.checkPixels(of: size, holding: Self.heldPixels(size))
    var decoder = LZWReader()
    guard try decoder.decode(bytes, at: header.dataOffset, pixelCount: count) > 0 else {
      throw .malformed(.gif, offset: header.dataOffset, reason: "the picture has no pixels")
    }
    self.header = header
    self.decoder = decoder
    colors = Self.colors(bytes, header.palette)
    storedRows = Self.storedRows(size.height, isInterlaced: header.isInterlaced)
  }

  /// Decodes what is there of a picture; nil before its first row is, and of an interlaced picture
  /// before the first pass is whole.
  ///
  /// Rows that are missing of an interlaced picture show the nearest one above that is there.
  ///
  /// - Throws: ``DecodeError``.
  init?(
    beginning bytes: Span<UInt8>,
    _ header: GIFFrameHeader,
    limits: DecodeLimits
  ) throws(DecodeError) {
    let size = header.size
    guard size.isPositive, let count = size.pixelCount else { return nil }
    try limits.checkPixels(of: size, holding: Self.heldPixels(size))
    var decoder = LZWReader()
    do throws(DecodeError) {
      _ = try decoder.decode(bytes, at: header.dataOffset, pixelCount: count)
    } catch .truncated {
      // As far as it goes.
    }
    let rows = decoder.count / size.width
    guard rows >= (header.isInterlaced ? (size.height + 7) / 8 : 1) else { return nil }
    let stored = Self.storedRows(size.height, isInterlaced: header.isInterlaced)
    self.header = header
    self.decoder = decoder
    colors = Self.colors(bytes, header.palette)
    guard header.isInterlaced else {
      storedRows = stored
      return
    }
    storedRows = (0..<size.height).map { y in
      let nearest = [y, y & ~1, y & ~3].first { stored[$0] < rows } ?? y & ~7
      return stored[nearest]
    }
  }

  /// Whether the data ended before the last pixel.
  var isIncomplete: Bool { decoder.count < header.size.pixelCount ?? 0 }

  /// How many rows are there of a screen of `height` rows; all of an interlaced picture.
  func rowCount(of height: Int) -> Int {
    if header.isInterlaced || !isIncomplete { return height }
    return min(header.top + decoder.count / header.size.width, height)
  }

  /// Whether rows are missing that are clear.
  var hasMissingRows: Bool { !header.isInterlaced && isIncomplete }

  /// The pixels that have as much memory as the indices of a picture.
  static func heldPixels(_ size: PixelSize) -> Int { size.pixelCount.map { $0 / 4 } ?? .max }

  /// Draws the picture on an empty screen, cropped and scaled as `plan` says.
  func render(
    on screen: PixelSize,
    _ plan: RenderPlan,
    hasAlpha: Bool,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    var table = colors
    if hasAlpha, let transparent = header.transparentIndex { table[Int(transparent)] = 0 }
    let format: PixelFormat = hasAlpha ? .bgra : .bgrx
    var sink = try PixelSink.open(
      plan,
      rows: screen,
      format: format,
      updating: hasAlpha ? try clearPicture(of: screen, plan) : nil,
      workspace: workspace
    )
    let empty: UInt32 = hasAlpha ? 0 : 0xFF00_0000
    var row = [UInt32](repeating: empty, count: screen.width)
    let rows = sink.neededRows
    try decoder.withIndexSpan { (indices) throws(DecodeError) in
      for y in rows {
        drawRow(y - header.top, of: indices, table, empty, into: &row)
        try sink.nextRow(row)
      }
    }
    return try sink.finish()
  }

  /// A clear result, of which only what the frame covers is computed; nil where that is most of the
  /// screen, and where a plan does not scale.
  ///
  /// A file of 43 bytes can declare a screen of a thousand megapixels and a frame of one pixel.
  private func clearPicture(
    of screen: PixelSize,
    _ plan: RenderPlan
  ) throws(DecodeError) -> Resampler.Update? {
    guard !plan.isIdentity, !plan.isIsolated, plan.cut == nil,
      let area = FrameArea(left: header.left, top: header.top, size: header.size, on: screen),
      area.width * area.height <= screen.width * screen.height / 2
    else { return nil }
    do throws(BitmapError) {
      let clear = try Canvas(size: plan.output, format: .bgra, zeroed: true).finish()
      return Resampler.Update(clear, changed: area.rectangle)
    } catch { throw .bitmap(error) }
  }

  private func drawRow(
    _ y: Int,
    of indices: Span<UInt8>,
    _ table: [UInt32],
    _ empty: UInt32,
    into row: inout [UInt32]
  ) {
    let start = storedRows.indices.contains(y) ? storedRows[y] * header.size.width : indices.count
    let onScreen = max(0, min(header.size.width, row.count - header.left))
    let present = max(0, min(onScreen, indices.count - start))
    for x in 0..<present { row[header.left + x] = table[Int(indices[start + x])] }
    for x in present..<onScreen { row[header.left + x] = empty }
  }

  /// The colours at `palette`, then black; a gray ramp when there is no palette.
  static func colors(_ bytes: Span<UInt8>, _ palette: Range<Int>?) -> [UInt32] {
    guard let palette else {
      return (0..<256).map { 0xFF00_0000 | UInt32($0) &* 0x01_0101 }
    }
    var colors = [UInt32](repeating: 0xFF00_0000, count: 256)
    for index in 0..<palette.count / 3 {
      for channel in 0..<3 {
        let value = bytes.byte(at: palette.lowerBound + index * 3 + channel) ?? 0
        colors[index] |= UInt32(value) << UInt32(16 - channel * 8)
      }
    }
    return colors
  }

  private static func storedRows(_ height: Int, isInterlaced: Bool) -> [Int] {
    var rows = [Int](repeating: 0, count: height)
    for (stored, y) in GIFRowOrder(height: height, isInterlaced: isInterlaced) { rows[y] = stored }
    return rows
  }
}
