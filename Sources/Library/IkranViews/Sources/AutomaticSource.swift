import Ikran

/// A source whose style its view chooses, by the size that it has.
@MainActor
struct AutomaticSource {
  let source: LayerSource
  /// What the style was chosen for; nil before the view has a size.
  private(set) var place: ViewPlace?
  private let scale: Double
  private let mode: ContentMode
  /// How many frames have begun while it had no place.
  private var frames = 0

  /// Nil for a source with a style of its own.
  init?(_ source: LayerSource, in host: any ViewHost, scale: Double, mode: ContentMode) {
    guard source.isAutomatic else { return nil }
    (self.source, self.scale, self.mode) = (source, scale, mode)
    findPlace(in: host)
  }

  var hasPlace: Bool { place != nil }

  /// The source in the style of its place.
  var sized: LayerSource { place.map { source.filling($0) } ?? source }

  /// Looks whether the view has a size as a frame begins; after two, its window has laid it out.
  mutating func findPlaceInNextFrame(in host: any ViewHost) {
    if host.isInSizedWindow { frames += 1 }
    findPlace(in: host)
  }

  /// Looks whether the view has a size now.
  mutating func findPlace(in host: any ViewHost) {
    place = host.room(isLaidOut: frames > 1).map {
      ViewPlace($0, scale: scale, nominalScale: source.nominalScale, mode: mode)
    }
  }

  /// In the place of an earlier source of the same image, if that one's picture does here.
  func keepingPlace(of old: AutomaticSource?) -> AutomaticSource {
    guard let place, let old, let earlier = old.place, earlier != place,
      earlier.scale == place.scale, earlier.serves(place),
      let identity = source.identity(place.scale), identity == old.source.identity(place.scale)
    else { return self }
    var kept = self
    kept.place = earlier
    return kept
  }

  /// Whether a picture that is shown, if one is, does where the view has another size.
  func serves(_ other: AutomaticSource, _ size: PixelSize?) -> Bool {
    guard let place, let new = other.place else { return true }
    if let size, hasAll(of: size), place.scaling == new.scaling { return true }
    return place.serves(new)
  }

  /// Whether a picture of this size has all pixels of its file.
  func hasAll(of size: PixelSize) -> Bool { place.map { !$0.mayReduce(size) } ?? true }

  /// How many pixels of a picture of this size make a point.
  func pixelsPerPoint(of size: PixelSize) -> Double {
    guard let place, place.mayReduce(size) else { return source.nominalScale }
    return place.density
  }
}

extension PictureLayer {
  /// Whether it is on display and waits for the view's size.
  package var awaitsPlace: Bool { isOnDisplay && automatic != nil && laidOutPlace == nil }

  /// The place that a view has now that chooses its size; nil before its window has laid it out.
  package var laidOutPlace: ViewPlace? {
    guard let automatic, let host, host.isLaidOut else { return nil }
    let mode = options.contentMode
    return AutomaticSource(automatic.source, in: host, scale: scale, mode: mode)?.place
  }
}
