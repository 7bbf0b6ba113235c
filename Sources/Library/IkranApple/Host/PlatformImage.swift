import CoreGraphics
import Ikran
import IkranViews

#if canImport(UIKit)
import UIKit
typealias NativeImage = UIImage
#else
import AppKit
typealias NativeImage = NSImage
#endif

/// What Core Graphics has made of a bitmap, and then UIKit or AppKit.
///
/// It hangs on the bitmap that is drawn, so all views that show it share one.
@MainActor
final class PlatformImage {
  /// How many images are kept: as many as there are screens of another scale, most of the time.
  private static let countLimit = 3

  let cgImage: CGImage
  /// The images that were made last, and their pixels per point.
  private var made: [(image: NativeImage, scale: Double)] = []

  private init(_ cgImage: CGImage) { self.cgImage = cgImage }

  /// The image of a picture, made the first time; nil when Core Graphics refuses it.
  static func of(_ picture: DrawableBitmap) -> PlatformImage? {
    if let made = picture.drawing as? PlatformImage { return made }
    guard let image = picture.bitmap.cgImage else { return nil }
    let made = PlatformImage(image)
    picture.drawing = made
    return made
  }

  /// The image for UIKit or AppKit.
  func native(scale: Double) -> NativeImage {
    if let found = made.first(where: { $0.scale == scale }) { return found.image }
    #if canImport(UIKit)
    let image = UIImage(cgImage: cgImage, scale: CGFloat(scale), orientation: .up)
    #else
    let size = CGSize(
      width: CGFloat(Double(cgImage.width) / scale),
      height: CGFloat(Double(cgImage.height) / scale)
    )
    let image = NSImage(cgImage: cgImage, size: size)
    #endif
    made = made.suffix(Self.countLimit - 1) + [(image, scale)]
    return image
  }
}

/// A picture as a slot of a view shows it.
@MainActor
struct ShownPicture {
  let image: PlatformImage
  /// Pixels per point.
  let scale: Double
  /// Whether it fills the view, whatever its aspect ratio: a colour, for example.
  let isStretched: Bool
  let mode: DisplayMode

  /// What a layer shows; nil when Core Graphics refuses the picture.
  init?(_ drawn: LayerContent.Drawn, of layer: PictureLayer) {
    guard let image = PlatformImage.of(drawn.picture) else { return nil }
    self.image = image
    // Once its load was cancelled, the view is the program's, which may show what it likes.
    let isLeft = layer.isCancelled
    isStretched = drawn.size == nil && !isLeft
    mode = isLeft ? .ofView(layer.content.contentMode) : layer.content.mode
    let width = (drawn.size?.width ?? 0) * drawn.share
    scale = width > 0 ? Double(drawn.picture.bitmap.width) / width : 1
  }

  /// The image for UIKit or AppKit.
  var native: NativeImage { image.native(scale: scale) }

  func isSame(as other: ShownPicture) -> Bool {
    image === other.image && scale == other.scale && isStretched == other.isStretched
      && mode == other.mode
  }

  /// What a view has to have for this picture; nil where its own mode does.
  func wanted<Mode>(stretched: Mode, nearest: (ContentMode) -> Mode) -> Mode? {
    isStretched ? stretched : mode.chosen.map(nearest)
  }
}
