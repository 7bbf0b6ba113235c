import CoreGraphics
import IkranApple
import IkranCodecs
import IkranPixels

/// The frames of an animation; ImageIO composes each.
///
/// All composers read one copy of the file.
struct ImageIOFrames: FrameSource {
  let info: AnimationInfo
  private let data: ImageIOData
  private let rules: DecodeRules

  init(_ info: AnimationInfo, _ data: ImageIOData, rules: DecodeRules) {
    (self.info, self.data, self.rules) = (info, data, rules)
  }

  func makeComposer() -> sending any FrameComposer { ImageIOComposer(info, data, rules: rules) }
}

/// Decodes frames one by one.
private final class ImageIOComposer: FrameComposer {
  private let info: AnimationInfo
  private let data: ImageIOData
  private let rules: DecodeRules
  /// Made with the first frame.
  private var source: ImageIOSource?

  init(_ info: AnimationInfo, _ data: ImageIOData, rules: DecodeRules) {
    (self.info, self.data, self.rules) = (info, data, rules)
  }

  func compose(
    _ frame: Int,
    from kept: (number: Int, bitmap: Bitmap)?,
    fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    guard info.frames.indices.contains(frame) else {
      throw .truncated(info.format, offset: data.count)
    }
    var picture = ImageInfo(format: info.format, size: info.size)
    picture.orientation = info.orientation
    let plan = try PicturePlan(
      picture,
      fitting: fitting,
      limits: rules.limits,
      byteCount: data.count
    )
    let opened =
      if let source { source } else {
        try ImageIOSource(data, isWhole: info.end != .arriving)
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
