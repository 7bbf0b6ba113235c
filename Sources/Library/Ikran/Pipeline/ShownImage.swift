package import IkranPixels
package import IkranPlayback

/// The image that a view shows in the frame in which it requests one.
package struct ShownImage: Sendable {
  package let image: Bitmap
  /// All frames of an animated file; nil for a still.
  package let animation: Animation?
  package let source: ImageSource
  /// Whether nothing else is to be done; else the origin has to be asked.
  package let isCurrent: Bool

  init(_ hit: LoadedImage, isCurrent: Bool) {
    (image, animation, source) = (hit.cached.image, hit.cached.animation, hit.source)
    self.isCurrent = isCurrent
  }
}

extension ShownImage {
  /// An image that needs no request.
  package init(_ image: Bitmap, _ animation: Animation?, from source: ImageSource = .data) {
    (self.image, self.animation, self.source, isCurrent) = (image, animation, source, true)
  }
}

extension ImagePipeline {
  /// The image that memory or a table has for a view; it never waits, and a hit takes about a
  /// microsecond.
  package func shown(for request: ImageRequest) -> ShownImage? {
    let request = prepared(request)
    if mayHitImmediately(request) {
      return checkedHit(for: request).map { shown($0.image, to: request, isCurrent: $0.isCurrent) }
    }
    return hit(for: request).map { shown($0, to: request, isCurrent: false) }
  }

  private func shown(
    _ hit: LoadedImage,
    to request: ImageRequest,
    isCurrent: Bool
  ) -> ShownImage {
    if isCurrent {
      report(.success(hit.source), of: request, metrics: RequestMetrics())
      return ShownImage(hit, isCurrent: true)
    }
    // A custom image of an unknown source is shown until something replaces it.
    let isCustom = hit.cached.body == nil && !request.hasOtherSources
    return ShownImage(hit, isCurrent: isCustom && request.caching.policy == .standard)
  }
}
