#if canImport(QuartzCore) && !os(watchOS)
import Ikran
public import IkranViews
public import QuartzCore

/// A layer that shows its picture as its contents; it is taken to be in sight always.
@MainActor
final class LayerPictures: PictureView {
  private weak var layer: CALayer?
  private var gravity = OverriddenValue<CALayerContentsGravity>()

  init(_ layer: CALayer) { self.layer = layer }

  var scale: Double { Screen.scale }
  var isOnDisplay: Bool { layer != nil }
  var isInSight: Bool { isOnDisplay }

  var size: (width: Double, height: Double) {
    guard let size = layer?.bounds.size else { return (0, 0) }
    return (Double(size.width), Double(size.height))
  }

  var contentMode: ContentMode? {
    layer.map { ContentMode(gravity.own($0.contentsGravity)) }
  }

  var reducesMotion: Bool { Screen.reducesMotion }
  var clock: (any FrameClock)? { Screen.clock }

  func refusal(of slot: ImageTarget.Slot) -> ImageError? {
    slot == .image ? nil : .invalidRequest("a CALayer has the slot .image alone")
  }

  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot) {
    guard let layer else { return }
    // Its own fade would be one more.
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    defer { CATransaction.commit() }
    if let picture { layer.contentsScale = CGFloat(picture.scale) }
    let wanted = picture?.wanted(stretched: .resize) { CALayerContentsGravity($0) }
    let new = gravity.value(for: wanted, over: layer.contentsGravity)
    if layer.contentsGravity != new { layer.contentsGravity = new }
    layer.contents = picture?.image.cgImage
  }

  func stage(of slot: ImageTarget.Slot) -> (any PictureStage)? {
    layer.map { LayerStage(layer: $0, isAlone: true, isYDown: Screen.isYDown) }
  }
}

extension CALayerContentsGravity {
  /// The nearest, in the middle.
  fileprivate init(_ mode: ContentMode) {
    switch mode.scaling {
    case .contain, .scaleDown: self = .resizeAspect
    case .cover: self = .resizeAspectFill
    case .stretch: self = .resize
    case .none: self = .center
    }
  }
}

extension ContentMode {
  fileprivate init(_ gravity: CALayerContentsGravity) {
    switch gravity {
    case .resizeAspect: self = .contain
    case .resizeAspectFill: self = .cover
    case .resize: self = .stretch
    default: self = .center
    }
  }
}

extension CALayer: ImageDisplaying {
  /// The image of the layer, as its contents.
  ///
  /// It lies there by the layer's `contentsGravity`, which distorts it unless the program sets
  /// another one than Core Animation's default, or the options have a content mode.
  ///
  /// A layer tells of no window and of no change of its size: its image loads also while the layer
  /// is in no tree. In the style ``/Ikran/Style/automatic`` it loads once the layer has a size, for
  /// which it is asked ten times a second until then. The layer of a view is the view's; use the
  /// view's image.
  @MainActor public var imageTarget: ImageTarget {
    ViewPictures.of(self) { LayerPictures(self) }.target(.image)
  }

  /// The nearest to `contentsGravity`.
  @MainActor public var imageContentMode: ContentMode {
    let pictures = ViewPictures.of(self)?.view as? LayerPictures
    return pictures?.contentMode ?? ContentMode(contentsGravity)
  }
}
#endif
