import CPeers
import Ikran

/// The filters of the catalogue that ``FilterBenchmarks`` has no row for, on one thread.
///
/// Those of single pixels change the picture in place; each other one is given the same photo again.
/// A row has nanoseconds per pixel, or milliseconds where libvips has the same operation.
struct FilterCatalogueBenchmarks {
  private static let side = 1024

  private static let points: [(name: String, filter: Filter)] = [
    ("exposure", .exposure(0.1)), ("levels", .levels(middle: 1.1)),
    ("curves", .curves([(0, 0), (0.25, 0.2), (0.75, 0.8), (1, 1)])),
    ("highlightShadow", .highlightShadow(highlights: 0.4, shadows: 0.6)),
    ("threshold", .threshold()), ("hue", .hue(degrees: 40)), ("monochrome", .monochrome(0.5)),
    ("channels", .channels(.rbga)), ("color", .color(tone, intensity: 0.5)),
    ("falseColor", .falseColor()), ("temperature", .temperature(0.3)),
    ("hsl", .hsl(hue: 40, saturation: 0.3)),
    ("colorBalance", .colorBalance(shadows: [-0.2, 0, 0.4], highlights: [0.4, 0.1, -0.3])),
    ("opacity", .opacity(0.9)), ("haze", .haze(distance: 0.1, slope: 0.1)),
    ("granularity", .granularity()), ("chromaKey", .chromaKey()),
    ("tint", .tint(tone, mode: .softLight)), ("gradient", .gradient()),
    ("matrix", .matrix(.polaroid)),
  ]
  private static let areas: [(name: String, filter: Filter)] = [
    ("equalize", .equalize()), ("motionBlur10", .motionBlur(radius: 10, degrees: 20)),
    ("zoomBlur10", .zoomBlur(radius: 10)), ("bilateralBlur", .bilateralBlur()),
    ("tiltShift", .tiltShift()), ("median1", .median(radius: 1)), ("median2", .median()),
    ("median10", .median(radius: 10)), ("clarity", .clarity()), ("sobel", .sobel()),
    ("sketch", .sketch()), ("toon", .toon()), ("convolution", .convolution(.emboss)),
    ("erode2", .erode()), ("dilate2", .dilate()), ("dilate10", .dilate(radius: 10)),
    ("canny", .canny()), ("pixellated", .pixellated()), ("halftone", .halftone()),
    ("swirl", .swirl()), ("kuwahara", .kuwahara()), ("oilPainting", .oilPainting()),
    ("shiftGlitch", .shiftGlitch()), ("splitScreen", .splitScreen()), ("pinch", .pinch()),
    ("bulge", .bulge()), ("ripple", .ripple()), ("mirror", .mirror()),
    ("glassSphere", .glassSphere(radius: 0.5)), ("polkaDot", .polkaDot()),
    ("crosshatch", .crosshatch()), ("cga", .cga()), ("blockGlitch", .blockGlitch()),
    ("crop", .crop(x: 100, y: 100, width: 800, height: 800)), ("flip", .flip()),
    ("resize", .resize(width: 500, height: 500)), ("rotate10", .rotate(degrees: 10)),
    ("affine", .affine([0.8, 0.3, 0, -0.1, 0.8, 0])), ("round", .round(radius: 100)),
  ]
  private static let tone = Color(red: 48, green: 96, blue: 192)

  /// Runs the filters whose rows begin with `prefix`.
  static func run(prefix: String, into report: inout Report) throws {
    let wanted = { (row: (name: String, filter: Filter)) in "filter.\(row.name)".hasPrefix(prefix) }
    let (points, areas) = (points.filter(wanted), areas.filter(wanted))
    let hasBlend = "filter.blend".hasPrefix(prefix)
    guard hasBlend || !points.isEmpty || !areas.isEmpty else { return }
    let photo = try Photo.draw(PixelSize(width: side, height: side), seed: 9)
    for row in points { try run(row.name, photo, row.filter, inPlace: true, into: &report) }
    if hasBlend {
      let other = try Photo.draw(PixelSize(width: side, height: side), seed: 10)
      let blend = Filter.blend(.overlay, with: other, intensity: 0.5)
      try run("blend", photo, blend, inPlace: true, into: &report)
    }
    for row in areas { try run(row.name, photo, row.filter, inPlace: false, into: &report) }
  }

  private static func run(
    _ name: String,
    _ photo: Bitmap,
    _ filter: Filter,
    inPlace: Bool,
    into report: inout Report
  ) throws {
    var contenders = [ours(photo, filter, inPlace: inPlace)]
    let rgb = photo.rgb
    if peers_vips_filter(name, rgb, Int32(side), Int32(side)) {
      let version = String(cString: peers_vips_version())
      contenders.append(
        Contender("libvips \(version)") {
          guard peers_vips_filter(name, rgb, Int32(side), Int32(side)) else { throw PeerEnded() }
        }
      )
    }
    let times = try Harness.measure(contenders, samples: 15)
    let isAlone = contenders.count == 1
    let scale = isAlone ? 1 / Double(side * side) : 1e-6
    report.add("filter.\(name)", times, unit: isAlone ? "ns/pixel" : "ms", scale: scale)
  }

  private static func ours(_ photo: Bitmap, _ filter: Filter, inPlace: Bool) -> Contender {
    let style = Style.original.filtered([filter])
    let workspace = Workspace()
    var picture: Bitmap? = photo
    return Contender("Ikran") {
      guard let taken = inPlace ? picture.take() : photo else { throw PeerEnded() }
      let new = try style.applyFiltersAndEdges(consume taken, scale: 1, workspace: workspace)
      new.withBytes { $0.withUnsafeBufferPointer { peers_consume($0.baseAddress) } }
      if inPlace { picture = new }
    }
  }
}
