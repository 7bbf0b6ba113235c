import Ikran
import IkranCodecs
import IkranHTTP
import IkranPixels
import IkranStores
import IkranTransport

/// Makes one picture of a file: its header, its size, its pixels, and a file again.
///
/// For `/info` it ends with the header, for `/pixels` with the pixels, and an avatar may be drawn
/// without a file.
struct PictureMaker {
  let settings: ServiceSettings
  let wanted: ServiceRequest
  let wishes: ClientWishes
  let file: SourceFile
  let watermark: WatermarkPicture?
  let codecs: CodecList
  let workspace: Workspace
  /// Nil where the settings name no sizes.
  var tables: PixelTables?

  /// Makes the picture; blocks for as long as that takes.
  func picture() throws(ServiceError) -> StoredResult {
    if wanted.source.isEmpty, wanted.options.avatar.canBeDrawn { return try drawnAvatar() }
    let info: ImageInfo
    do throws(DecodeError) { info = try codecs.probe(file.bytes.span) } catch {
      throw ServiceError(error)
    }
    let frames = shownFrames(info)
    try check(info, frames: frames)
    switch wanted.endpoint {
    case .info: return result(try description(of: info), of: info)
    case .avatar: return result(try avatar(of: info), of: info)
    case .picture: return result(try made(of: info, frames), of: info)
    case .pixels: return result(try pixels(of: info), of: info)
    }
  }

  private func made(of info: ImageInfo, _ frames: Int) throws(ServiceError) -> Made {
    let rules = FormatRules(settings: settings.formats, wanted: wanted.options, wishes: wishes)
    if rules.isSkipped(info.format) {
      return Made(bytes: file.bytes, format: info.format, size: info.uprightSize)
    }
    let format = try rules.format(for: info, isAnimated: frames > 1)
    let isAnimated = frames > 1 && format.storesAnimations
    let plan = try resultPlan(info, as: format, isAnimated: isAnimated)
    return isAnimated ? try animation(plan, frames: frames) : try still(plan)
  }

  /// How many frames of the source are used.
  private func shownFrames(_ info: ImageInfo) -> Int {
    let limit = wanted.options.limits.animationFrames ?? settings.limits.animationFrames
    return info.isAnimated ? max(1, min(info.frames, limit)) : 1
  }

  /// Refuses sources over the service's limits, before their pixels take memory.
  private func check(_ info: ImageInfo, frames: Int) throws(ServiceError) {
    let (own, limits) = (wanted.options.limits, settings.limits)
    let bytes = own.sourceBytes ?? limits.sourceBytes
    if bytes > 0, file.bytes.count > bytes {
      throw .invalidImage(reason: "it has \(file.bytes.count) bytes; the limit is \(bytes)")
    }
    guard info.format != .svg else { return }
    let pixels = info.size.pixelCount ?? .max
    let frameLimit = own.animationFramePixels ?? limits.animationFramePixels
    let isOfFrames = frames > 1 && frameLimit > 0
    let limit = isOfFrames ? frameLimit : own.sourcePixels ?? limits.sourcePixels
    let (all, isTooMuch) = pixels.multipliedReportingOverflow(by: isOfFrames ? 1 : frames)
    if limit > 0, isTooMuch || all > limit {
      let reason = "it has \(info.size) pixels in \(frames) frames; the limit is \(limit)"
      throw .invalidImage(reason: reason)
    }
  }

