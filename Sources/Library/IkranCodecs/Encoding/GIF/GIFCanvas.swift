import IkranPixels

/// What the frames that were written show, and what they were meant to show.
struct GIFCanvas {
  /// One frame as GIF stores it.
  struct Picture {
    let area: FrameArea
    /// One index per pixel of the area.
    var indices: [UInt8] = []
    /// Words of red, green, blue and 255 (little-endian).
    var colors: [UInt32] = []
    /// The index of pixels that show what is below: the one after the colours.
    var transparentIndex: UInt8?

    /// The indices in use.
    var colorCount: Int { colors.count + (transparentIndex == nil ? 0 : 1) }
  }

  private let size: PixelSize
  /// Whether nothing was drawn yet.
  private var isNew = true
  /// The frames without loss; the same memory as ``shown`` as long as there was none.
  private var wanted: FramePixels
  private var shown: FramePixels

  /// A clear canvas.
  init(_ size: PixelSize) {
    self.size = size
    wanted = FramePixels(clear: size)
    shown = wanted
  }

  /// Draws a frame.
  ///
  /// - Parameters:
  ///   - frame: Pixels that are opaque or clear, and clear only where the canvas is.
  ///   - cleared: An area to clear afterwards, together with what is drawn.
  /// - Returns: The picture that does it; nil when the canvas has no pixels.
  mutating func draw(_ frame: FramePixels, clearing cleared: FrameArea?) -> Picture? {
    // What the first picture leaves out, and what is cleared behind one without a transparent
    // index, has the background's colour in some viewers, and is clear in others only.
    let needed = isNew ? frame.area : cleared
    isNew = false
    guard let picture = picture(of: frame, including: needed, clearing: cleared != nil) else {
      return nil
    }
    show(picture, of: frame)
    if cleared != nil { clear(picture.area) }
    return picture
  }

  /// Without loss if that is possible, else what differs from the frame before.
  private func picture(
    of frame: FramePixels,
    including needed: FrameArea?,
    clearing: Bool
  ) -> Picture? {
    guard let corner = FrameArea(left: 0, top: 0, size: PixelSize(width: 1, height: 1), on: size)
    else { return nil }
    var last: (FrameArea, FramePixels)?
    for below in [shown, wanted] {
      let changed = frame.difference(from: below)
      let area = changed?.union(needed, on: size) ?? needed ?? corner
      if let exact = exactPicture(of: frame, in: area, over: below, clearing: clearing) {
        return exact
      }
      last = (area, below)
    }
    guard let (area, below) = last else { return nil }
    var quantizer = ColorQuantizer(frame, in: area, over: below, isTransparent: clearing)
    return quantizer.picture()
  }

  /// A picture with each colour of the frame; nil when there are too many.
  private func exactPicture(
    of frame: FramePixels,
    in area: FrameArea,
    over below: FramePixels,
    clearing: Bool
  ) -> Picture? {
    let (hasUnchanged, hasClear) = frame.leavesOut(in: area, over: below)
    let isTransparent = hasUnchanged || hasClear || clearing
    var colors = ColorTable(limit: isTransparent ? 255 : 256)
    if let indices = colors.indices(of: frame, in: area, over: below) {
      return colors.picture(area, indices, isTransparent: isTransparent)
    }
    // All 256 colours are there when no index is transparent.
    guard hasUnchanged, !hasClear, !clearing else { return nil }
    colors = ColorTable(limit: 256)
    guard let indices = colors.indices(of: frame, in: area, over: nil) else { return nil }
    return colors.picture(area, indices, isTransparent: false)
  }

  private mutating func show(_ picture: Picture, of frame: FramePixels) {
    // Without another owner, the pixels shown are changed in place.
    wanted = frame
    var place = 0
    for y in picture.area.top..<picture.area.top + picture.area.height {
      let row = y * size.width
      for pixel in row + picture.area.left..<row + picture.area.left + picture.area.width {
        let index = picture.indices[place]
        if index != picture.transparentIndex { shown.words[pixel] = picture.colors[Int(index)] }
        place += 1
      }
    }
    if shown.difference(from: frame) == nil { shown = frame }
  }

  private mutating func clear(_ area: FrameArea) {
    for y in area.top..<area.top + area.height {
      let row = y * size.width + area.left
      for pixel in row..<row + area.width {
        wanted.words[pixel] = 0
        shown.words[pixel] = 0
      }
    }
  }
}

extension FramePixels {
  /// Whether an area has pixels that are as in `below`, and whether it has clear ones.
  fileprivate func leavesOut(in area: FrameArea, over below: FramePixels) -> (Bool, Bool) {
    var (hasUnchanged, hasClear) = (false, false)
    for y in area.top..<area.top + area.height {
      let row = y * size.width
      for place in row + area.left..<row + area.left + area.width {
        if words[place] == 0 { hasClear = true }
        if words[place] == below.words[place] { hasUnchanged = true }
      }
      if hasUnchanged, hasClear { break }
    }
    return (hasUnchanged, hasClear)
  }
}
