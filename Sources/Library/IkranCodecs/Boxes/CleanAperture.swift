#if AVIF || HEIC
import IkranPixels

/// The part of a picture that is shown alone, before it is turned: a `clap` box (ISO/IEC 14496-12,
/// section 12.1.4).
struct CleanAperture: Sendable {
  private let width, height, across, down: Fraction

  /// A number that need not be whole.
  private struct Fraction {
    let numerator, denominator: Int

    /// nil where the denominator is none.
    init?(_ bytes: Span<UInt8>, at offset: Int) {
      guard let numerator = bytes.bigEndian32(at: offset),
        let denominator = bytes.bigEndian32(at: offset + 4), 0 < denominator, denominator < 1 << 31
      else { return nil }
      self.numerator = Int(Int32(truncatingIfNeeded: numerator))
      self.denominator = denominator
    }

    /// The number itself; nil where it is not whole.
    var whole: Int? { numerator.isMultiple(of: denominator) ? numerator / denominator : nil }
  }

  /// Reads the body of the box.
  init?(_ bytes: Span<UInt8>, at body: Int) {
    guard let width = Fraction(bytes, at: body), let height = Fraction(bytes, at: body + 8),
      let across = Fraction(bytes, at: body + 16), let down = Fraction(bytes, at: body + 24)
    else { return nil }
    (self.width, self.height, self.across, self.down) = (width, height, across, down)
  }

  /// Width and height, rounded down.
  var size: PixelSize {
    PixelSize(
      width: width.numerator / width.denominator,
      height: height.numerator / height.denominator
    )
  }

  /// The pixels that it has of a picture; nil where they are not whole, or not all in the picture.
  func part(of whole: PixelSize) -> PixelRectangle? {
    guard whole.width < 1 << 30, whole.height < 1 << 30,
      let width = width.whole, let height = height.whole,
      let left = Self.start(of: width, in: whole.width, offset: across),
      let top = Self.start(of: height, in: whole.height, offset: down)
    else { return nil }
    let part = PixelRectangle(x: left, y: top, width: width, height: height)
    return part.isInside(whole) ? part : nil
  }

  /// Where a length begins whose middle is so far from that of the whole.
  private static func start(of length: Int, in whole: Int, offset: Fraction) -> Int? {
    let double = 2 * offset.numerator + (whole - length) * offset.denominator
    let (start, rest) = double.quotientAndRemainder(dividingBy: 2 * offset.denominator)
    return rest == 0 ? start : nil
  }
}
#endif
