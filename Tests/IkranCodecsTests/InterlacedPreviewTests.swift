import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// What the beginning of an interlaced file shows.
@Suite(.timeLimit(.minutes(10))) struct InterlacedPreviewTests {
  private let list = CodecList.standard

  private func beginning(_ bytes: [UInt8], _ fitting: Fitting = .original) -> Bitmap? {
    let picture = try? list.decodePrefix(
      bytes.span,
      fitting: fitting,
      rules: DecodeRules(),
      workspace: Workspace()
    )
    return (picture ?? nil)?.bitmap
  }

  private func order(_ bytes: [UInt8]) -> PixelOrder? { list.order(of: bytes.span) }

  private static let png = PNGSample(
    size: PixelSize(width: 43, height: 37),
    isInterlaced: true,
    pixel: { x, y in [UInt16(x * 1_500), UInt16(y * 1_700), UInt16((x * y) % 250 * 257)] }
  ).bytes

  private static let gif = GIFSample.interlaced(width: 31, height: 45) { x, y in
    UInt8((y * 5 + x * 3) % 256)
  }

  /// Each pixel is the final one of a block that a pass has brought, never anything else; and with more
  /// bytes no fewer pixels are final.
  private func checkBlocks(_ bytes: [UInt8], _ grids: [(across: Int, down: Int)]) throws -> Int {
    let whole = try list.decode(bytes.span).bitmap
    let final = try whole.straightRGBA()
    let pixel = { (rgba: [UInt8], x: Int, y: Int) in
      let start = (y * whole.width + x) * 4
      return Array(rgba[start..<start + 4])
    }
    var (last, pictures) = (0, 0)
    for count in stride(from: 1, to: bytes.count, by: Rounds.areAll ? 23 : 97) {
      guard let picture = beginning(Array(bytes[..<count])) else { continue }
      #expect(picture.size == whole.size)
      let seen = try picture.straightRGBA()
      var isRight = true
      var done = 0
      for y in 0..<whole.height {
        for x in 0..<whole.width {
          let shown = pixel(seen, x, y)
          if shown == pixel(final, x, y) { done += 1 }
          isRight =
            isRight
            && grids.contains { grid in
              shown == pixel(final, x - x % grid.across, y - y % grid.down)
            }
        }
      }
      #expect(isRight, "\(count) bytes")
      #expect(done >= last, "\(count) bytes")
      if done > last { pictures += 1 }
      last = done
    }
    return pictures
  }

  @Test func passesOfAPNGAreShownAsBlocks() throws {
    let grids = [(8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2), (1, 1)]
    #expect(try checkBlocks(Self.png, grids.map { (across: $0.0, down: $0.1) }) > 6)
  }

  @Test func passesOfAGIFAreShownAsRows() throws {
    let grids = [8, 4, 2, 1].map { (across: 1, down: $0) }
    #expect(try checkBlocks(Self.gif, grids) > 3)
  }

  @Test func nothingIsShownBeforeTheFirstPassIsWhole() throws {
    #expect(beginning(Array(Self.png[..<120])) == nil)
    #expect(beginning(Array(Self.gif[..<(13 + 768 + 20)])) == nil)
  }

  @Test func rowsAreToldApart() throws {
    for name in [
      "gradient-8b-rgb.png", "areas-420.jpg", "areas-cmyk.jpg", "soft-lossy-alpha.webp",
    ] {
      #expect(order(try Fixtures.bytes(name)) == .rows, "\(name)")
    }
    for name in ["indexed.gif", "areas-progressive.jpg", "animation-3-frames.webp"] {
      #expect(order(try Fixtures.bytes(name)) == .unknown, "\(name)")
    }
  }

  @Test func theOrderOfAJPEGIsKnownWithItsFirstScan() throws {
    let bytes = try Fixtures.bytes("areas-420.jpg")
    let scan = try #require(bytes.firstRange(of: [0xFF, 0xDA])).lowerBound
    #expect(order(Array(bytes[..<scan])) == nil)
    #expect(order(Array(bytes[..<(scan + 5)])) == .rows)
  }

  @Test func theFirstBytesTellWhetherAFileIsInterlaced() throws {
    for bytes in [Self.png, Self.gif] {
      #expect(order(bytes) == .passes)
      #expect(order(Array(bytes[..<11])) == nil)
    }
  }

  @Test func allFixturesAreReadUpToEveryByte() throws {
    for name in Fixtures.names where name.hasSuffix("interlaced.png") || name.hasSuffix(".gif") {
      let bytes = try Fixtures.bytes(name)
      for count in bytes.indices {
        let picture = beginning(Array(bytes[..<count]), .cover(PixelSize(width: 5, height: 5)))
        #expect(picture.map { $0.width == 5 && $0.height == 5 } ?? true)
      }
    }
  }

  @Test func damageShowsNothing() throws {
    var bytes = Self.png
    // The length of a stored block contradicts its complement.
    let data = try #require(bytes.firstRange(of: Array("IDAT".utf8)))
    bytes[data.upperBound + 3] ^= 0xFF
    #expect(beginning(Array(bytes.dropLast(20))) == nil)
  }

  @Test func aHeaderOverTheLimitsIsRefused() {
    var limits = DecodeLimits()
    limits.maximumPixels = 100
    for bytes in [Self.png, Self.gif] {
      let beginning = Array(bytes.dropLast(30))
      #expect(throws: DecodeError.self) {
        try list.decodePrefix(
          beginning.span,
          fitting: .original,
          rules: DecodeRules(limits: limits),
          workspace: Workspace()
        )
      }
    }
  }
}
