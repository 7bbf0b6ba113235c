#if AVIF || HEIC
/// Darkens premultiplied colours of a row that lossy coding has made brighter than their alpha
/// allows.
func limitToAlpha(_ row: UnsafeMutableRawBufferPointer) {
  for x in stride(from: 0, to: row.count - 3, by: 4) {
    let alpha = row[x + 3]
    for channel in x..<x + 3 where row[channel] > alpha { row[channel] = alpha }
  }
}
#endif
