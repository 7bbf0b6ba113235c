import Ikran
import IkranPixels

/// A placeholder as it is drawn.
struct PlaceholderPicture: Sendable {
  let bitmap: Bitmap
  /// Whether it has no aspect of its own.
  let isStretched: Bool

  /// Draws a placeholder with a style's size and edges; nil when that is impossible.
  ///
  /// In a style without a fixed size it is as small as it may be, and enlarged by the window.
  init?(_ placeholder: Placeholder, _ style: Style, scale: Double) {
    let style = style.withoutFilters
    if let size = style.fixedSize(scale: scale) {
      guard let plain = try? placeholder.bitmap(size: size),
        let styled = try? style.applyFiltersAndEdges(plain, scale: scale, workspace: Workspace())
      else { return nil }
      (bitmap, isStretched) = (styled, false)
      return
    }
    switch placeholder {
    case .picture(let picture): (bitmap, isStretched) = (picture, false)
    case .thumbHash(let bytes):
      guard let picture = try? Bitmap(thumbHash: bytes) else { return nil }
      (bitmap, isStretched) = (picture, false)
    case .color, .blurHash:
      let side = if case .color = placeholder { 1 } else { 32 }
      let size = PixelSize(width: side, height: side)
      guard let picture = try? placeholder.bitmap(size: size) else { return nil }
      (bitmap, isStretched) = (picture, true)
    }
  }
}
