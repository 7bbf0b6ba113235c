import Ikran

/// A source whose style its view chooses, by the size that it has.
@MainActor
struct AutomaticSource {
  let source: LayerSource
  /// What the style was chosen for; nil before the view has a size.
  private(set) var place: ViewPlace?
  /// How many more looks, 16 ms apart, may find no size: a picture's own view has none before it.
  private var looksLeft = 2

  /// Nil for a source with a style of its own.
  init?(_ source: LayerSource, in pictures: WidgetPictures, scale: Double, mode: ContentMode) {
    guard source.isAutomatic else { return nil }
    self.source = source
    place = pictures.room(isLate: false).map { ViewPlace($0, scale: scale, mode: mode) }
  }

  var hasPlace: Bool { place != nil }

  /// The source in the style of its place.
  var sized: LayerSource { place.map { source.filling($0) } ?? source }

  /// Looks whether the view has a size by now; after a few times it should have one.
  mutating func findPlace(
    in pictures: WidgetPictures,
    scale: Double,
    mode: ContentMode
  ) -> Bool {
    looksLeft -= 1
    place = pictures.room(isLate: looksLeft < 0).map { ViewPlace($0, scale: scale, mode: mode) }
    return hasPlace
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
}
