#if CLibraries
extension Duration {
  /// Whole milliseconds, rounded up, at least 1 (0 would mean no timeout at all), at most libcurl's
  /// largest.
  var curlMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds < Int64(CInt.max) / 1000 else { return Int(CInt.max) }
    guard seconds >= 0 else { return 1 }
    let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return max(1, Int(seconds * 1000 + milliseconds))
  }
}
#endif
