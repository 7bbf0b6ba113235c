import IkranPixels
import TestBasics
import Testing

/// A picture in double precision, 0…255, as stored: premultiplied.
struct ExactPicture {
  let width, height: Int
  /// Four values a pixel: blue, green, red, alpha.
  var values: [Double]

  init(_ bitmap: Bitmap) {
    (width, height) = (bitmap.width, bitmap.height)
    values = bitmap.pixels.map { Double($0) }
  }

  /// The same size, each pixel computed from its place.
  init(like other: ExactPicture, _ compute: (Int, Int) -> [Double]) {
    (width, height) = (other.width, other.height)
    values = []
    values.reserveCapacity(other.values.count)
    for y in 0..<height {
      for x in 0..<width { values += compute(x, y) }
    }
  }

  /// The stored pixel, or the nearest one of the edge.
  func at(_ x: Int, _ y: Int) -> [Double] {
    let first = (min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)) * 4
    return Array(values[first..<first + 4])
  }

  /// The mean of the four pixels around a place; pixel (x, y) has its centre at (x + ½, y + ½).
  func bilinear(_ x: Double, _ y: Double) -> [Double] {
    let x = min(max(x - 0.5, 0), Double(width - 1))
    let y = min(max(y - 0.5, 0), Double(height - 1))
    let (left, top) = (Int(x), Int(y))
    let (right, down) = (x - Double(left), y - Double(top))
    let corners = [
      (at(left, top), (1 - right) * (1 - down)), (at(left + 1, top), right * (1 - down)),
      (at(left, top + 1), (1 - right) * down), (at(left + 1, top + 1), right * down),
    ]
    return (0..<4).map { channel in corners.reduce(0) { $0 + $1.0[channel] * $1.1 } }
  }

  /// The straight colours and the alpha, 0…1; a clear pixel is black.
  func straight(_ x: Int, _ y: Int) -> [Double] { Self.straight(at(x, y)) }

  static func straight(_ pixel: [Double]) -> [Double] {
    pixel[3] <= 0 ? [0, 0, 0, 0] : pixel[..<3].map { $0 / pixel[3] } + [pixel[3] / 255]
  }

  /// A stored pixel of straight colours, which are clamped to 0…1, and alpha.
  static func stored(_ straight: [Double]) -> [Double] {
    straight[..<3].map { min(max($0, 0), 1) * straight[3] * 255 } + [straight[3] * 255]
  }
}

/// The sizes that every filter is tested at; from more pixels on one thread ThreadSanitizer learns
/// nothing.
let spatialSizes =
  (Sanitizer.watchesThreads
  ? [(1, 1), (17, 13)]
  : [
    (1, 1), (1, 23), (23, 1), (17, 13), (67, 41),
  ]).map { PixelSize($0.0, $0.1) }

/// Noise with alpha 0, 255 and everything between, colours at or below alpha.
func spatialNoise(_ size: PixelSize, _ format: PixelFormat, seed: UInt64) throws -> Bitmap {
  var dice = Dice(seed: seed)
  return try picture(size.width, size.height, format) { _, _ in
    let kind = dice.byte() % 4
    let alpha = format == .bgrx || kind == 3 ? 255 : kind == 0 ? 0 : Int(dice.byte())
    return (0..<3).map { _ in UInt8(Int(dice.byte()) * alpha / 255) } + [UInt8(alpha)]
  }
}

/// Runs a filter with and without SIMD and expects the same valid bytes of both.
func spatiallyFiltered(
  _ image: Bitmap,
  _ filter: (Bitmap, Workspace) throws -> Bitmap
) throws -> Bitmap {
  let workspace = Workspace()
  let result = try filter(image, workspace)
  let plain = Workspace()
  plain.usesSIMD = false
  #expect(try filter(image, plain).pixels == result.pixels)
  #expect(result.size == image.size)
  #expect(result.format == image.format)
  let pixels = result.pixels
  let valid = stride(from: 0, to: pixels.count, by: 4).allSatisfy { first in
    let alpha = pixels[first + 3]
    return pixels[first..<first + 3].allSatisfy { $0 <= alpha }
      && (image.format == .bgra || alpha == 255)
  }
  #expect(valid)
  return result
}

/// The largest distance of a channel from the reference, in steps of 1/255.
func largestSpatialError(_ result: Bitmap, _ reference: ExactPicture) -> Double {
  zip(result.pixels, reference.values).reduce(0) { max($0, (Double($1.0) - $1.1).magnitude) }
}

/// Compares a filter with its formula at all sizes, with alpha and without.
func expectSpatialFormula(
  seed: UInt64,
  sizes: [PixelSize] = spatialSizes,
  tolerance: Double = 1,
  _ filter: (Bitmap, Workspace) throws -> Bitmap,
  formula: (ExactPicture) -> ExactPicture
) throws {
  print("seed \(seed)")
  for format in [PixelFormat.bgra, .bgrx] {
    for size in sizes {
      let image = try spatialNoise(size, format, seed: seed)
      let result = try spatiallyFiltered(image, filter)
      let error = largestSpatialError(result, formula(ExactPicture(image)))
      #expect(error <= tolerance, "\(size) \(format)")
    }
  }
}

/// Whether the two bitmaps are one: the same memory, not only the same bytes.
func areOne(_ first: Bitmap, _ second: Bitmap) -> Bool {
  first.withBytes { one in
    second.withBytes { other in
      one.withUnsafeBufferPointer { $0.baseAddress }
        == other.withUnsafeBufferPointer { $0.baseAddress }
    }
  }
}