  func resultPlan(
    _ info: ImageInfo,
    as format: ImageFormat,
    isAnimated: Bool
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

  /// The first picture's pixels, as the options have it.
  func rendered(_ plan: ResultPlan) throws(ServiceError) -> Bitmap {
    let picture: Bitmap
    do throws(DecodeError) {
      picture = try codecs.decode(
        file.bytes.span,
        fitting: plan.fitting,
        rules: rules(colors: plan.colors),
        workspace: workspace
      ).bitmap
    } catch { throw ServiceError(error) }
    do throws(RenderError) {
      return try plan.render(picture, watermark: watermark, workspace: workspace)
    } catch { throw ServiceError(error) }
  }

  private func still(_ plan: ResultPlan) throws(ServiceError) -> Made {
    let picture = try rendered(plan)
    do throws(RenderError) {
      let output = wanted.options.output
      let keeps = !output.stripsMetadata || output.keepsCopyright
      let metadata = keeps ? ImageMetadata(of: file.bytes.span) : ImageMetadata()
      let encoded = try encoder.encode(picture, as: plan.format, metadata: metadata) {
        workspace.isWanted
      }
      return Made(bytes: encoded.bytes, format: encoded.format, size: picture.size)
    } catch { throw ServiceError(error) }
  }

  private func animation(_ plan: ResultPlan, frames: Int) throws(ServiceError) -> Made {
    let source: (any FrameSource)?
    do throws(DecodeError) {
      source = try codecs.frames(of: file.bytes, rules: rules(colors: plan.colors))
    } catch { throw ServiceError(error) }
    guard let source else { return try still(plan) }
    let animation = AnimatedResult(plan: plan, mostFrames: frames, watermark: watermark)
    do throws(RenderError) {
      let encoded = try animation.encoded(source, by: encoder, workspace)
      let size = plan.layout?.canvas ?? plan.frame.whole.size
      return Made(bytes: encoded.bytes, format: encoded.format, size: size)
    } catch { throw ServiceError(error) }
  }

  /// The bytes of a result, and what they are.
  struct Made {
    let bytes: [UInt8]
    let contentType: String
    /// That of the name to save them by.
    let ending: String
    var size = PixelSize(width: 0, height: 0)

    init(bytes: [UInt8], format: ImageFormat, size: PixelSize) {
      (self.bytes, self.size) = (bytes, size)
      (contentType, ending) = (format.contentType, format.fileEnding)
    }

    init(json: [UInt8], size: PixelSize = PixelSize(width: 0, height: 0)) {
      (bytes, contentType, ending, self.size) = (json, "application/json", "json", size)
    }
  }

  /// How sources are decoded.
  func rules(colors: ColorHandling) -> DecodeRules {
    var rules = DecodeRules(colors: colors)
    rules.limits = DecodeLimits(settings.limits)
    // What a URL may raise, it has been allowed to.
    let own = wanted.options.limits
    rules.limits.maximumPixels = max(rules.limits.maximumPixels, own.sourcePixels ?? 0)
    rules.limits.maximumFrames = max(rules.limits.maximumFrames, own.animationFrames ?? 0)
    rules.usesThumbnails = wanted.options.framing.usesThumbnail
    return rules
  }

  var encoder: ResultEncoder {
    ResultEncoder(wanted.options.output, settings: QualitySettings(settings.formats))
  }

  func result(_ made: Made, of info: ImageInfo) -> StoredResult {
    let buster = settings.caching.eTagBuster.map { $0 + "/" } ?? ""
    let facts = StoredResult.Facts(
      contentType: made.contentType,
      tag: "\"\(buster)\(TableID(bytes: made.bytes))\"",
      content: file.content,
      freshUntil: file.freshUntil,
      filename: Self.filename(wanted, ending: made.ending),
      sourceSize: info.uprightSize,
      resultSize: made.size,
      sourceBytes: file.bytes.count,
      cacheControl: file.cacheControl
    )
    return StoredResult(facts: facts, body: BodyBytes(made.bytes))
  }

  /// The name of a file to save: the wanted one or the source's own; `image` where there is none.
  ///
  /// - Parameters:
  ///   - wanted: What was asked for.
  ///   - ending: In place of the source's; nil keeps that.
  /// - Returns: The name with its ending, without control characters.
  static func filename(_ wanted: ServiceRequest, ending: String?) -> String {
    let source = lastPart(of: wanted.source)
    let dot = source.lastIndex(of: ".") ?? source.endIndex
    let end = ending.map { "." + $0 } ?? printable(source[dot...])
    let stem = wanted.options.delivery.filename.map { printable($0) } ?? printable(source[..<dot])
    return (stem.isEmpty ? "image" : stem) + end
  }

  private static func lastPart(of url: String) -> Substring {
    let parts = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
    return parts.count > 1 ? parts.last ?? "" : ""
  }

  /// A text without control characters, which could begin another field.
  private static func printable(_ text: some StringProtocol) -> String {
    let safe = text.unicodeScalars.prefix(200).filter { $0.properties.generalCategory != .control }
    return String(String.UnicodeScalarView(safe))
  }
}
