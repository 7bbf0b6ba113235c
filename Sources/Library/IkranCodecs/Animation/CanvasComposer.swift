import IkranPixels

/// Composes frames on one canvas, with the decoder of any format.
final class CanvasComposer: FrameComposer {
  private let info: AnimationInfo
  private let composition: FrameComposition
  private let painter: any FramePainter
  /// nil before the first frame, and after an error.
  private var canvas: AnimationCanvas?
  /// The frame that the canvas shows; nil when it shows none.
  private var shown: Int?
  /// Whether the area of the frame shown can be restored: no when it is a key frame that was drawn
  /// on a canvas without the frames before it.
  private var knowsBelow = false
  /// Frames whose data ended early.
  private var incomplete: Set<Int> = []
  /// Frames that cannot be drawn, and why.
  private var damaged: [Int: DecodeError] = [:]
  /// Whether pixels that no frame has drawn may be seen, though the layouts leave none out.
  private var hasHoles = false

  /// What was ignored of the file's colours, once a frame is composed.
  private(set) var notes: [DecodeNote] = []
  private let colors: AnimationColors
  /// Made with the first frame: threads remember few profiles, and frames of many files alternate.
  private var colorPlan: ColorPlan?
  /// Whether composed pictures have other colours than the canvas.
  private var areConverted = false

  init(
    _ info: AnimationInfo,
    _ composition: FrameComposition,
    _ painter: any FramePainter,
    colors: AnimationColors = AnimationColors()
  ) {
    self.info = info
    self.colors = colors
    self.composition = composition
    self.painter = painter
  }

  func compose(
    _ frame: Int,
    from kept: (number: Int, bitmap: Bitmap)?,
    fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    guard composition.layouts.indices.contains(frame) else { throw missing(frame) }
    do { try fitting.check(in: info.uprightSize) } catch { throw .bitmap(error) }
    let colors = colorPlan ?? colors.plan(workspace)
    colorPlan = colors
    areConverted = colors.conversion != nil
    defer { notes = colors.notes + painter.notes }
    // Taken out, so that an error leaves no half-drawn canvas.
    var canvas: AnimationCanvas
    if let own = self.canvas.take() {
      canvas = own
    } else {
      canvas = try AnimationCanvas(size: info.size)
      shown = nil
    }
    try advance(&canvas, to: frame, kept)
    shown = frame
    let plan = RenderPlan(stored: info.size, orientation: info.orientation, fitting: fitting)
    let format: PixelFormat = info.hasAlpha || hasHoles ? .bgra : .bgrx
    let picture = try canvas.picture(plan, format, workspace: workspace)
    self.canvas = consume canvas
    return try colors.finish(picture, info.orientation, workspace: workspace).bitmap
  }

  private func missing(_ frame: Int) -> DecodeError {
    if case .broken(let error) = info.end { return error }
    return .malformed(
      info.format,
      offset: 0,
      reason: "it has \(info.frames.count) frames so far, none with the number \(frame)"
    )
  }

  /// Draws frames until the canvas shows `frame`.
  private func advance(
    _ canvas: inout AnimationCanvas,
    to frame: Int,
    _ kept: (number: Int, bitmap: Bitmap)?
  ) throws(DecodeError) {
    var start = composition.start(of: frame, excluding: incomplete)
    if let shown, leads(shown, to: frame, start), !canUse(kept, for: frame, after: shown) {
      return try paint(after: shown, to: frame, on: &canvas)
    }
    if let kept, canUse(kept, for: frame, after: start - 1) {
      canvas.load(kept.bitmap)
      hasHoles = kept.bitmap.format.hasAlpha && !info.hasAlpha
      return try paint(after: kept.number, to: frame, on: &canvas)
    }
    for attempt in 1... {
      canvas.clear()
      hasHoles = false
      try paint(start, to: frame, on: &canvas)
      knowsBelow = start < frame || composition.isClear(below: start)
      // Data that ended early shows what is below, which an earlier frame has to draw.
      guard incomplete.contains(start), !composition.isClear(below: start) else { return }
      // A file of such frames only must not be drawn from each of them in turn.
      start =
        attempt < 3
        ? composition.start(of: frame, excluding: incomplete) : composition.clearStart(of: frame)
    }
  }

  /// Whether the way from the frame shown is not longer than from `start`.
  private func leads(_ shown: Int, to frame: Int, _ start: Int) -> Bool {
    if shown == frame { return true }
    guard shown < frame, shown >= start || shown + 1 == frame else { return false }
    return knowsBelow || composition.layouts[shown].disposal != .restore
  }

  /// Whether `kept` shortens the way to `frame`, which otherwise begins after `reached`.
  private func canUse(_ kept: (number: Int, bitmap: Bitmap)?, for frame: Int, after reached: Int)
    -> Bool
  {
    guard let kept, kept.number > reached, kept.number <= frame, !areConverted else {
      return false
    }
    guard info.orientation == .up, kept.bitmap.size == info.size,
      kept.bitmap.format.bytesPerPixel == 4
    else { return false }
    // The picture of a frame that gives way does not show what is below it, so that the next frame
    // could not follow.
    return composition.layouts[kept.number].disposal != .restore
  }

  private func paint(
    after shown: Int,
    to last: Int,
    on canvas: inout AnimationCanvas
  ) throws(DecodeError) {
    if shown == last { return }
    dispose(of: shown, on: &canvas)
    knowsBelow = true
    try paint(shown + 1, to: last, on: &canvas)
  }

  private func paint(
    _ first: Int,
    to last: Int,
    on canvas: inout AnimationCanvas
  ) throws(DecodeError) {
    for (frame, error) in damaged where first <= frame && frame <= last {
      if frame == last || composition.layouts[frame].disposal != .restore { throw error }
    }
    for frame in first...last {
      let layout = composition.layouts[frame]
      if frame < last, layout.disposal == .restore { continue }
      if let area = layout.area {
        if layout.disposal == .restore { canvas.save(area) }
        if try !paint(frame, on: &canvas) {
          incomplete.insert(frame)
          if composition.isClear(below: frame) { hasHoles = true }
        } else if area.covers(info.size), !layout.hasAlpha {
          hasHoles = false
        }
      }
      if frame < last { dispose(of: frame, on: &canvas) }
    }
  }

  /// Draws one frame; false when its data ends early.
  private func paint(
    _ frame: Int,
    on canvas: inout AnimationCanvas
  ) throws(DecodeError) -> Bool {
    do throws(DecodeError) {
      return try painter.paint(frame, on: &canvas)
    } catch {
      // Memory may be there the next time.
      if case .bitmap = error {} else { damaged[frame] = error }
      throw error
    }
  }

  private func dispose(of frame: Int, on canvas: inout AnimationCanvas) {
    let layout = composition.layouts[frame]
    guard let area = layout.area else { return }
    switch layout.disposal {
    case .keep: break
    case .clear: canvas.clear(area)
    case .restore: canvas.restore(area)
    }
  }
}
