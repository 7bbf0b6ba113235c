import IkranCodecs
import IkranPixels
import IkranStores
import Support
import Testing

/// What is below a picture that is shown large.
@Suite(.serialized, .enabled(if: Stage.hasDisplay, "there is no display"))
struct TransparencyTests: ProgramSuite {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Half of 51,200 pixels, and some of texts and symbols.
  private static let half = 25_600...26_100

  /// How many pixels of the window have the colour of the gray squares while the picture is shown.
  private func squares(below name: String, _ words: String...) throws -> Int {
    let window = try window(showing: [name], ["--light", "--open", name] + words)
    return window.withBytes { bytes in
      (0..<bytes.count / 4).count { pixel in
        (4 * pixel..<4 * pixel + 3).allSatisfy { abs(Int(bytes[$0]) - 217) <= 1 }
      }
    }
  }

  private func createClear(_ name: String, width: Int, height: Int) throws {
    try Files.createDirectories(folder.path + "/pictures")
    let canvas = try Canvas(size: PixelSize(width: width, height: height), format: .bgra)
    try Files.create(folder.path + "/pictures/" + name, try canvas.finish().encoded(as: .png))
  }

  @Test func aClearPictureIsCheckeredAsFarAsItGoes() throws {
    try createClear("clear.png", width: 320, height: 160)
    let count = try squares(below: "clear.png")
    #expect(Self.half.contains(count), "\(count)")
  }

  @Test func aZoomedPictureIsCheckeredAsFarAsItGoes() throws {
    try createClear("clear.png", width: 160, height: 80)
    let count = try squares(below: "clear.png", "--zoom", "2")
    #expect(Self.half.contains(count), "\(count)")
  }

  @Test func aLargePictureIsCheckeredWhereItIsFitted() throws {
    try createClear("clear.png", width: 4000, height: 1000)
    let count = try squares(below: "clear.png")
    // It is 716 points wide at most.
    #expect((20_000...716 * 180 / 2).contains(count), "\(count)")
  }

  @Test func belowAnOpaquePictureThereAreNoSquares() throws {
    #expect(try squares(below: "areas-444.jpg") < 300)
  }
}
