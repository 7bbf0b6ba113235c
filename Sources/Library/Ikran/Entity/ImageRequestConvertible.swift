public import IkranPixels

/// A custom type whose values have an image each, such as the photo of a program's model.
///
/// ```swift
/// extension Photo: ImageRequestConvertible {
///   func imageRequest(style: Style) -> ImageRequest? {
///     var request = ImageRequest(thumbnailURL, style: style)
///     request.signature = "\(revision)"
///     return request
///   }
/// }
/// let image = try await pipeline.image(of: photo, style: .circle(48))
/// ```
/// A model whose images are kept in separate tables is an ``ImageEntity``.
public protocol ImageRequestConvertible {
  /// The request for its image; nil for a value without one.
  ///
  /// It is called at each use, and must not wait: what has to be looked up first belongs in
  /// ``ImageRequest/init(id:style:priority:data:)``.
  func imageRequest(style: Style) -> ImageRequest?
}

extension ImagePipeline {
  /// Loads the image of a value of a custom type.
  ///
  /// - Throws: ``ImageError``, ``ImageError/invalidRequest(_:)`` for a value without one;
  ///   ``ImageError/cancelled`` at once when the task is cancelled.
  public func image(
    of model: some ImageRequestConvertible,
    style: Style = .original
  ) async throws(ImageError) -> Bitmap {
    guard let request = model.imageRequest(style: style) else {
      throw .invalidRequest("the value has no image")
    }
    return try await image(for: request)
  }
}
