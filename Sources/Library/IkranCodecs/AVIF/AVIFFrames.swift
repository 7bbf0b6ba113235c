#if AVIF
import IkranPixels

/// The pictures of an AVIF sequence.
struct AVIFFrames: FrameSource {
  let info: AnimationInfo
  private let bytes: [UInt8]
  private let header: AVIFHeader
  private let limits: DecodeLimits
  private let handling: ColorHandling

  /// Reads the tables of a sequence; nil when no picture is complete.
  ///
  /// - Throws: ``DecodeError``.
  init?(
    _ bytes: [UInt8],
    _ header: AVIFHeader,
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) {
    let image = header.info
    // Each is decoded whole, however little of it is shown.
    let coded = header.coded.size
    let frame = FrameLayout(
      area: FrameArea(left: 0, top: 0, size: coded, on: coded),
      pixelCount: coded.pixelCount ?? .max,
      duration: 0,
      hasAlpha: image.hasAlpha,
      isBlended: false
    )
    let layouts = [FrameLayout](repeating: frame, count: image.frames)
    try rules.limits.checkAnimation(layouts, on: coded)
    let keys: [Bool]
    do throws(DecodeError) {
      let handle = try AVIFHandle.open(copying: bytes, header, limits: rules.limits)
      keys = (0..<min(handle.completeCount, image.frames)).map { handle.isKey($0) }
    } catch .truncated { return nil }
    guard !keys.isEmpty else { return nil }
    let frames = keys.indices.map { index in
      let duration = image.durations.indices.contains(index) ? image.durations[index] : 0
      // A picture of pixels does not help to decode the next.
      return AnimationInfo.Frame(duration: duration, isKey: keys[index], isBase: false)
    }
    let plays = image.loops ?? 0
    var info = AnimationInfo(
      format: .avif,
      size: image.size,
      hasAlpha: image.hasAlpha,
      frames: frames,
      plays: plays == 0 ? nil : plays
    )
    info.orientation = image.orientation
    if frames.count < image.frames {
      info.end = isPrefix ? .arriving : .broken(.truncated(.avif, offset: bytes.count))
    }
    self.info = info
    self.bytes = bytes
    self.header = header
    limits = rules.limits
    handling = rules.colors == .untouched ? .untouched : .sRGB
  }

  func makeComposer() -> sending any FrameComposer {
    AVIFComposer(info, bytes, header: header, limits: limits, handling: handling)
  }
}

extension AVIFHandle {
  /// How many pictures from the first on are all there.
  fileprivate var completeCount: Int {
    // In files of sequences, later pictures end later.
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high + 1) / 2
      if isThere(middle - 1) { low = middle } else { high = middle - 1 }
    }
    return low
  }
}

/// Decodes the pictures of a sequence, each in full.
private final class AVIFComposer: FrameComposer {
  private(set) var notes: [DecodeNote] = []
  private let info: AnimationInfo
  private let bytes: [UInt8]
  private let header: AVIFHeader
  private let limits: DecodeLimits
  private let handling: ColorHandling
  /// nil before the first picture, and after an error.
  private var handle: AVIFHandle?
  /// Made with the first picture: threads remember few profiles.
  private var colorPlan: ColorPlan?

  init(
    _ info: AnimationInfo,
    _ bytes: [UInt8],
    header: AVIFHeader,
    limits: DecodeLimits,
    handling: ColorHandling
  ) {
    self.info = info
    self.bytes = bytes
    self.header = header
    self.limits = limits
    self.handling = handling
  }

  func compose(
    _ frame: Int,
    from kept: (number: Int, bitmap: Bitmap)?,
    fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    guard info.frames.indices.contains(frame) else { throw missing(frame) }
    do { try fitting.check(in: info.uprightSize) } catch { throw .bitmap(error) }
    // Taken out, so that an error leaves no decoder in the middle of a picture.
    let handle =
      if let own = handle.take() { own } else {
        try AVIFHandle.open(copying: bytes, header, limits: limits)
      }
    try handle.decode(frame)
    let colors = colorPlan ?? handle.colorPlan(handling, workspace: workspace)
    colorPlan = colors
    notes = colors.notes
    let plan = RenderPlan(stored: info.size, orientation: info.orientation, fitting: fitting)
    let picture = try handle.render(plan, levels: colors.levels, workspace: workspace)
    self.handle = consume handle
    return try colors.finish(picture, info.orientation, workspace: workspace).bitmap
  }

  private func missing(_ frame: Int) -> DecodeError {
    if case .broken(let error) = info.end { return error }
    return .malformed(
      .avif,
      offset: 0,
      reason: "it has \(info.frames.count) frames so far, none with the number \(frame)"
    )
  }
}
#endif
