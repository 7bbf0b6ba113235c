import Ikran

// What is shown until the image is there.

extension PictureLayer {
  /// Shows the first stand-in that is there, and otherwise the placeholder.
  func showStandIn() {
    guard let source else { return }
    standIn = nil
    for choice in options.standIns {
      switch choice {
      case .present:
        if content.keep(as: source.style, scale: scale, options) {
          slots?.invalidate()
          return
        }
      case .style(let style):
        if let other = source.styled(style), showIfStored(other) { return }
      case .request(let request):
        guard let host else { continue }
        let resolved = source.requesting(request).resolved(by: host)
        guard let other = sized(resolved) else { continue }
        if showIfStored(other) { return }
        // It is loaded along with the image.
        if standIn == nil { standIn = (other, nil) }
      }
    }
    showPlaceholder()
  }

  /// What loads in place of the image has come a step further.
  func receiveStandIn(_ step: LayerSource.Step) {
    guard isLoading, content.isPlaceholder, case .picture(let picture, _, _) = step,
      let other = standIn?.source
    else { return }
    show(picture.image, of: other, converted: picture.converted)
  }

  private func showIfStored(_ other: LayerSource) -> Bool {
    guard let found = other.shown(scale) else { return false }
    return show(found.image, of: other)
  }

  /// In the size of the view, where that is to choose it; nil before it has one.
  private func sized(_ other: LayerSource) -> LayerSource? {
    guard other.isAutomatic else { return other }
    guard let automatic else { return other.styled(source?.style ?? .original) }
    return automatic.place.map { other.filling($0) }
  }

  @discardableResult
  private func show(
    _ image: Bitmap,
    of other: LayerSource,
    converted: Bitmap? = nil
  ) -> Bool {
    guard let source, let picture = try? drawable(image, converted: converted) else {
      return false
    }
    let pixelsPerPoint = other.style.isOriginal ? other.nominalScale : scale
    content.show(standIn: picture, pixelsPerPoint, as: source.style, scale: scale, options)
    if let place = automatic?.place { content.limit(to: place) }
    slots?.invalidate()
    return true
  }
}
