#if JXL
import IkranPixels

extension JXLHandle {
  /// How far decoding goes.
  enum Extent {
    case whole
    /// What is there of a file that is cut off.
    case beginning
  }

  /// Decodes the next frame; `levels` are what samples of 16 bits become, nil for those of 8.
  ///
  /// - Returns: The picture as it is stored; nil when nothing is there of it.
  /// - Throws: ``DecodeError``.
  mutating func picture(
    _ file: Span<UInt8>,
    _ header: JXLHeader,
    extent: Extent = .whole,
    levels: SampleLevels? = nil
  ) throws(DecodeError) -> Canvas? {
    let info = header.info
    let format: PixelFormat = info.hasAlpha ? .bgra : .bgrx
    var canvas = try Canvas.decoding(info.size, format, zeroed: extent == .beginning)
    let bytesPerRow = canvas.bytesPerRow
    let isThere = try canvas.withUnsafeMutableBytes { (pixels) throws(DecodeError) in
      let output = JXLOutput(pixels, info.size, bytesPerRow: bytesPerRow, levels: levels)
      return try read(file) { (handle) throws(DecodeError) in
        try handle.run(output, header, extent: extent, byteCount: file.count)
      }
    }
    guard isThere else { return nil }
    if levels == nil { canvas.exchangeRedAndBlue() }
    if header.isPremultiplied {
      canvas.limitToAlpha()
    } else if info.hasAlpha {
      canvas.multiplyByAlpha()
    }
    return canvas
  }

  /// Decodes to memory; false when nothing is there.
  private func run(
    _ output: JXLOutput,
    _ header: JXLHeader,
    extent: Extent,
    byteCount: Int
  ) throws(DecodeError) -> Bool {
    // libjxl calls it back until the last event.
    defer { withExtendedLifetime(output) {} }
    var (hasOutput, hasMeans) = (false, false)
    while true {
      switch next() {
      case .information, .frame: break
      case .colors: _ = colors(isGray: header.colors.model == .gray)
      case .output:
        try write(to: output)
        hasOutput = true
      case .means: hasMeans = true
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
