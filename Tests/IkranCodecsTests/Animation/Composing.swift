import IkranCodecs
import IkranPixels
import TestBasics

/// The frames of a file that must be an animation.
func animation(
  _ bytes: [UInt8],
  isPrefix: Bool = false,
  limits: DecodeLimits = DecodeLimits()
) throws -> any FrameSource {
  let source = try CodecList.standard.frames(
    of: bytes,
    isPrefix: isPrefix,
    rules: DecodeRules(limits: limits)
  )
  guard let source else { throw NoAnimation() }
  return source
}

struct NoAnimation: Error {}

extension FrameSource {
  /// All frames, composed in order.
  func composed() throws -> [Bitmap] {
    let composer = makeComposer()
    return try info.frames.indices.map { try composer.compose($0) }
  }
}

/// A frame as a test describes it.
struct PlacedFrame {
  enum Disposal: Int, CaseIterable {
    case keep, clear, restore
  }

  var left: Int
  var top: Int
  var width: Int
  var height: Int
  /// Straight pixels, row by row.
  var pixels: [Pixel]
  var disposal = Disposal.keep
  var isBlended = true

  /// A frame of one colour.
  init(_ left: Int, _ top: Int, _ width: Int, _ height: Int, _ color: Pixel) {
    (self.left, self.top, self.width, self.height) = (left, top, width, height)
    pixels = [Pixel](repeating: color, count: width * height)
  }

  func disposed(_ disposal: Disposal) -> PlacedFrame {
    var frame = self
    frame.disposal = disposal
    return frame
  }

  func replacing() -> PlacedFrame {
    var frame = self
    frame.isBlended = false
    return frame
  }
}

/// Composes frames as the formats' texts say, pixel by pixel in floating point.
struct ReferenceCanvas {
  private var pixels: [SIMD4<Double>]
  private let size: PixelSize

  /// The pictures of all frames: premultiplied pixels, row by row.
  static func compose(_ frames: [PlacedFrame], on size: PixelSize) -> [[Pixel]] {
    var canvas = ReferenceCanvas(
      pixels: [SIMD4](repeating: .zero, count: size.width * size.height),
      size: size
    )
    return frames.map { frame in
      let below = canvas.pixels
      canvas.draw(frame)
      let picture = canvas.pixels.map { value in
        let bytes = (value * 255).rounded(.toNearestOrAwayFromZero)
        return Pixel(UInt8(bytes.x), UInt8(bytes.y), UInt8(bytes.z), UInt8(bytes.w))
      }
      switch frame.disposal {
      case .keep: break
      case .clear: canvas.forEach(frame) { canvas, place, _ in canvas.pixels[place] = .zero }
      case .restore: canvas.pixels = below
      }
      return picture
    }
  }

  private mutating func draw(_ frame: PlacedFrame) {
    forEach(frame) { canvas, place, pixel in
      let alpha = Double(pixel.alpha) / 255
      let color = SIMD3(Double(pixel.red), Double(pixel.green), Double(pixel.blue)) / 255 * alpha
      let over = SIMD4(color, alpha)
      canvas.pixels[place] = frame.isBlended ? over + canvas.pixels[place] * (1 - alpha) : over
    }
  }

  private mutating func forEach(
    _ frame: PlacedFrame,
    _ body: (inout ReferenceCanvas, _ place: Int, Pixel) -> Void
  ) {
    for y in 0..<frame.height where frame.top + y < size.height {
      for x in 0..<frame.width where frame.left + x < size.width {
        let place = (frame.top + y) * size.width + frame.left + x
        body(&self, place, frame.pixels[y * frame.width + x])
      }
    }
  }
}

extension Bitmap {
  /// The largest difference of a channel to premultiplied pixels, row by row.
  func distance(to wanted: [Pixel]) -> Int {
    guard wanted.count == width * height else { return .max }
    return zip(pixels.joined(), wanted).map { $0.distance(to: $1) }.max() ?? 0
  }
}

extension SeededGenerator {
  /// Frames of random areas, colours and rules; the first one sometimes covers the canvas.
  mutating func frames(
    _ count: Int,
    on size: PixelSize,
    alphas: [UInt8],
    disposals: [PlacedFrame.Disposal] = PlacedFrame.Disposal.allCases,
    step: Int = 1
  ) -> [PlacedFrame] {
    (0..<count).map { _ in
      let isWhole = Int.random(in: 0..<4, using: &self) == 0
      let left = isWhole ? 0 : Int.random(in: 0..<size.width, using: &self) / step * step
      let top = isWhole ? 0 : Int.random(in: 0..<size.height, using: &self) / step * step
      let width = isWhole ? size.width : Int.random(in: 1...size.width - left, using: &self)
      let height = isWhole ? size.height : Int.random(in: 1...size.height - top, using: &self)
      var frame = PlacedFrame(left, top, width, height, Pixel(0, 0, 0))
      let palette = (0..<4).map { index in
        Pixel(
          UInt8.random(in: 0...255, using: &self),
          UInt8.random(in: 0...255, using: &self),
          UInt8(index),
          alphas.randomElement(using: &self) ?? 255
        )
      }
      frame.pixels = (0..<width * height)
        .map { _ in palette.randomElement(using: &self) ?? Pixel(0, 0, 0) }
      frame.disposal = disposals.randomElement(using: &self) ?? .keep
      frame.isBlended = Bool.random(using: &self)
      return frame
    }
  }
}
