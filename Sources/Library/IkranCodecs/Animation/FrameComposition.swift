import IkranPixels

/// The layouts of an animation's frames, and from which frame each one is composed.
struct FrameComposition: Sendable {
  let size: PixelSize
  let layouts: [FrameLayout]
  /// Whether a pixel of any composed frame may be transparent.
  private(set) var hasAlpha = false
  /// For each frame, whether the canvas is clear when it is drawn.
  private var beginsClear: [Bool] = []
  /// For each frame, the one that is drawn first to compose it, on a clear canvas.
  private var starts: [Int] = []

  /// Plans the frames; `layouts` has at least one.
  ///
  /// Cost: one pass.
  ///
  /// - Throws: ``DecodeError/overLimit(_:value:limit:)``.
  init(
    _ layouts: [FrameLayout],
    on size: PixelSize,
    limits: DecodeLimits
  ) throws(DecodeError) {
    self.size = size
    self.layouts = layouts
    try limits.checkAnimation(layouts, on: size)
    beginsClear.reserveCapacity(layouts.count)
    starts.reserveCapacity(layouts.count)
    var below = (isClear: true, isOpaque: false, start: 0)
    for (index, layout) in layouts.enumerated() {
      let isCovered = layout.area?.covers(size) ?? false
      let isKey = below.isClear || isCovered && layout.replacesArea
      let keepsOpaque = layout.area == nil || !layout.hasAlpha || layout.isBlended
      let isOpaque = isCovered && !layout.hasAlpha || below.isOpaque && keepsOpaque
      let start = isKey ? index : below.start
      beginsClear.append(below.isClear)
      starts.append(start)
      if !isOpaque { hasAlpha = true }
      switch layout.disposal {
      case .keep: below = (below.isClear && layout.area == nil, isOpaque, start)
      case .clear:
        let isClear = below.isClear || isCovered
        below = (isClear, layout.area == nil && below.isOpaque, start)
      case .restore: break
      }
    }
  }

  /// Descriptions for ``AnimationInfo``.
  var frames: [AnimationInfo.Frame] {
    layouts.indices.map { index in
      AnimationInfo.Frame(
        duration: layouts[index].duration,
        isKey: starts[index] == index,
        isBase: layouts[index].disposal != .restore
      )
    }
  }

  /// The frame that is drawn first, on a clear canvas, to compose `frame`.
  ///
  /// - Parameters:
  ///   - frame: A frame of this animation.
  ///   - incomplete: Frames that do not replace what is below, because their data ends early.
  /// - Returns: Its number, at most `frame`.
  func start(of frame: Int, excluding incomplete: Set<Int>) -> Int {
    if !incomplete.contains(starts[frame]) { return starts[frame] }
    for index in (0...frame).reversed() {
      if index < frame, layouts[index].disposal == .restore { continue }
      if beginsClear[index] { return index }
      let replaces = layouts[index].replacesArea && layouts[index].area?.covers(size) ?? false
      if replaces, !incomplete.contains(index) { return index }
    }
    return 0
  }

  /// The last frame on the way to `frame` that is drawn on a clear canvas.
  func clearStart(of frame: Int) -> Int {
    (0...frame).last { index in
      beginsClear[index] && (index == frame || layouts[index].disposal != .restore)
    } ?? 0
  }

  /// Whether the canvas is clear when `frame` is drawn.
  func isClear(below frame: Int) -> Bool { beginsClear[frame] }
}

extension AnimationInfo {
  /// What a file's chunks say: `plays` is 0 for ever, and `fault` what is wrong after the last
  /// frame.
  init(
    _ canvas: ImageInfo,
    _ composition: FrameComposition,
    plays: Int,
    _ isComplete: Bool,
    _ fault: DecodeError?
  ) {
    self.init(
      format: canvas.format,
      size: canvas.size,
      hasAlpha: composition.hasAlpha,
      frames: composition.frames,
      plays: plays == 0 ? nil : plays,
      end: fault.map(End.broken) ?? (isComplete ? .complete : .arriving)
    )
    orientation = canvas.orientation
  }
}
