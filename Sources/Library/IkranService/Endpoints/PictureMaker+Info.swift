import Ikran
import IkranCodecs
import IkranPixels

extension PictureMaker {
  /// What is known of the file, as JSON; pixels are decoded for a hash alone.
  func description(of info: ImageInfo) throws(ServiceError) -> Made {
    let metadata = ImageMetadata(of: file.bytes.span)
    var description = SourceDescription(info, metadata, byteCount: file.bytes.count)
    if wanted.options.info.hasThumbHash {
      description.thumbhash = Base64.url.encoded(try thumbHash())
    }
    return Made(json: try .json(description))
  }

  private func thumbHash() throws(ServiceError) -> [UInt8] {
    let box = PixelSize(width: 100, height: 100)
    let small = try decoded(to: .inside(box, enlarges: false), colors: .sRGB)
    do throws(BitmapError) { return try small.thumbHash(workspace: workspace) } catch {
      throw ServiceError(RenderError.bitmap(error))
    }
  }
}
