#if canImport(QuartzCore) && !os(watchOS)
import Ikran
public import IkranViews
public import QuartzCore

/// A layer that shows its picture as its contents; it is taken to be in sight always.
@MainActor
struct LayerPictures: PictureView {
  weak var layer: CALayer?

  var scale: Double { Screen.scale }
  var isOnDisplay: Bool { layer != nil }
  var isInSight: Bool { isOnDisplay }

  var size: (width: Double, height: Double) {
    guard let size = layer?.bounds.size else { return (0, 0) }
    return (Double(size.width), Double(size.height))
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
    if let picture {
      layer.contentsScale = CGFloat(picture.scale)
      layer.contentsGravity = picture.isStretched ? .resize : picture.mode.gravity
    }
    layer.contents = picture?.image.cgImage
  }

  func stage(of slot: ImageTarget.Slot) -> (any PictureStage)? {
    layer.map { LayerStage(layer: $0, isAlone: true, isYDown: Screen.isYDown) }
  }
}

extension ContentMode {
  /// The gravity of a layer's contents that is nearest: layers know no other alignments.
  fileprivate var gravity: CALayerContentsGravity {
    switch scaling {
    case .contain, .scaleDown: .resizeAspect
    case .cover: .resizeAspectFill
    case .stretch: .resize
    case .none: .center
    }
  }
}

extension CALayer: ImageDisplaying {
  /// The image of the layer, as its contents.
  ///
  /// A layer tells of no window and of no change of its size: its image loads also while the layer
  /// is in no tree, in the style ``/Ikran/Style/automatic`` as soon as it has a size. The layer of
  /// a view is the view's; use the view's image.
  @MainActor public var imageTarget: ImageTarget {
    ViewPictures.of(self) { LayerPictures(layer: self) }.target(.image)
  }
}
#endif
