#if JXL
import IkranPixels

/// The frames of an animated JPEG XL file, which libjxl composes.
struct JXLFrames: FrameSource {
  let info: AnimationInfo
  private let bytes: [UInt8]
  private let header: JXLHeader
  private let colors: AnimationColors

  /// Describes the frames; nil when there is only one, or none that is complete.
  ///
  /// - Throws: ``DecodeError``.
  init?(
    _ bytes: [UInt8],
    _ header: JXLHeader,
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) {
    let durations = header.durations
    guard !durations.isEmpty, durations.count > 1 || !header.isComplete else { return nil }
    let still = header.info
    let area = FrameArea(left: 0, top: 0, size: still.size, on: still.size)
    let layouts = durations.map { duration in
      FrameLayout(
        area: area,
        pixelCount: still.size.pixelCount ?? .max,
        duration: duration,
        hasAlpha: still.hasAlpha,
        isBlended: false
      )
    }
    try rules.limits.checkAnimation(layouts, on: still.size)
    var fault = header.fault
    if !header.isComplete, !isPrefix {
      fault = fault ?? .truncated(.jpegXL, offset: bytes.count)
    }
    var info = AnimationInfo(
      format: .jpegXL,
      size: still.size,
      hasAlpha: still.hasAlpha,
      frames: durations.indices.map {
        // libjxl does not tell which frames need others.
        AnimationInfo.Frame(duration: durations[$0], isKey: $0 == 0, isBase: false)
      },
      plays: header.plays == 0 ? nil : header.plays,
      end: fault.map(AnimationInfo.End.broken) ?? (header.isComplete ? .complete : .arriving)
    )
    info.orientation = still.orientation
    self.info = info
    self.bytes = bytes
    self.header = header
    colors = AnimationColors(header.colors, rules)
  }

  func makeComposer() -> sending any FrameComposer {
    JXLComposer(info, bytes, header: header, colors: colors)
  }
}

/// Decodes frames in their order; for an earlier one it begins again.
final class JXLComposer: FrameComposer {
  private let info: AnimationInfo
  private let bytes: [UInt8]
  private let header: JXLHeader
  private let colors: AnimationColors
  private var colorPlan: ColorPlan?
  private var handle: JXLHandle?
  /// The frame that the decoder reads next.
  private var next = 0
  /// The frame that was decoded last.
  private var shown: (frame: Int, picture: Bitmap)?

  private(set) var notes: [DecodeNote] = []

  init(
    _ info: AnimationInfo,
    _ bytes: [UInt8],
    header: JXLHeader,
    colors: AnimationColors
  ) {
    (self.info, self.bytes, self.header, self.colors) = (info, bytes, header, colors)
  }

  func compose(
    _ frame: Int,
    from kept: (number: Int, bitmap: Bitmap)?,
    fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    guard info.frames.indices.contains(frame) else { throw missing(frame) }
    do { try fitting.check(in: info.uprightSize) } catch { throw .bitmap(error) }
    let plan = colorPlan ?? colors.plan(workspace)
    colorPlan = plan
    notes = plan.notes
    let stored = try decode(frame)
    let part = RenderPlan(stored: info.size, orientation: info.orientation, fitting: fitting)
    let bitmap = try PixelSink.render(stored, part, workspace: workspace)
    return try plan.finish(bitmap, info.orientation, workspace: workspace).bitmap
  }

  private func decode(_ frame: Int) throws(DecodeError) -> Bitmap {
    if let shown, shown.frame == frame { return shown.picture }
    shown = nil
    // Taken out, so that an error leaves no decoder that cannot go on.
    var handle: JXLHandle
    if let own = self.handle.take(), next <= frame {
      handle = own
    } else {
      handle = try JXLHandle(decodes: true)
      next = 0
    }
    handle.skip(frame - next)
    let file = bytes
    guard let canvas = try handle.picture(file.span, header) else { throw JXLHeader.nonsense }
    let picture = canvas.finish()
    self.handle = consume handle
    next = frame + 1
    shown = (frame, picture)
    return picture
  }

  private func missing(_ frame: Int) -> DecodeError {
    if case .broken(let error) = info.end { return error }
    return .malformed(
      .jpegXL,
      offset: 0,
      reason: "it has \(info.frames.count) frames so far, none with the number \(frame)"
    )
  }
}
#endif
