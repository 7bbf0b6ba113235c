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

  /// What the request makes of a header.
  var planning: PictureRules {
    PictureRules(settings: settings, wanted: wanted, wishes: wishes)
  }

  /// Makes the picture; blocks for as long as that takes.
  func picture() throws(ServiceError) -> StoredResult {
    if wanted.source.isEmpty, wanted.options.avatar.canBeDrawn { return try drawnAvatar() }
    let info: ImageInfo
    do throws(DecodeError) { info = try codecs.probe(file.bytes.span) } catch {
      throw ServiceError(error)
    }
    try planning.check(info, byteCount: file.wholeCount ?? file.bytes.count)
    switch wanted.endpoint {
    case .info: return result(try description(of: info), of: info)
    case .avatar: return result(try avatar(of: info), of: info)
    case .picture: return result(try made(of: info), of: info)
    case .pixels: return result(try pixels(of: info), of: info)
    }
  }

  private func made(of info: ImageInfo) throws(ServiceError) -> Made {
    switch try planning.way(info) {
    case .asItIs: Made(bytes: file.bytes, format: info.format, size: info.uprightSize)
    case .still(let plan): try still(plan)
    case .animation(let plan): try animation(plan, frames: planning.shownFrames(info))
    }
  }

  /// The first picture of the file, in the pixels that are wanted.
  func decoded(to fitting: Fitting, colors: ColorHandling) throws(ServiceError) -> Bitmap {
    let (bytes, rules) = (file.bytes.span, rules(colors: colors))
    do throws(DecodeError) {
      guard file.wholeCount != nil else {
        return try codecs.decode(bytes, fitting: fitting, rules: rules, workspace: workspace).bitmap
      }
      let picture = try JPEGPrefix.decode(
        bytes,
        fitting: fitting,
        rules: rules,
        workspace: workspace
      )
      if let picture { return picture.bitmap }
    } catch { throw ServiceError(error) }
    throw .brokenImage(reason: "a scan at its beginning is damaged")
  }

  /// The first picture's pixels, as the options have it.
  func rendered(_ plan: ResultPlan) throws(ServiceError) -> Bitmap {
    let picture = try decoded(to: plan.fitting, colors: plan.colors)
    do throws(RenderError) {
      return try plan.render(picture, watermark: watermark, workspace: workspace)
    } catch { throw ServiceError(error) }
  }

  private func still(_ plan: ResultPlan) throws(ServiceError) -> Made {
    let picture = try rendered(plan)
    do throws(RenderError) {
      let output = wanted.options.output
      let keeps = !output.stripsMetadata || output.keepsCopyright
      // A beginning with a scan has all of it.
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
      sourceBytes: file.wholeCount ?? file.bytes.count,
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
