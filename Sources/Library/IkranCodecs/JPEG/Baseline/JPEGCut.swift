import IkranPixels

/// Where the data of a sequential JPEG file ends before its picture does.
struct JPEGCut: Sendable {
  /// How much is there of the rows that a picture needs.
  enum Share {
    case all, part, none
  }

  /// What the file is refused with.
  let error: DecodeError
  /// The rows of the stored picture down to the end of the last whole row of MCUs.
  private let rows: Int

  /// Learns from the notes of the whole picture, decoded at any size; nil where they name no row
  /// at which all ends.
  init?(_ notes: [DecodeNote], of bytes: Span<UInt8>) {
    guard case .cut(let rows, let height)? = notes.first, rows < height,
      JPEGDecoder().order(of: bytes) == .rows
    else { return nil }
    error = .truncated(.jpeg, offset: bytes.count)
    // The last row counts as missing: up to eight of them where the picture was reduced.
    self.rows = (rows / 8 + 1) * 8
  }

  /// How much is there of the rows that `fitting` needs; all where something else is wrong.
  ///
  /// Cost: reads the headers, and allocates the result.
  func share(
    of fitting: Fitting,
    in bytes: Span<UInt8>,
    rules: DecodeRules,
    workspace: Workspace
  ) -> Share {
    do throws(DecodeError) {
      let header = try JPEGHeader(bytes)
      let plan = try header.info.plan(fitting)
      try rules.limits.check(plan)
      let reduction = JPEGReduction(plan, header, limits: rules.limits)
      let sink = try PixelSink.open(
        reduction.plan,
        rows: reduction.decodedSize,
        format: .bgra,
        workspace: workspace
      )
      let (needed, end) = (sink.neededRows, rows * reduction.eighths / 8)
      // The last row may need the next one's chroma.
      if end - 1 <= needed.lowerBound { return .none }
      return end < needed.upperBound ? .part : .all
    } catch { return .all }
  }
}
