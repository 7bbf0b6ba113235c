import IkranPixels

/// The description of one frame before its data (GIF89a, sections 20 and 23).
struct GIFFrameHeader {
  /// The position on the screen, in pixels; parts of the picture may lie outside.
  let left: Int
  let top: Int
  let size: PixelSize
  /// Whether the rows are stored in four passes.
  let isInterlaced: Bool
  /// The index of transparent pixels, nil when there is none.
  let transparentIndex: UInt8?
  /// The bytes of its palette (red, green, blue), local or global; nil when there is neither.
  let palette: Range<Int>?
  /// The offset of the data, which begins with the size of its codes.
  let dataOffset: Int
}
