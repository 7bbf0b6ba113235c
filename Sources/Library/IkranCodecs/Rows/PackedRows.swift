/// Where the rows of a picture without compression are in its file.
struct PackedRows: Sendable {
  /// Where the first row of the file begins.
  let start: Int
  /// From the beginning of one row to that of the next.
  let bytesPerRow: Int

  /// Where a row is, counted in the order of the file; nil when the bytes end before it does.
  func range(of row: Int, in bytes: Span<UInt8>) -> Range<Int>? {
    let (distance, overflow) = row.multipliedReportingOverflow(by: bytesPerRow)
    guard !overflow, start <= bytes.count, distance <= bytes.count - start,
      bytesPerRow <= bytes.count - start - distance
    else { return nil }
    return start + distance..<start + distance + bytesPerRow
  }
}
