import Ikran
import IkranViews

extension ZoomContent {
  /// Draws what is seen: each tile that is there, and coarser pixels in the place of others.
  func draw(on snapshot: SnapshotHandle) {
    guard let geometry, let overview, let widget else { return }
    let painter = ZoomPainter(
      snapshot: snapshot,
      scale: Double(widget.scale),
      inCairo: widget.isDrawnByCairo
    )
    let picture = geometry.picture
    let whole = PixelRectangle(x: 0, y: 0, width: picture.width, height: picture.height)
    let background = (picture: overview, place: geometry.place(of: whole))
    snapshot.clipped(to: snapshot.area) {
      guard let grid else { return painter.draw(background.picture, in: background.place) }
      for tile in grid.tiles {
        let place = geometry.place(of: tile.region(in: picture))
        if let found = cache.use(tile) {
          painter.draw(found, in: place)
        } else {
          let other = coarser(than: tile, geometry) ?? background
          painter.clipped(to: place) { painter.draw(other.picture, in: other.place) }
        }
      }
    }
  }

  /// The next coarser tile that is there, and where it lies.
  private func coarser(
    than tile: ZoomTile,
    _ geometry: ZoomGeometry
  ) -> (picture: DrawableBitmap, place: Rectangle)? {
    let size = geometry.picture
    var level = tile.level + 1
    while ZoomTile.side << level < max(size.width, size.height) {
      let parent = tile.parent(at: level)
      if let picture = cache.use(parent) {
        return (picture, geometry.place(of: parent.region(in: size)))
      }
      level += 1
    }
    return nil
  }
}

/// Draws in pixels of the screen.
@MainActor
private struct ZoomPainter {
  let snapshot: SnapshotHandle
  let scale: Double
  let inCairo: Bool

  func draw(_ picture: DrawableBitmap, in place: Rectangle) {
    // Cairo's better filter takes several times as long, and differs where much is left out.
    let isFast = place.width * 2 >= Double(picture.bitmap.width)
    snapshot.draw(picture, in: points(place), inCairo: inCairo, isFast: isFast)
  }

  func clipped(to place: Rectangle, _ body: () -> Void) {
    snapshot.clipped(to: points(place), body)
  }

  private func points(_ place: Rectangle) -> Rectangle {
    Rectangle(
      x: place.x / scale,
      y: place.y / scale,
      width: place.width / scale,
      height: place.height / scale
    )
  }
}
