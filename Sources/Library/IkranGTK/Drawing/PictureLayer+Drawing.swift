import IkranViews

extension PictureLayer {
  /// The window of its widget; nil while that is in none.
  var window: WidgetHandle? { (host as? WidgetPictures)?.widget?.window }

  func draw(on snapshot: SnapshotHandle, at time: Int, inCairo: Bool) {
    content.draw(on: snapshot, at: time, inCairo: inCairo)
    guard let ring = indicator(at: time) else { return }
    snapshot.drawRing(from: ring.start, length: ring.length)
  }
}
