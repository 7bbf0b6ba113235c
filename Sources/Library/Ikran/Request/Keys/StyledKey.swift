import IkranCodecs
import IkranPixels
public import IkranStores

/// Names one styled image: its source and all that changes its pixels.
public struct StyledKey: Hashable, Sendable {
  var source: SourceKey
  let style: Style
  let scale: Double
  /// How the file's colours are handled.
  var colors = ColorHandling.sRGB
  /// Whether small copies in the file are shown.
  var usesThumbnails = true
  /// How the request's file is decoded, where that is not as the pipeline says.
  var decoding: OwnDecoding?

  // Decision 66: pixels that an older version made are not shown.
  /// Counts the versions in which one file, style and scale began to make other pixels.
  private static let pixelVersion = 4

  /// Stands for the source, the style, the scale and how the file is decoded: equal across runs and
  /// machines.
  ///
  /// It changes when a version of the library makes other pixels of them.
  public var id: TableID {
    let rules = "\(Self.pixelVersion)\u{0}\(colors.rawValue)\(usesThumbnails ? "" : " whole")"
    let own = decoding?.options.text ?? ""
    return TableID("\(source.id)\u{0}\(style.key)\u{0}\(scale)\u{0}\(rules)\(own)")
  }
}

extension StyledKey {
  /// How the frames of an animation look.
  var animationStyle: Style {
    decoding?.options.stylesAnimations == false ? style.sizeAlone : style
  }

  /// Whether the first picture of a file stands for all, whatever the pipeline's options say.
  var isOfFirstPicture: Bool { decoding?.options.animates == false }

  /// Whether an animation may be shown while its file arrives: by the pipeline's rules.
  var playsWhileItArrives: Bool {
    guard let own = decoding?.options else { return true }
    return own.isOfAnimationsAlone && !isOfFirstPicture
  }
}
