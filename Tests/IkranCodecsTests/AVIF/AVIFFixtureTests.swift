#if AVIF
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Grids, turned and mirrored pictures, and how often a sequence is played.
@Suite(.timeLimit(.minutes(5))) struct AVIFFixtureTests {
  private let colors = [
    Pixel(200, 40, 40), Pixel(40, 180, 60), Pixel(50, 70, 210), Pixel(230, 230, 230),
  ]

  /// The colour of the four areas on a canvas that is some times as large.
  private func color(_ x: Int, _ y: Int, scale: Int) -> Pixel {
    colors[(x < 16 * scale ? 0 : 1) + (y < 16 * scale ? 0 : 2)]
  }

  @Test func cellsOfAGridLieSideBySide() throws {
    let file = try Fixtures.bytes("areas-grid.avif")
    let size = PixelSize(width: 192, height: 128)
    #expect(try probe(file).get().size == size)
    let bitmap = try outcome(of: file).get()
    #expect(bitmap.size == size)
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() {
        #expect(pixel == color(x, y, scale: 4), "at \(x), \(y)")
      }
    }
  }

  @Test func aRectangleReachesOverTheCellsOfAGrid() throws {
    let file = try Fixtures.bytes("areas-grid.avif")
    let whole = try outcome(of: file).get()
    let part = PixelRectangle(x: 50, y: 40, width: 90, height: 60)
    let cut = try outcome(of: file, .region(part, part.size)).get()
    #expect(cut.pixels == whole.pixels[40..<100].map { Array($0[50..<140]) })
  }

  @Test func aGridWithoutACellIsAnError() throws {
    var file = try Fixtures.bytes("areas-grid.avif")
    let places = file.indices.dropLast(4).filter { Array(file[$0..<$0 + 4]) == Array("dimg".utf8) }
    // The number of the grid and the count are before the numbers of the cells.
    let place = try #require(places.first) + 8
    file[place + 1] = 99
    #expect(failure(of: file) != nil)
  }

  @Test(arguments: ["areas-turned.avif", "areas-mirrored.avif"])
  func turnedAndMirroredPicturesStandUpright(_ name: String) throws {
    let file = try Fixtures.bytes(name)
    let info = try probe(file).get()
    #expect(info.size == PixelSize(width: 32, height: 48))
    #expect(info.orientation == (name == "areas-turned.avif" ? .right : .leftMirrored))
    let bitmap = try outcome(of: file).get()
    #expect(bitmap.size == PixelSize(width: 48, height: 32))
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() {
        #expect(pixel == color(x, y, scale: 1), "at \(x), \(y)")
      }
    }
  }

  @Test func whatIsCutOutIsTurnedAfterwards() throws {
    let file = try Fixtures.bytes("areas-cut.avif")
    let info = try probe(file).get()
    #expect(info.size == PixelSize(width: 30, height: 20))
    #expect(info.orientation == .right)
    let part = PixelRectangle(x: 7, y: 5, width: 30, height: 20)
    let wanted = try outcome(
      of: Fixtures.bytes("areas-lossless.avif"),
      .region(part, part.size)
    ).get().upright(.right)
    #expect(try outcome(of: file).get().pixels == wanted.pixels)
  }

  // MARK: - Loops

  private func number(_ value: Int, _ bytes: Int = 4) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ((bytes - 1 - $0) * 8)) }
  }

  private func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    number(8 + body.count) + Array(type.utf8) + body
  }

  /// A track of so many ticks, with an edit of some of them.
  private func track(ticks: Int, edit: Int, isRepeated: Bool) -> [UInt8] {
    let header = number(0) + number(0) + number(0) + number(1) + number(0) + number(ticks)
    let rest = [UInt8](repeating: 0, count: 60)
    let list = number(isRepeated ? 1 : 0) + number(1) + number(edit) + number(0) + number(1 << 16)
    return box("tkhd", header + rest) + box("edts", box("elst", list))
  }

  @Test(
    arguments: [
      (240, 240, 1), (480, 240, 2), (500, 240, 3), (7 * 240, 240, 7), (0xFFFF_FFFF, 240, 0),
      (240, 0, 0),
    ] as [(Int, Int, Int)]
  )
  func aRepeatedEditIsPlayedUntilTheTrackEnds(_ sample: (ticks: Int, edit: Int, plays: Int)) {
    let bytes = track(ticks: sample.ticks, edit: sample.edit, isRepeated: true)
    #expect(PictureTrack(bytes.span, in: 0..<bytes.count).plays == sample.plays)
  }

  @Test func anEditThatIsNotRepeatedIsPlayedOnce() {
    let bytes = track(ticks: 480, edit: 240, isRepeated: false)
    #expect(PictureTrack(bytes.span, in: 0..<bytes.count).plays == 1)
  }

  @Test func aSequenceWithoutEditsIsPlayedForEver() throws {
    let file = try Fixtures.bytes("animation-3-frames.avif")
    #expect(try probe(file).get().loops == 0)
    #expect(try animation(file).info.plays == nil)
  }
}
#endif
