import TestBasics
import Testing

@testable import IkranPixels

/// Tables of colours from pictures and `.cube` files.
@Suite(.timeLimit(.minutes(10)))
struct LookupTableTests {
  private static let cube = [
    "0 0 0", "1 0 0", "0 1 0", "1 1 0", "0 0 1", "1 0 1", "0 1 1", "1 1 1",
  ]

  private func table(_ lines: [String], _ ending: String = "\n") throws -> LookupTable {
    try LookupTable(cube: lines.joined(separator: ending).utf8)
  }

  private func photo() throws -> Bitmap {
    try spatialNoise(PixelSize(width: 40, height: 17), .bgra, seed: 3)
  }

  /// The picture of a table of `side` colours a side, `columns` squares in a row, that changes nothing
  /// or exchanges red and blue.
  private func image(side: Int, columns: Int, exchanged: Bool = false) throws -> Bitmap {
    try picture(side * columns, side * (side / columns), .bgrx) { x, y in
      let levels = [x % side, y % side, y / side * columns + x / side].map {
        UInt8((Double($0) * 255 / Double(side - 1)).rounded())
      }
      return exchanged ? levels + [255] : [levels[2], levels[1], levels[0], 255]
    }
  }

  @Test(arguments: ["\n", "\r\n", "\r"]) func aCubeOfCornersChangesNothing(ending: String) throws {
    let lines = ["# a comment", "TITLE \"plain\"", "", "LUT_3D_SIZE 2"] + Self.cube + [""]
    let picture = try photo()
    #expect(try picture.filtered([.lookup(table(lines, ending))]).pixels == picture.pixels)
  }

