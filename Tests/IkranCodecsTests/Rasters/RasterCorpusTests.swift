import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// The pixels of the corpus's BMP files, next to another decoder's.
@Suite(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"), .timeLimit(.minutes(10)))
struct RasterCorpusTests {
  /// Where Pillow 9 does not do what browsers do.
  private static let pillowDiffers: Set<String> = [
    // It ignores alpha.
    "bmp/image-rs-image--V5_A8_R8_G8_B8_Rgb.bmp", "bmp/libgd--rgba16-5551.bmp",
    // Pixels that are left out have the first colour of the palette.
    "bmp/pillow--pal8rletrns.bmp",
    // It cannot read these masks.
    "bmp/image-rs-image--V3_R5_G6_B5.bmp", "bmp/image-rs-image--rgba32.bmp",
  ]

  private static let files = Corpus.files(format: "bmp").filter {
    $0.expected == "decodes" && !pillowDiffers.contains($0.path)
  }

  @Test(.enabled(if: Pillow.isInstalled, "python3-pil is not installed"), arguments: files)
  func pixelsAreThoseOfPillow(_ file: Corpus.File) throws {
    let path = "\(Corpus.folder ?? "")/\(file.path)"
    let wanted = try #require(Pillow.frames(ofFile: path)?.first)
    // Pillow does not convert colours.
    let rules = DecodeRules(colors: .untouched)
    let bitmap = try outcome(of: file.bytes(), by: rules).get().bitmap
    let pixels = stride(from: 0, to: wanted.count, by: 4).map { offset in
      Pixel(wanted[offset], wanted[offset + 1], wanted[offset + 2], wanted[offset + 3])
        .premultiplied
    }
    // It rounds channels of five and six bits down.
    let distance = zip(bitmap.pixels.joined(), pixels).map { $0.distance(to: $1) }.max()
    #expect(distance ?? .max <= (file.path.contains("16") || file.path.contains("565") ? 1 : 0))
  }
}
