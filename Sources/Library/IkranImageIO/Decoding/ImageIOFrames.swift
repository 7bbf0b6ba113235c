import CoreGraphics
import IkranApple
import IkranCodecs
import IkranPixels

/// The frames of an animation; ImageIO composes each.
struct ImageIOFrames: FrameSource {
  let info: AnimationInfo
  private let bytes: [UInt8]
  private let rules: DecodeRules

  init(_ info: AnimationInfo, _ bytes: [UInt8], rules: DecodeRules) {
    (self.info, self.bytes, self.rules) = (info, bytes, rules)
  }

  func makeComposer() -> sending any FrameComposer { ImageIOComposer(info, bytes, rules: rules) }
}

/// Decodes frames one by one.
private final class ImageIOComposer: FrameComposer {
  private let info: AnimationInfo
  private let bytes: [UInt8]
  private let rules: DecodeRules
  /// Made with the first frame.
  private var source: ImageIOSource?

  init(_ info: AnimationInfo, _ bytes: [UInt8], rules: DecodeRules) {
    (self.info, self.bytes, self.rules) = (info, bytes, rules)
  }

  func compose(
    _ frame: Int,
    from kept: (number: Int, bitmap: Bitmap)?,
    fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    guard info.frames.indices.contains(frame) else {
      throw .truncated(info.format, offset: bytes.count)
    }
    var picture = ImageInfo(format: info.format, size: info.size)
    picture.orientation = info.orientation
    let plan = try PicturePlan(
      picture,
      fitting: fitting,
      limits: rules.limits,
      byteCount: bytes.count
    )
    let opened =
      if let source { source } else {
        try ImageIOSource(bytes, isWhole: info.end != .arriving)
      }
    source = opened
    let colors = rules.colors == .untouched ? ColorHandling.untouched : .sRGB
    let image = try opened.image(at: frame, longestSide: plan.longestSide, of: info.format)
    let bitmap = try plan.finish(image, colors: colors, workspace: workspace)
    do throws(BitmapError) {
      return try bitmap.converted(to: info.hasAlpha ? .bgra : .bgrx)
    } catch {
      throw .bitmap(error)
    }
  }
}

extension PicturePlan {
  /// Draws what ImageIO has decoded, and makes the pixels of it that are wanted.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError``.
  func finish(
    _ image: CGImage,
    colors: ColorHandling,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    do throws(BitmapError) {
      let bitmap = try Bitmap(drawing: image, colors: DrawnColors(colors))
      return try finish(bitmap, workspace: workspace)
    } catch {
      throw .bitmap(error)
    }
  }
}

extension DrawnColors {
  fileprivate init(_ handling: ColorHandling) {
    self =
      switch handling {
      case .untouched: .untouched
      case .keepProfile: .withProfile
      default: .converted
      }
  }
}
