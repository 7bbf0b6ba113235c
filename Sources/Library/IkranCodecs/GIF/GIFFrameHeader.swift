import IkranPixels

/// The description of one frame before its data (GIF89a, sections 20 and 23).
struct GIFFrameHeader: Sendable {
  /// The position on the screen, in pixels; parts of the picture may lie outside.
  let left: Int
  let top: Int
  let size: PixelSize
  /// Whether the rows are stored in four passes.
  let isInterlaced: Bool
  /// In milliseconds, as the file says.
  let delay: Int
  /// What becomes of its area, 0 to 7 (GIF89a, section 23).
  let disposal: UInt8
  /// The index of transparent pixels, nil when there is none.
  let transparentIndex: UInt8?
  /// The bytes of its palette (red, green, blue), local or global; nil when there is neither.
  let palette: Range<Int>?
  /// The offset of the data, which begins with the size of its codes.
  let dataOffset: Int

  /// Where and how the frame is drawn on a screen.
  ///
  /// The screen's background colour is ignored: what is disposed of becomes clear, as in browsers.
  /// Some old programs wrote 4 for 3, which browsers accept.
  func layout(on screen: PixelSize) -> FrameLayout {
    let disposal: FrameLayout.Disposal =
      switch disposal {
      case 2: .clear
      case 3, 4: .restore
      default: .keep
      }
    return FrameLayout(
      area: FrameArea(left: left, top: top, size: size, on: screen),
      pixelCount: size.pixelCount ?? .max,
      duration: delay,
      disposal: disposal,
      hasAlpha: transparentIndex != nil,
      isBlended: true
    )
  }
}
