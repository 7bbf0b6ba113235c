import IkranPixels
import TestBasics

@testable import IkranCodecs

/// Files of which regions are decoded, and the pixels that are right.
enum Regions {
  /// JPEG files of every sampling, with and without restart markers, larger than a few MCUs.
  static let samples = JPEGSample.Sampling.allCases.flatMap { sampling in
    [
      JPEGSample(width: 157, height: 131, sampling: sampling),
      JPEGSample(width: 203, height: 93, sampling: sampling, restarts: 5),
      JPEGSample(width: 144, height: 160, sampling: sampling, restarts: 1),
      JPEGSample(width: 131, height: 118, sampling: sampling, restarts: 47),
      JPEGSample(width: 150, height: 99, sampling: sampling, isProgressive: true),
    ]
  }

  /// A JPEG file that says how it is to be turned.
  static func bytes(_ file: [UInt8], turned orientation: Orientation) -> [UInt8] {
    let tag: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.rawValue, 0, 0]
    let exif = Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1] + tag + [0, 0, 0, 0]
    return file[..<2] + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + file[2...]
  }

  /// A rectangle anywhere in a picture, often at an edge.
  static func random(
    in size: PixelSize,
    _ random: inout SeededGenerator
  ) -> PixelRectangle {
    func side(_ length: Int) -> Range<Int> {
      let (a, b) = (Int.random(in: 0..<length, using: &random), random.next() % 4)
      let count = Int.random(in: 1...(b == 0 ? length - a : min(length - a, 40)), using: &random)
      return a..<a + count
    }
    let (x, y) = (side(size.width), side(size.height))
    return PixelRectangle(x: x.lowerBound, y: y.lowerBound, width: x.count, height: y.count)
  }

  /// The pixels of a rectangle of a picture that was decoded whole.
  static func part(_ region: PixelRectangle, of whole: Bitmap) throws -> Bitmap {
    try whole.cropped(
      columns: region.x..<region.x + region.size.width,
      rows: region.y..<region.y + region.size.height
    )
  }

  /// Whether all pixels are the same, and the format.
  static func areSame(_ first: Bitmap, _ second: Bitmap) -> Bool {
    first.format == second.format && BothDecoders.areSame(first, second)
  }
}
