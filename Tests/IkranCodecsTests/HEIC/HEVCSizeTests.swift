#if HEIC
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// The sizes that coded data declares, which boxes may hide.
@Suite(.timeLimit(.minutes(10)))
struct HEVCSizeTests {
  /// A sequence parameter set as a unit, with bytes that keep it apart from start codes.
  private func unit(width: Int, height: Int, layers: Int = 0, chroma: Int = 1) -> [UInt8] {
    var bits: [Bool] = []
    func add(_ value: Int, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(value >> bit & 1 != 0) }
    }
    func addExponential(_ value: Int) {
      let length = Int.bitWidth - (value + 1).leadingZeroBitCount
      add(0, length - 1)
      add(value + 1, length)
    }
    add(33 << 9 | 1, 16)
    add(0, 4)
    add(layers, 3)
    add(1, 1)
    for _ in 0..<12 { add(0, 8) }
    for _ in 0..<layers { add(3, 2) }
    if layers > 0 { add(0, (8 - layers) * 2) }
    for _ in 0..<layers { for _ in 0..<12 { add(0, 8) } }
    addExponential(0)
    addExponential(chroma)
    if chroma == 3 { add(0, 1) }
    addExponential(width)
    addExponential(height)
    add(0xFF, 16)
    return escaped(bits)
  }

  private func escaped(_ bits: [Bool]) -> [UInt8] {
    var unit: [UInt8] = []
    for start in stride(from: 0, to: bits.count - 7, by: 8) {
      let byte = bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
      if unit.suffix(2) == [0, 0], byte < 4 { unit.append(3) }
      unit.append(byte)
    }
    return unit
  }

  private func pixels(_ unit: [UInt8]) -> Int? { HEVCSize(unit.span)?.pixels }

  @Test(arguments: [0, 1, 6], [1, 3])
  func theSizeIsReadAfterWhatIsSaidOfLayers(layers: Int, chroma: Int) {
    for (width, height) in [(8, 8), (8_192, 4_096), (65_535, 1), (1_000, 70_000)] {
      let bytes = unit(width: width, height: height, layers: layers, chroma: chroma)
      #expect(pixels(bytes) == width * height)
    }
  }

  @Test func otherUnitsAndBeginningsHaveNone() {
    let whole = unit(width: 640, height: 480)
    for count in 0..<whole.count - 2 {
      #expect(pixels(Array(whole[..<count])) ?? 0 <= 307_200, "\(count) bytes")
    }
    var other = whole
    other[0] = 34 << 1
    #expect(pixels(other) == nil)
    #expect(pixels([UInt8](repeating: 0, count: 300)) == nil)
    var endless = Array(whole[..<2])
    endless += [UInt8](repeating: 0, count: 300)
    #expect(pixels(endless) ?? 0 > 1 << 40)
  }

  @Test(
    .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
    arguments: [
      ("lossy-q90.heic", 19_200), ("10bit.heic", 19_200), ("thumbnail.heic", 76_800),
      ("sdwebimage--Images-TestHDR.heic", 240_000),
    ]
  )
  func codedDataOfAFileSaysItsSize(_ file: (name: String, pixels: Int)) throws {
    let bytes = try Corpus.bytes("heic/\(file.name)")
    let header = try HEICHeader(bytes.span, .heic)
    let parts = PictureParts(of: header.item, in: header.table, bytes.span)?.items ?? []
    let most = header.table.mostCodedPixels(of: parts, bytes.span)
    // Whole blocks are coded.
    #expect((file.pixels...file.pixels * 11 / 10).contains(most))
  }

  @Test(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"))
  func aLargePictureThatIsDeclaredSmallIsRefused() throws {
    let bytes = try Corpus.bytes("large/nuke-img_751.heic")
    let whole = try HEICHeader(bytes.span, .heic)
    let parts = PictureParts(of: whole.item, in: whole.table, bytes.span)?.items ?? []
    let most = whole.table.mostCodedPixels(of: parts, bytes.span)
    #expect(most <= whole.info.size.pixelCount ?? 0)
    // A set of parameters before the coded picture, which is as long as its name says.
    var file = try Corpus.bytes("heic/lossy-q90.heic")
    let set = unit(width: 16_384, height: 16_384)
    let length = [0, 0, 0, UInt8(set.count)]
    let place = try #require(file.firstPictureOffset)
    file.replaceSubrange(place..<place + set.count + 4, with: length + set)
    guard case .malformed(.heic, _, let reason) = failure(of: file) else {
      Issue.record("it is not refused")
      return
    }
    #expect(reason == "its coded pictures are larger than its header says")
  }
}

extension [UInt8] {
  /// Where the data of the first item begins.
  fileprivate var firstPictureOffset: Int? {
    indices.first { self[$0...].starts(with: Array("mdat".utf8)) }.map { $0 + 4 }
  }
}
#endif
