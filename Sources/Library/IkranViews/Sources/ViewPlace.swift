package import Ikran

// Decision 81: four sizes an octave, and no view grows by its picture.
/// The place that a view has for a picture, and how much of a picture it takes to fill it.
///
/// Pixels are counted in steps, four for each doubling, so that a view that changes its size does
/// not load its picture for every pixel.
package struct ViewPlace: Equatable {
  /// In points; 0 for a side that is as long as the picture makes it.
  let width, height: Int
  /// Pixels per point of the monitor.
  let scale: Double
  /// Pixels per point of a picture that is made for it.
  let density: Double
  let scaling: ContentMode.Scaling

  /// - Parameters:
  ///   - size: In points; 0 for a side that is as long as the picture makes it.
  ///   - scale: Pixels per point of the monitor.
  ///   - nominalScale: Pixels per point of the file, by its name.
  ///   - mode: How the picture lies in it.
  init(
    _ size: (width: Int, height: Int),
    scale: Double,
    nominalScale: Double,
    mode: ContentMode
  ) {
    (width, height, self.scale, scaling) = (size.width, size.height, scale, mode.scaling)
    // Whether a picture of more pixels per point is smaller than its place shows by all of them.
    density = scaling == .scaleDown ? max(scale, nominalScale) : scale
  }

  /// The style that fills it.
  package var style: Style {
    if scaling == .none { return .original }
    let (across, down) = (Double(columns) / scale, Double(rows) / scale)
    if height == 0 { return .fit(width: across, enlarges: false) }
    if width == 0 { return .fit(height: down, enlarges: false) }
    switch scaling {
    case .cover, .stretch: return .cover(width: across, height: down, enlarges: false)
    case .contain, .scaleDown, .none:
      return .fit(width: across, height: down, enlarges: false)
    }
  }

  /// Whether a picture made for it may stay in another place: it is large enough there, and not
  /// more than twice as large on both sides.
  func serves(_ other: ViewPlace) -> Bool {
    guard scaling == other.scaling, density == other.density else { return style == other.style }
    if scaling == .none { return true }
    func isEnough(_ own: Int, _ wanted: Int) -> Bool { own == 0 || wanted > 0 && own >= wanted }
    func isTwice(_ own: Int, _ wanted: Int) -> Bool { wanted == 0 || own >= 2 * wanted }
    return isEnough(columns, other.columns) && isEnough(rows, other.rows)
      && !(isTwice(columns, other.columns) && isTwice(rows, other.rows))
  }

  /// Whether a picture made for it has fewer pixels than its file.
  func mayReduce(_ size: PixelSize) -> Bool {
    scaling != .none && (size.width == columns || size.height == rows)
  }

  /// The size, in points, that a picture of some points asks for: no more than there is, so that no
  /// view grows by its picture.
  func limited(_ size: (width: Double, height: Double)) -> (width: Double, height: Double) {
    let most = (
      width: width > 0 ? Double(width) : .infinity, height: height > 0 ? Double(height) : .infinity
    )
    guard size.width > 0, size.height > 0, scaling != .none else { return size }
    switch scaling {
    case .cover, .stretch: return (min(size.width, most.width), min(size.height, most.height))
    case .contain, .scaleDown, .none:
      let factor = min(1, most.width / size.width, most.height / size.height)
      return (size.width * factor, size.height * factor)
    }
  }

  private var columns: Int { Self.step(width, density) }
  private var rows: Int { Self.step(height, density) }

  /// The next of the numbers of pixels that pictures are made for: 16, 20, 24, 28, 32, 40, 48.
  private static func step(_ points: Int, _ scale: Double) -> Int {
    guard points > 0, scale > 0, scale.isFinite else { return 0 }
    let pixels = Int(min((Double(points) * scale).rounded(.up), 16_384))
    let octave = max(16, 1 << (Int.bitWidth - 1 - pixels.leadingZeroBitCount))
    let step = octave / 4
    return max(16, (pixels + step - 1) / step * step)
  }
}
