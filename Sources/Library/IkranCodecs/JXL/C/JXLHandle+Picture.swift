#if JXL
import IkranPixels

extension JXLHandle {
  /// How far decoding goes.
  enum Extent {
    case whole
    /// The means of squares will do.
    case means
    /// What is there of a file that is cut off.
    case beginning
  }

  /// Decodes the next frame.
  ///
  /// - Returns: The picture as it is stored; nil when nothing is there of it.
  /// - Throws: ``DecodeError``.
  mutating func picture(
    _ file: Span<UInt8>,
    _ header: JXLHeader,
    extent: Extent = .whole
  ) throws(DecodeError) -> Canvas? {
    let info = header.info
    let format: PixelFormat = info.hasAlpha ? .bgra : .bgrx
    var canvas = try WebPHandle.newCanvas(info.size, format, zeroed: extent == .beginning)
    let isThere = try canvas.withUnsafeMutableBytes { (pixels) throws(DecodeError) in
      try read(file) { (handle) throws(DecodeError) in
        try handle.run(pixels, header, extent: extent, byteCount: file.count)
      }
    }
    guard isThere else { return nil }
    canvas.exchangeRedAndBlue(isPremultiplied: header.isPremultiplied)
    if header.isPremultiplied { canvas.limitToAlpha() }
    return canvas
  }

  /// Decodes to memory; false when nothing is there.
  private func run(
    _ pixels: UnsafeMutableRawBufferPointer,
    _ header: JXLHeader,
    extent: Extent,
    byteCount: Int
  ) throws(DecodeError) -> Bool {
    var (hasOutput, hasMeans) = (false, false)
    while true {
      switch next() {
      case .information, .frame: break
      case .colors: _ = colors(isGray: header.colors.model == .gray)
      case .output:
        try write(to: pixels)
        hasOutput = true
      case .means:
        hasMeans = true
        if extent == .means, hasOutput, flush() { return true }
      case .picture: return true
      case .cut:
        guard extent == .beginning else { throw .truncated(.jpegXL, offset: byteCount) }
        // Without means, what is missing would be black.
        return hasOutput && hasMeans && flush()
      case .end, .damage: throw JXLHeader.nonsense
      }
    }
  }
}
#endif
