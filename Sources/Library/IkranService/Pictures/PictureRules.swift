import Ikran
import IkranCodecs
import IkranPixels

/// What a request makes of a source with a given header, before any pixel is decoded.
struct PictureRules: Sendable {
  /// How a picture is made.
  enum Way: Sendable {
    /// The source is sent as it is.
    case asItIs
    case still(ResultPlan)
    case animation(ResultPlan)
  }

  let settings: ServiceSettings
  let wanted: ServiceRequest
  let wishes: ClientWishes

  /// How many frames of the source are used.
  func shownFrames(_ info: ImageInfo) -> Int {
    let limit = wanted.options.limits.animationFrames ?? settings.limits.animationFrames
    return info.isAnimated ? max(1, min(info.frames, limit)) : 1
  }

  /// Refuses sources over the service's limits, before their pixels take memory.
  func check(_ info: ImageInfo, byteCount: Int) throws(ServiceError) {
    let (own, limits, frames) = (wanted.options.limits, settings.limits, shownFrames(info))
    let bytes = own.sourceBytes ?? limits.sourceBytes
    if bytes > 0, byteCount > bytes {
      let limit = "the limit is \(bytes) (IKRAN_MAX_SRC_FILE_SIZE)"
      throw .invalidImage(reason: "it has \(byteCount) bytes; \(limit)")
    }
    guard info.format != .svg else { return }
    let pixels = info.size.pixelCount ?? .max
    let frameLimit = own.animationFramePixels ?? limits.animationFramePixels
    let isOfFrames = frames > 1 && frameLimit > 0
    let limit = isOfFrames ? frameLimit : own.sourcePixels ?? limits.sourcePixels
    let (all, isTooMuch) = pixels.multipliedReportingOverflow(by: isOfFrames ? 1 : frames)
    if limit > 0, isTooMuch || all > limit {
      let setting = isOfFrames ? "MAX_ANIMATION_FRAME_RESOLUTION" : "MAX_SRC_RESOLUTION"
      let size = "\(info.size) pixels in \(frames) frame\(frames == 1 ? "" : "s")"
      let allowed = "\(Double(limit) / 1e6) megapixels (IKRAN_\(setting))"
      throw .invalidImage(reason: "it has \(size); the limit is \(allowed)")
    }
  }

  /// How the picture is made.
  func way(_ info: ImageInfo) throws(ServiceError) -> Way {
    let rules = FormatRules(settings: settings.formats, wanted: wanted.options, wishes: wishes)
    if rules.isSkipped(info.format) { return .asItIs }
    let isMoving = shownFrames(info) > 1
    let format = try rules.format(for: info, isAnimated: isMoving)
    let isAnimated = isMoving && format.storesAnimations
    let plan = try resultPlan(info, as: format, isAnimated: isAnimated)
    return isAnimated ? .animation(plan) : .still(plan)
  }

  /// What becomes of the pixels.
  func resultPlan(
    _ info: ImageInfo,
    as format: ImageFormat,
    isAnimated: Bool = false
  ) throws(ServiceError) -> ResultPlan {
    var limits = ResultLimits()
    limits.shrinksTo = wanted.options.limits.resultSide ?? settings.limits.resultSide
    do throws(RenderError) {
      return try ResultPlan(
        info,
        wanted.options,
        as: format,
        limits: limits,
        isAnimated: isAnimated
      )
    } catch { throw ServiceError(error) }
  }

  /// The pixels of the source that the picture is made of; nil where all bytes of the file are
  /// needed.
  func neededPixels(_ info: ImageInfo) -> Fitting? {
    switch wanted.endpoint {
    case .info, .pixels: return nil
    case .avatar:
      let avatar = wanted.options.avatar
      return (try? avatar.style()).flatMap { try? $0.fitting(scale: avatarScale) }
    case .picture:
      guard case .still(let plan)? = try? way(info) else { return nil }
      return plan.fitting
    }
  }

  /// Pixels of an avatar for each of the page.
  var avatarScale: Double {
    let limit = wanted.options.limits.resultSide ?? settings.limits.resultSide
    return wanted.options.avatar.scale(wanted.options.resizing.dpr, limit: limit)
  }
}
