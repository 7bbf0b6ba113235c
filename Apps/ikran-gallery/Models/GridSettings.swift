import Ikran

/// How a cell gets its picture.
enum Mode: String, Sendable, CaseIterable {
  /// Decoded from the original when a cell is bound, on the main thread, as a program without Ikran
  /// does.
  case conventional
  /// A small JPEG file, decoded when a cell is bound, on the main thread; only measured.
  case thumbnails
  /// A pipeline without image tables.
  case pipeline
  /// A pipeline with image tables.
  case tables

  /// Those that the window offers.
  static let offered: [Mode] = [.conventional, .pipeline, .tables]

  /// Its name for people.
  var title: String {
    switch self {
    case .conventional: "Conventional"
    case .thumbnails: "Thumbnails"
    case .pipeline: "Pipeline"
    case .tables: "Image tables"
    }
  }
}

/// The outline of the pictures.
enum Outline: String, Sendable, CaseIterable {
  case circle, rounded, rectangle

  /// Its name for people.
  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

/// What is done to the pictures.
enum Effect: String, Sendable, CaseIterable {
  case none, grayed, sepia, blur, vignette, sketch, mosaic

  /// Its name for people.
  var title: String {
    self == .none ? "No filter" : rawValue.prefix(1).uppercased() + rawValue.dropFirst()
  }

  /// The filters for a picture of this size.
  func filters(side: Int) -> [Filter] {
    switch self {
    case .none: []
    case .grayed: [.grayed()]
    case .sepia: [.sepia()]
    case .blur: [.blur(radius: Double(side) / 24)]
    case .vignette: [.vignette()]
    case .sketch: [.sketch()]
    case .mosaic: [.pixellated(scale: 0.08)]
    }
  }
}

/// How the grid looks, and where its pictures come from.
struct GridSettings: Sendable, Hashable {
  var mode = Mode.tables
  var outline = Outline.circle
  /// In points.
  var side = 96
  var effect = Effect.none
  var order = ItemOrder.name

  static let sides = [48, 64, 96, 128, 192, 256, 384, 512]

  /// Chooses the side that is so many steps larger, or smaller for negative ones, as far as there
  /// are any.
  mutating func enlarge(_ steps: Int) {
    let place = (Self.sides.firstIndex { $0 >= side } ?? Self.sides.count - 1) + steps
    side = Self.sides[min(max(0, place), Self.sides.count - 1)]
  }

  var style: Style {
    let side = Double(side)
    return switch outline {
    case .circle: .circle(side)
    case .rounded: .rounded(width: side, height: side, cornerRadius: side / 6)
    case .rectangle: .rectangle(width: side, height: side)
    }
  }

  /// The request for an item's picture; a view chooses the scale by itself.
  func request(for item: Item, scale: Double? = nil) -> ImageRequest {
    var request = ImageRequest(location: item.location, style: style)
    request.scale = scale
    let filters = effect.filters(side: side)
    if !filters.isEmpty { request.filters = filters }
    return request
  }
}
