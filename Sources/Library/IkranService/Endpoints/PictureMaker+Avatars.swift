import Ikran
import IkranCodecs
import IkranPixels
import IkranText

extension PictureMaker {
  private var avatar: AvatarOptions { wanted.options.avatar }

  private var scale: Double { planning.avatarScale }

  /// The first picture of the file in an avatar's style.
  func avatar(of info: ImageInfo) throws(ServiceError) -> Made {
    let style = try avatar.style()
    let fitting = try fitted { () throws(StyleError) in try style.fitting(scale: scale) }
    let picture = try decoded(to: fitting, colors: .sRGB)
    return try finished(picture, in: style, like: info.format)
  }

  /// The initials of a name, or what a hash shows, in an avatar's style.
  func drawnAvatar() throws(ServiceError) -> StoredResult {
    let style = try avatar.style()
    let drawn = try finished(try drawing(style), in: style, like: .png)
    return result(drawn, of: ImageInfo(format: .png, size: drawn.size))
  }

  private func drawing(_ style: Style) throws(ServiceError) -> Bitmap {
    if let name = avatar.name {
      guard let size = style.fixedSize(scale: scale) else {
        throw .option(name: "style", reason: "has no size")
      }
      do throws(TextError) { return try .initials(name, size: size) } catch {
        throw .failed(reason: "\(error)")
      }
    }
    do throws(BitmapError) { return try Bitmap(thumbHash: avatar.thumbHash ?? []) } catch {
      throw .option(name: "thumbhash", reason: "is none: \(error)")
    }
  }

  /// What a style makes; its errors are those of its option.
  private func fitted<Value>(
    _ make: () throws(StyleError) -> Value
  ) throws(ServiceError) -> Value {
    do throws(StyleError) { return try make() } catch {
      throw .option(name: "style", reason: "is none: \(error)")
    }
  }

  /// A picture in a style, written in the format that the client takes.
  private func finished(
    _ picture: Bitmap,
    in style: Style,
    like source: ImageFormat
  ) throws(ServiceError) -> Made {
    let styled = try fitted { () throws(StyleError) in
      try picture.styled(style, scale: scale, workspace: workspace)
    }
    var info = ImageInfo(format: styled.format.hasAlpha ? .png : source, size: styled.size)
    info.hasAlpha = styled.format.hasAlpha
    let rules = FormatRules(settings: settings.formats, wanted: wanted.options, wishes: wishes)
    let format = try rules.format(for: info, isAnimated: false)
    let ground = wanted.options.effects.background ?? (format.keepsAlpha ? nil : .white)
    do throws(RenderError) {
      let picture = try RenderError.pixels { () throws(BitmapError) in
        guard let ground else { return styled }
        return try styled.flattened(over: ground)
      }
      let encoded = try encoder.encode(picture, as: format) { workspace.isWanted }
      return Made(bytes: encoded.bytes, format: encoded.format, size: picture.size)
    } catch { throw ServiceError(error) }
  }
}