  @Test func aDomainIsStretched() throws {
    let lines = ["LUT_3D_SIZE 2", "DOMAIN_MIN 0.25 0 0", "DOMAIN_MAX 0.75 1 2"] + Self.cube
    let table = try table(lines)
    try expectPoints([.lookup(table)], seed: 11) { pixel in
      pixel.with([min(max((pixel.r - 0.25) * 2, 0), 1), pixel.g, pixel.b / 2])
    }
    #expect(
      try Filter.lookup(table).key != Filter.lookup(self.table(["LUT_3D_SIZE 2"] + Self.cube)).key
    )
  }

  @Test func aDomainOfResolveIsOneForAllChannels() throws {
    let ours = ["LUT_3D_SIZE 2", "DOMAIN_MIN 0.25 0.25 0.25", "DOMAIN_MAX 2 2 2"] + Self.cube
    let theirs = ["LUT_3D_SIZE 2", "LUT_3D_INPUT_RANGE 0.25 2.0"] + Self.cube
    #expect(try table(theirs) == table(ours))
    let curves = ["LUT_1D_SIZE 2", "DOMAIN_MIN -1 -1 -1", "DOMAIN_MAX 2 2 2", "0 0 0", "1 1 1"]
    let range = ["LUT_1D_SIZE 2", "LUT_1D_INPUT_RANGE -1 2", "0 0 0", "1 1 1"]
    #expect(try table(range) == table(curves))
  }

  @Test func aByteOrderMarkIsSkipped() throws {
    let lines = ["LUT_3D_SIZE 2"] + Self.cube
    #expect(try table(["\u{FEFF}LUT_3D_SIZE 2"] + Self.cube) == table(lines))
  }

  @Test func curvesAreExactBetweenTheirValues() throws {
    let table = try table(["LUT_1D_SIZE 3", "0 1 0", "0.2 0.5 0.5", "1 0 1"])
    #expect(table.side == 3)
    try expectPoints([.lookup(table)], seed: 12) { pixel in
      let red = pixel.r < 0.5 ? pixel.r * 0.4 : 0.2 + (pixel.r - 0.5) * 1.6
      return pixel.with([red, 1 - pixel.g, pixel.b])
    }
  }

  /// Steep curves bend between the bytes, where colours under alpha and after other filters lie.
  @Test(arguments: [2, 3, 33, 257, 1_000, 4_096], [1, 0.4])
  func curvesHaveAllValuesOfTheirFile(count: Int, share: Double) throws {
    let values = (0..<count).map { Double($0 * 7_919 % 1_021) / 1_020 }
    let lines = values.map { "\($0) \(1 - $0) 0.5" }
    let table = try table(["LUT_1D_SIZE \(count)", "DOMAIN_MIN 0.2 0 0"] + lines)
    func value(at place: Double) -> Double {
      let place = min(max(place, 0), 1) * Double(count - 1)
      let cell = min(Int(place), count - 2)
      return values[cell] + (values[cell + 1] - values[cell]) * (place - Double(cell))
    }
    try expectPoints([.lookup(table, intensity: share)], seed: 15) { pixel in
      pixel.mixed(share, [value(at: (pixel.r - 0.2) / 0.8), 1 - value(at: pixel.g), 0.5])
    }
  }

  /// A level for each byte, which 65 places could not hold.
  @Test func steepCurvesKeepEachLevel() throws {
    let levels = (0..<256).map { $0 * 73 % 256 }
    let lines = levels.map { "\(Double($0) / 255) 0.5 1" }
    let table = try table(["LUT_1D_SIZE 256"] + lines)
    let gray = try picture(256, 1, .bgrx) { x, _ in [UInt8(x), UInt8(x), UInt8(x), 255] }
    let red = try gray.filtered([.lookup(table)]).pixels.enumerated().filter { $0.offset % 4 == 2 }
    #expect(red.map { Int($0.element) } == levels)
  }

  @Test func curvesHaveADomainAndAnIntensity() throws {
    let lines = ["LUT_1D_SIZE 2", "DOMAIN_MIN 0.25 0 0", "DOMAIN_MAX 0.75 1 2", "1 0 0", "0 1 1"]
    let table = try table(lines)
    try expectPoints([.lookup(table, intensity: 0.5)], seed: 14) { pixel in
      let red = 1 - min(max((pixel.r - 0.25) * 2, 0), 1)
      return pixel.mixed(0.5, [red, pixel.g, pixel.b / 2])
    }
    let other = try self.table(["LUT_1D_SIZE 2", "1 0 0", "0 1 1"])
    #expect(Filter.lookup(table) != .lookup(other))
  }

  @Test(arguments: [(16, 4), (64, 8), (16, 16), (33, 33)])
  func picturesOfSquaresAreRead(side: Int, columns: Int) throws {
    let picture = try photo()
    let plain = try LookupTable(image: image(side: side, columns: columns))
    #expect(plain.side == side)
    let same = zip(try picture.filtered([.lookup(plain)]).pixels, picture.pixels)
    #expect(same.allSatisfy { (Int($0) - Int($1)).magnitude <= 1 })
    let other = try LookupTable(image: image(side: side, columns: columns, exchanged: true))
    let swapped = zip(
      try picture.filtered([.lookup(other)]).pixels,
      try picture.filtered([.channels(.bgra)]).pixels
    )
    #expect(swapped.allSatisfy { (Int($0) - Int($1)).magnitude <= 1 })
  }

  @Test(arguments: ["lookup", "lookup512"]) func aPictureHasOneKey(name: String) throws {
    let image = try image(side: 64, columns: 8)
    let filter = try Filter(parsing: "\(name):any.png") { (_: String, _: FilterFile) in
      .picture(image)
    }
    #expect(try filter == .lookup(LookupTable(image: image)))
    #expect(filter.name == "lookup")
  }

  @Test func halfATableIsHalfway() throws {
    let table = try LookupTable(image: image(side: 16, columns: 4, exchanged: true))
    try expectPoints([.lookup(table, intensity: 0.5)], seed: 13) { pixel in
      pixel.mixed(0.5, [pixel.b, pixel.g, pixel.r])
    }
  }

  @Test(arguments: [(1, 1), (4, 3), (512, 511), (65, 64), (1, 129)])
  func picturesOfOtherShapesAreRefused(width: Int, height: Int) throws {
    let picture = try Bitmap(.white, size: PixelSize(width: width, height: height))
    #expect(throws: FilterError.self) { try LookupTable(image: picture) }
  }

  @Test(arguments: [
    ([], "it has no LUT_3D_SIZE"), (["0 0 0"], "line 1 comes before LUT_3D_SIZE"),
    (
      ["LUT_1D_SIZE 2", "LUT_3D_SIZE 2"],
      "line 2 is a second size; save the curves and the cube as two files"
    ),
    (["LUT_3D_INPUT_RANGE 0"], "line 1 is not two numbers of at most 1000000"),
    (["DOMAIN_MAX 1e39 1e39 1e39"], "line 1 is not three numbers of at most 1000000"),
    (["LUT_3D_SIZE 1"], "line 1 has no usable size; it is a number from 2 to 129"),
    (["", "LUT_3D_SIZE 200"], "line 2 has no usable size; it is a number from 2 to 129"),
    (["LUT_3D_SIZE 2", "0 0"], "line 2 is not three numbers of at most 1000000"),
    (["LUT_3D_SIZE 2", "0 0 nan"], "line 2 is not three numbers of at most 1000000"),
    (["LUT_3D_SIZE 2", "0 0 x"], "line 2 is not three numbers of at most 1000000"),
    (["LUT_3D_SIZE 2", "0 0 0"], "it has 1 of 8 colours"),
    (["LUT_3D_SIZE 2"] + cube + ["0 0 0"], "line 10 is more than the size says"),
    (
      ["LUT_3D_SIZE 2", "DOMAIN_MAX 1 0 1"] + cube,
      "its domain's upper bound is not above the lower one"
    ),
    ([String(repeating: "x", count: 300)], "line 1 is too long"),
  ]) func whatIsWrongIsSaid(lines: [String], reason: String) {
    #expect(throws: FilterError.invalidTable(reason: reason)) { try table(lines) }
  }

  @Test(arguments: ["\n", "\r\n", "\r"]) func linesAreCountedWhateverEndsThem(ending: String) {
    let lines = ["# a comment", "", "LUT_3D_SIZE 2", "0 0"]
    #expect(
      throws: FilterError.invalidTable(reason: "line 4 is not three numbers of at most 1000000")
    ) {
      try table(lines, ending)
    }
  }

  @Test func damagedFilesAreReadOrRefused() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let whole = Array(
      (["LUT_3D_SIZE 2", "DOMAIN_MIN 0 0 0"] + Self.cube).joined(separator: "\n").utf8
    )
    for _ in 0..<Rounds.fewer(20_000) {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = .random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: place)
        default: bytes.insert(.random(in: 32...57, using: &generator), at: place)
        }
      }
      guard let table = try? LookupTable(cube: bytes) else { continue }
      _ = try Bitmap(.white, size: PixelSize(width: 3, height: 1)).filtered([.lookup(table)])
    }
  }
}
