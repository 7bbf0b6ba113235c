import IkranPixels

/// What a GIF file says of one picture before its data (GIF89a, sections 20 and 23).
struct GIFFrameHeader {
  /// Where the picture lies on the screen, in pixels; parts of it may lie outside.
  let left: Int
  let top: Int
  let size: PixelSize
  /// Whether the rows are stored in four passes.
  let isInterlaced: Bool
  /// The index that shows what is below, nil when there is none.
  let transparentIndex: UInt8?
  /// The bytes of its colours, red, green and blue: its own or the shared ones, nil without both.
  let palette: Range<Int>?
  /// Where the data begins, with the size of its codes.
  let dataOffset: Int
}
