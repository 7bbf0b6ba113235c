import TestBasics
import Testing

@testable import IkranPixels

/// A straight colour, 0…1, computed slowly and exactly.
struct Shade: Sendable, Equatable {
  var r, g, b: Double
  var a = 1.0

  init(_ r: Double, _ g: Double, _ b: Double, _ a: Double = 1) {
    (self.r, self.g, self.b, self.a) = (r, g, b, a)
  }

  init(_ color: Color) {
    self.init(
      Double(color.red) / 255,
      Double(color.green) / 255,
      Double(color.blue) / 255,
      Double(color.alpha) / 255
    )
  }

  /// 0.2125 red, 0.7154 green, 0.0721 blue.
  var luma: Double { 0.2125 * r + 0.7154 * g + 0.0721 * b }
  var largest: Double { max(r, g, b) }
  var smallest: Double { min(r, g, b) }

  /// Each of the three channels by itself, then clamped; alpha stays.
  func map(_ change: (Double) -> Double) -> Shade {
    Shade(clamped(change(r)), clamped(change(g)), clamped(change(b)), a)
  }

  /// A step from this colour towards another, clamped; alpha stays.
  func mixed(with other: Shade, _ share: Double) -> Shade {
    Shade(
      clamped(r + (other.r - r) * share),
      clamped(g + (other.g - g) * share),
      clamped(b + (other.b - b) * share),
      a
    )
  }
}

/// Where a pixel is.
struct Spot: Sendable {
  let x, y, width, height: Int
}

func clamped(_ value: Double) -> Double { min(max(value, 0), 1) }

/// What a filter makes of a pixel; nil where its value lies on a jump, so that rounding decides.
typealias Look = @Sendable (Shade, Spot) -> Shade?

/// A filter and its formula.
struct PointCase: Sendable, CustomTestStringConvertible {
  let filter: Filter
  let look: Look

  init(_ filter: Filter, _ look: @escaping Look) { (self.filter, self.look) = (filter, look) }

  /// A formula that does not depend on the place and has no jumps.
  init(_ filter: Filter, of look: @escaping @Sendable (Shade) -> Shade) {
    self.init(filter) { shade, _ in look(shade) }
  }

  var testDescription: String { String(filter.key.prefix(80)) }
}

/// Pictures on which each filter is compared with its formula.
enum PointPictures {
  static let seed: UInt64 = {
    let seed = UInt64.random(in: 0...99_999)
    print("pixels of filter tests, seed \(seed)")
    return seed
  }()

  /// 1 × 1, 1 × N, 17 × 13 and rows that are longer than a block of 256 pixels.
  static let all: [Bitmap] = {
    do {
      return try [
        random(1, 1, .bgra), random(1, 1, .bgrx), random(1, 9, .bgra), random(17, 13, .bgra),
        random(17, 13, .bgrx),
      ] + (Sanitizer.watchesThreads ? [] : [random(300, 5, .bgrx), random(300, 40, .bgra)])
    } catch {
      Issue.record(error)
      return []
    }
  }()

  /// Every alpha, many extremes, whole opaque and clear rows, opaque ends of rows.
  static func random(_ width: Int, _ height: Int, _ format: PixelFormat, _ more: UInt64 = 0) throws
    -> Bitmap
  {
    var dice = Dice(seed: seed &+ UInt64(width * 1000 + height) &+ more &* 7919)
    return try picture(width, height, format) { x, y in
      let isOpaque = format == .bgrx || y % 8 == 2 || y % 8 == 3 && x >= 256
      let any = [dice.byte(), dice.byte(), 0, 255, 1, 254]
      let alpha = isOpaque ? 255 : y % 8 == 5 ? 0 : any[Int(dice.byte() % 6)]
      let colors = (0..<3).map { _ -> UInt8 in
        let part = [dice.byte(), dice.byte(), dice.byte(), 0, 255, 128][Int(dice.byte() % 6)]
        return UInt8((Int(part) * Int(alpha) + 127) / 255)
      }
      return colors + [alpha]
    }
  }
}

extension Bitmap {
  /// The straight colours of a picture with four bytes per pixel; clear ones are black.
  var shades: [Shade] {
    let bytes = pixels
    return stride(from: 0, to: bytes.count, by: 4).map { at in
      let alpha = format.hasAlpha ? Double(bytes[at + 3]) : 255
      guard alpha > 0 else { return Shade(0, 0, 0, 0) }
      let colors = (0..<3).map { Double(bytes[at + 2 - $0]) / alpha }
      return Shade(colors[0], colors[1], colors[2], alpha / 255)
    }
  }

  /// How far the pixels are from a formula of those of `source`, and where; in levels of a byte.
  ///
  /// Premultiplied colours and alpha count. A colour above its alpha is as far as can be.
  func distance(from source: Bitmap, _ look: Look) -> (levels: Double, place: String) {
    let (bytes, shades) = (pixels, source.shades)
    var worst = (levels: 0.0, place: "nowhere")
    for index in shades.indices {
      let spot = Spot(x: index % width, y: index / width, width: width, height: height)
      guard let exact = look(shades[index], spot) else { continue }
      let at = index * 4
      let alpha = format.hasAlpha ? Double(bytes[at + 3]) : 255
      var levels = abs(alpha - exact.a * 255)
      let wanted = [exact.b * exact.a * 255, exact.g * exact.a * 255, exact.r * exact.a * 255]
      for channel in 0..<3 {
        let byte = Double(bytes[at + channel])
        levels = max(levels, byte > alpha ? 255 : abs(byte - wanted[channel]))
      }
      if levels > worst.levels {
        let found = bytes[at..<at + 4].map(String.init).joined(separator: " ")
        worst = (levels, "\(spot) of \(shades[index]): \(found) instead of \(wanted) \(exact.a)")
      }
    }
    return worst
  }
}

/// One level: half for rounding alpha, by which colours are multiplied, and half for rounding them.
let oneLevel = 1.001

/// Compares a filter with its formula on all pictures.
func expectFormula(_ point: PointCase, within limit: Double = oneLevel) throws {
  for source in PointPictures.all {
    let result = try source.filtered([point.filter])
    #expect(result.size == source.size)
    let worst = result.distance(from: source, point.look)
    let size = "\(source.width) × \(source.height), \(source.format.hasAlpha)"
    #expect(worst.levels <= limit, "\(size), seed \(PointPictures.seed), at \(worst.place)")
  }
}
