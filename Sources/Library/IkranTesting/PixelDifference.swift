public import IkranPixels

/// How an image differs from the one that was expected.
public enum PixelDifference: Error, Sendable, Hashable {
  /// It has another size.
  case size(PixelSize, expected: PixelSize)
  /// Pixels differ: the first one row by row, as premultiplied red, green, blue and alpha, then the
  /// largest difference of a channel and the number of pixels that differ by more than allowed.
  case pixels(
    x: Int,
    y: Int,
    found: SIMD4<UInt8>,
    expected: SIMD4<UInt8>,
    maximum: Int,
    count: Int
  )
  /// There was no memory to compare them.
  case bitmap(BitmapError)
}

extension PixelDifference: CustomStringConvertible {
  /// One sentence.
  public var description: String {
    switch self {
    case .size(let size, let expected): return "the image has \(size) pixels, expected \(expected)"
    case .pixels(let x, let y, let found, let expected, let maximum, let count):
      let pixels = count == 1 ? "1 pixel differs" : "\(count) pixels differ"
      return "\(pixels), by \(maximum) at most; the first, x \(x) y \(y), is \(text(found)),"
        + " expected \(text(expected)) (premultiplied red, green, blue, alpha)"
    case .bitmap(let error): return "\(error)"
    }
  }

  private func text(_ pixel: SIMD4<UInt8>) -> String {
    pixel.indices.map { "\(pixel[$0])" }.joined(separator: " ")
  }
}

/// Compares two images pixel by pixel, whatever their pixel formats.
///
/// In Swift Testing and in XCTest a test that throws fails with the error's text, so
/// `try expectPixels(image, equal: expected)` is enough. To go on after a difference, write
/// `#expect(throws: Never.self) { try expectPixels(image, equal: expected) }` or
/// `XCTAssertNoThrow(try expectPixels(image, equal: expected))`.
///
/// - Parameters:
///   - image: The image under test.
///   - expected: The image that it should be.
///   - tolerance: The difference up to which a channel, premultiplied by alpha, counts as equal.
/// - Throws: ``PixelDifference``.
public func expectPixels(
  _ image: Bitmap,
  equal expected: Bitmap,
  tolerance: Int = 0
) throws(PixelDifference) {
  guard image.size == expected.size else { throw .size(image.size, expected: expected.size) }
  let (found, wanted) = (try pixels(of: image), try pixels(of: expected))
  var (first, maximum, count) = (0, 0, 0)
  for index in found.indices where found[index] != wanted[index] {
    let difference = largestDifference(found[index], wanted[index])
    maximum = max(maximum, difference)
    guard difference > tolerance else { continue }
    if count == 0 { first = index }
    count += 1
  }
  guard count > 0 else { return }
  throw .pixels(
    x: first % image.width,
    y: first / image.width,
    found: found[first],
    expected: wanted[first],
    maximum: maximum,
    count: count
  )
}

private func largestDifference(_ left: SIMD4<UInt8>, _ right: SIMD4<UInt8>) -> Int {
  let (a, b) = (SIMD4<Int16>(truncatingIfNeeded: left), SIMD4<Int16>(truncatingIfNeeded: right))
  return Int(max((a &- b).max(), (b &- a).max()))
}

/// Premultiplied red, green, blue and alpha of every pixel, row by row.
private func pixels(of bitmap: Bitmap) throws(PixelDifference) -> [SIMD4<UInt8>] {
  let image: Bitmap
  do throws(BitmapError) { image = try bitmap.converted(to: .bgra) } catch { throw .bitmap(error) }
  var pixels: [SIMD4<UInt8>] = []
  pixels.reserveCapacity(image.width * image.height)
  for y in 0..<image.height {
    image.withRow(y) { row in
      for x in 0..<image.width {
        let start = 4 * x
        pixels.append(SIMD4(row[start + 2], row[start + 1], row[start], row[start + 3]))
      }
    }
  }
  return pixels
}
