import IkranCodecs
import IkranPixels

/// An animation of which each frame is made like a single picture.
///
/// Frames are decoded, rendered and written one after the other: memory holds one of them, and the
/// file.
struct AnimatedResult {
  /// One made for an animated result.
  let plan: ResultPlan
  /// The first of these are kept.
  let mostFrames: Int
  let watermark: WatermarkPicture?

  /// Writes the file.
  ///
  /// - Parameters:
  ///   - source: The frames.
  ///   - encoder: Writes them in the plan's format: GIF, PNG, WebP or JPEG XL.
  ///   - workspace: Working memory; once its decodes are cancelled no further frame is made.
  /// - Returns: The file.
  /// - Throws: ``RenderError``.
  func encoded(
    _ source: any FrameSource,
    by encoder: ResultEncoder,
    _ workspace: Workspace = Workspace()
  ) throws(RenderError) -> EncodedResult {
    let size = plan.layout?.canvas ?? plan.frame.whole.size
    let encoder = encoder.suited(to: plan.format.limited(size))
    let first = try similar(source, by: encoder, workspace)
    let bytes = try encoder.fitted(plan.format, from: first) { (encoding) throws(RenderError) in
      try file(of: source, as: encoding, workspace)
    }
    return EncodedResult(bytes: bytes, format: plan.format)
  }

  /// The quality in which the first frame is as similar as is wanted; nil where none is looked for.
  private func similar(
    _ source: any FrameSource,
    by encoder: ResultEncoder,
    _ workspace: Workspace
  ) throws(RenderError) -> ResultEncoder.Trial? {
    guard encoder.comparesPictures(plan.format) else { return nil }
    let picture = try frame(0, from: source.makeComposer(), workspace)
    let found = try encoder.similar(to: picture, as: plan.format) {
      (encoding) throws(RenderError) in
      try workspace.checkIsWanted()
      do throws(EncodeError) { return try picture.encoded(as: encoding) } catch {
        throw .encode(error)
      }
    }
    return ResultEncoder.Trial(quality: found.quality)
  }

  private func file(
    of source: any FrameSource,
    as encoding: ImageEncoding,
    _ workspace: Workspace
  ) throws(RenderError) -> [UInt8] {
    let composer = source.makeComposer()
    var writer: AnimationEncoder?
    for (number, info) in source.info.frames.prefix(max(1, mostFrames)).enumerated() {
      guard workspace.isWanted else { throw .cancelled }
      let picture = try frame(number, from: composer, workspace)
      do throws(EncodeError) {
        if writer == nil { writer = try begin(encoding, with: picture, source.info) }
        try writer?.add(picture, duration: info.duration)
      } catch { throw .encode(error) }
    }
    do throws(EncodeError) { return try writer?.finish() ?? [] } catch { throw .encode(error) }
  }

  private func begin(
    _ encoding: ImageEncoding,
    with frame: Bitmap,
    _ info: AnimationInfo
  ) throws(EncodeError) -> AnimationEncoder {
    let hasAlpha = plan.ground == nil && (info.hasAlpha || frame.format.hasAlpha)
    return try AnimationEncoder(encoding, size: frame.size, plays: info.plays, hasAlpha: hasAlpha)
  }

  private func frame(
    _ number: Int,
    from composer: any FrameComposer,
    _ workspace: Workspace
  ) throws(RenderError) -> Bitmap {
    let frame: Bitmap
    do throws(DecodeError) {
      frame = try composer.compose(number, from: nil, fitting: plan.fitting, workspace: workspace)
    } catch { throw .decode(error) }
    return try plan.render(frame, watermark: watermark, workspace: workspace)
  }
}
