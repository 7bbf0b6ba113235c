import IkranCodecs
import IkranPixels
import TestBasics

/// Decodes with the standard codecs, as a result.
func outcome(
  of bytes: [UInt8],
  _ fitting: Fitting = .original,
  limits: DecodeLimits = DecodeLimits()
) -> Result<Bitmap, DecodeError> {
  do throws(DecodeError) {
    let rules = DecodeRules(limits: limits)
    return .success(
      try CodecList.standard.decode(bytes.span, fitting: fitting, rules: rules).bitmap
    )
  } catch { return .failure(error) }
}

/// Decodes with the standard codecs and rules, as a result.
func outcome(
  of bytes: [UInt8],
  _ fitting: Fitting = .original,
  by rules: DecodeRules
) -> Result<DecodedPicture, DecodeError> {
  do throws(DecodeError) {
    return .success(try CodecList.standard.decode(bytes.span, fitting: fitting, rules: rules))
  } catch { return .failure(error) }
}

/// The error of decoding `bytes`, nil when it succeeds.
func failure(
  of bytes: [UInt8],
  _ fitting: Fitting = .original,
  limits: DecodeLimits = DecodeLimits()
) -> DecodeError? {
  if case .failure(let error) = outcome(of: bytes, fitting, limits: limits) { return error }
  return nil
}

/// Reads the headers with the standard codecs, as a result.
func probe(_ bytes: [UInt8]) -> Result<ImageInfo, DecodeError> {
  do throws(DecodeError) {
    return .success(try CodecList.standard.probe(bytes.span))
  } catch { return .failure(error) }
}

extension CodecList {
  /// Whether a codec of the list is for a format, as those of traits are only where these are on.
  func decodes(_ format: ImageFormat) -> Bool { codecs.contains { $0.format == format } }
}

/// One pixel with straight alpha.
struct Pixel: Hashable, CustomStringConvertible {
  var red, green, blue, alpha: UInt8

  init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  var description: String { "(\(red), \(green), \(blue), \(alpha))" }

  /// The largest difference of a channel.
  func distance(to other: Pixel) -> Int {
    let mine = [red, green, blue, alpha]
    let theirs = [other.red, other.green, other.blue, other.alpha]
    return zip(mine, theirs).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }
}

extension Bitmap {
  /// Rows of pixels as stored in a `.bgra` or `.bgrx` bitmap: premultiplied.
  var pixels: [[Pixel]] {
    (0..<height).map { y in
      withRow(y) { row in
        (0..<width).map { x in
          Pixel(row[x * 4 + 2], row[x * 4 + 1], row[x * 4], row[x * 4 + 3])
        }
      }
    }
  }

  /// The largest difference of any channel to an image of the same size.
  func distance(to other: Bitmap) -> Int {
    guard size == other.size else { return .max }
    return zip(pixels.joined(), other.pixels.joined()).map { $0.distance(to: $1) }.max() ?? 0
  }
}
