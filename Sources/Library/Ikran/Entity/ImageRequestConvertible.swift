public import IkranPixels

/// A type of the program's own whose values have an image each, such as the photo of its model.
///
/// ```swift
/// extension Photo: ImageRequestConvertible {
///   func imageRequest(style: Style) -> ImageRequest {
///     var request = ImageRequest(thumbnailURL, style: style)
///     request.signature = "\(revision)"
///     return request
///   }
/// }
/// let image = try await pipeline.image(of: photo, style: .circle(48))
/// ```
/// A model whose images are kept in tables of its own is an ``ImageEntity``.
public protocol ImageRequestConvertible {
  /// The request for its image. It is called at each use, and must not wait: what has to be looked
  /// up first belongs in ``ImageRequest/init(id:style:priority:data:)``.
  func imageRequest(style: Style) -> ImageRequest
}

extension ImagePipeline {
  /// Loads the image of a value of the program's own type.
  ///
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled.
  public func image(
    of model: some ImageRequestConvertible,
    style: Style = .original
  ) async throws(ImageError) -> Bitmap {
    try await image(for: model.imageRequest(style: style))
  }
}
