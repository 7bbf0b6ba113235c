import IkranPixels

extension RowReader {
  /// Decodes to the pixels that `fitting` describes, upright.
  ///
  /// Cost: one row of memory and what the resampler needs; nothing is allocated before the limits
  /// are checked.
  ///
  /// - Throws: ``DecodeError``.
  mutating func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    let plan = try begin(bytes, fitting: fitting, limits: rules.limits)
    let (stored, _) = try render(bytes, plan, isCut: false, workspace: workspace)
    let plannedColors = ColorPlan(colors, handling: rules.colors, workspace: workspace)
    return try plannedColors.finish(stored, info.orientation, workspace: workspace)
  }

  /// Decodes what is there of a file to the pixels that `fitting` describes, upright; rows that are
  /// missing are clear.
  ///
  /// - Returns: The picture; nil when none of the rows that are needed is there.
  /// - Throws: ``DecodeError``.
  mutating func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    let plan = try begin(bytes, fitting: fitting, limits: rules.limits)
    let (stored, rows) = try render(bytes, plan, isCut: true, workspace: workspace)
    guard !rows.isEmpty else { return nil }
    let height = info.size.height
    let count = isBottomUp ? height - rows.lowerBound : rows.upperBound
    let plannedColors = ColorPlan(colors, handling: rules.colors, workspace: workspace)
    let cut = DecodeNote.cut(rows: count, height: height)
    return try plannedColors.finish(stored, info.orientation, cut, workspace: workspace)
  }

  /// Checks the limits and prepares for rows.
  private mutating func begin(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    limits: DecodeLimits
  ) throws(DecodeError) -> RenderPlan {
    try limits.check(info, byteCount: bytes.count, holding: 0)
    let plan = try info.plan(fitting)
    try limits.check(plan)
    // No format has more pixels in a byte: what the bytes cannot hold takes no memory.
    guard info.size.width / 128 <= bytes.count else {
      throw .truncated(info.format, offset: bytes.count)
    }
    try begin(bytes, limits: limits)
    return plan
  }

  /// The picture in stored orientation, and the rows from the first that is there to the last.
  ///
  /// Where the file may be cut, a row that is missing is clear; otherwise it is an error.
  private mutating func render(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    isCut: Bool,
    workspace: Workspace
  ) throws(DecodeError) -> (picture: Bitmap, rows: Range<Int>) {
    let hasAlpha = hasAlpha
    var sink = try PixelSink.open(
      plan,
      rows: info.size,
      format: hasAlpha || isCut ? .bgra : .bgrx,
      workspace: workspace
    )
    var pixels = [UInt32](repeating: 0, count: info.size.width)
    var rows = 0..<0
    for y in sink.neededRows {
      do throws(DecodeError) {
        try read(row: y, of: bytes, into: &pixels)
        if hasAlpha { premultiply(&pixels) }
        rows = rows.isEmpty ? y..<y + 1 : rows.lowerBound..<y + 1
      } catch {
        guard isCut, case .truncated = error else { throw error }
        for x in pixels.indices { pixels[x] = 0 }
      }
      try sink.nextRow(pixels)
    }
    return (try sink.finish(), rows)
  }
}
