#if TIFF
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// The corpus's TIFF files, compared with what Pillow makes of them.
@Suite(
  .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
  .timeLimit(.minutes(10))
)
struct TIFFCorpusTests {
  /// What Pillow 9 cannot read, or has no 8 bits of.
  private static let pillowFails: Set<String> = [
    "tiff/libgd--int16.tif", "tiff/libgd--int8.tif", "tiff/libgd--issue_69_packbits.tiff",
    "tiff/libgd--minisblack-2c-8b-alpha.tiff", "tiff/pillow--16bit.MM.deflate.tif",
  ]

  private static let files = Corpus.files(format: "tiff").filter {
    $0.expected == "decodes" && !pillowFails.contains($0.path)
  }

  @Test(.enabled(if: Pillow.isInstalled, "install python3-pil"), arguments: files)
  func pixelsAreThoseOfPillow(_ file: Corpus.File) throws {
    let path = "\(Corpus.folder ?? "")/\(file.path)"
    let picture = try #require(Pillow.picture(ofFile: path))
    var limits = DecodeLimits()
    limits.maximumDimension = 100_000
    let rules = DecodeRules(limits: limits, colors: .untouched)
    let ours = try outcome(of: file.bytes(), by: rules).get().bitmap
    #expect(ours.size == picture.size)
    let distance = ours.distance(toStraight: picture.pixels)
    let isLossy = file.path.contains("jpeg")
    #expect(distance <= (isLossy ? 3 : ours.format.hasAlpha ? 1 : 0), "\(file): \(distance)")
  }
}

extension Bitmap {
  /// The largest difference of any channel to straight red, green, blue and alpha, once these are
  /// premultiplied.
  func distance(toStraight pixels: [UInt8]) -> Int {
    guard pixels.count == width * height * 4 else { return .max }
    var largest = 0
    for (index, pixel) in self.pixels.joined().enumerated() {
      let other = pixels[index * 4..<index * 4 + 4].map { Int($0) }
      let colors = other[0..<3].map { UInt8(($0 * other[3] + 127) / 255) }
      let wanted = Pixel(colors[0], colors[1], colors[2], UInt8(other[3]))
      largest = max(largest, pixel.distance(to: wanted))
    }
    return largest
  }
}
#endif
