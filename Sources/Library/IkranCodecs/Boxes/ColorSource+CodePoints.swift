#if AVIF || HEIC
extension ColorSource {
  /// The colours of pixels, which are red, green and blue in full range whatever the planes are, by
  /// code points of ITU-T H.273; nil where they say nothing.
  init?(primaries: Int, transfer: Int) {
    let isSilent = { (code: Int) in code == 0 || code == 2 }
    guard !isSilent(primaries) || !isSilent(transfer) else { return nil }
    self = .cicp(
      primaries: isSilent(primaries) ? 1 : UInt8(clamping: primaries),
      transfer: isSilent(transfer) ? 13 : UInt8(clamping: transfer),
      matrix: 0,
      isFullRange: true
    )
  }
}
#endif
