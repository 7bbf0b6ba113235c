#if HEIC
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// HEIC files whose picture is put together from others.
@Suite(.timeLimit(.minutes(5))) struct OverlayTests {
  private let gray = Pixel(128, 128, 128)
  private let red = Pixel(200, 40, 40)
  private let green = Pixel(40, 180, 60)

  /// Where a canvas of this size is declared in the data of an overlay.
  private func place(of size: PixelSize, in bytes: [UInt8]) throws -> Int {
    let wanted = [0, UInt8(size.width), 0, UInt8(size.height)]
    let places = bytes.indices.dropLast(4).filter { Array(bytes[$0..<$0 + 4]) == wanted }
    return try #require(places.count == 1 ? places.first : nil)
  }

  @Test func everyPictureIsWhereTheOverlayHasIt() throws {
    let bitmap = try outcome(of: Fixtures.bytes("overlay.heic")).get()
    #expect(bitmap.size == PixelSize(width: 96, height: 80))
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() {
        let isFirst = (8..<72).contains(x) && (12..<76).contains(y)
        let wanted = x >= 40 && y >= 30 ? green : isFirst ? red : gray
        #expect(pixel.distance(to: wanted) <= 2, "at \(x), \(y)")
      }
    }
  }

  @Test func cellsOfAGridLieSideBySideUpToItsSize() throws {
    let bytes = try Fixtures.bytes("grid.heic")
    let size = PixelSize(width: 120, height: 100)
    #expect(try probe(bytes).get().size == size)
    let colors = [red, green, Pixel(50, 70, 210), Pixel(230, 230, 230)]
    let bitmap = try outcome(of: bytes).get()
    #expect(bitmap.size == size)
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() {
        let wanted = colors[(x < 64 ? 0 : 1) + (y < 64 ? 0 : 2)]
        #expect(pixel.distance(to: wanted) <= 3, "at \(x), \(y)")
      }
    }
  }

  @Test func picturesThatBeginOutsideAreRefused() throws {
    let error = failure(of: try Fixtures.bytes("overlay-outside.heic"))
    #expect(
      error == .unsupported(.heic, feature: "an overlay of pictures that begin outside of it")
    )
  }

  @Test func aCanvasThatIsLargerThanThePictureIsRefused() throws {
    var bytes = try Fixtures.bytes("overlay.heic")
    bytes[try place(of: PixelSize(width: 96, height: 80), in: bytes) + 2] = 1
    guard case .malformed = failure(of: bytes) else {
      Issue.record("\(String(describing: failure(of: bytes)))")
      return
    }
  }

  @Test(arguments: [0x7F, 0x80, 0xFF] as [UInt8], 0..<2)
  func placesFarOutsideAreRefused(_ high: UInt8, _ picture: Int) throws {
    var bytes = try Fixtures.bytes("overlay.heic")
    let place = try place(of: PixelSize(width: 96, height: 80), in: bytes) + 4 + picture * 4
    for axis in [0, 2] {
      var changed = bytes
      changed[place + axis] = high
      #expect(failure(of: changed) != nil)
    }
    bytes[place] = 0
    #expect(failure(of: bytes) == nil)
  }

  /// libheif 1.15 ends the process for them.
  @Test(arguments: ["hvc2", "mime", "Exif"])
  func partsThatAreNoPicturesAreRefused(kind: String) throws {
    var bytes = try Fixtures.bytes("overlay.heic")
    let infos = bytes.indices.dropLast(4).filter { Array(bytes[$0..<$0 + 4]) == Array("infe".utf8) }
    let place = try #require(infos.first) + 12
    #expect(Array(bytes[place..<place + 4]) == Array("hvc1".utf8))
    bytes.replaceSubrange(place..<place + 4, with: Array(kind.utf8))
    #expect(failure(of: bytes) == .unsupported(.heic, feature: "parts of kind \(kind)"))
  }

  @Test func partsThatAreNotThereAreRefused() throws {
    var bytes = try Fixtures.bytes("overlay.heic")
    let places = bytes.indices.dropLast(4).filter {
      Array(bytes[$0..<$0 + 4]) == Array("dimg".utf8)
    }
    // The number of the overlay, the count, and the numbers of its parts.
    let place = try #require(places.first) + 8
    bytes[place + 1] = 9
    #expect(failure(of: bytes) == .unsupported(.heic, feature: "parts that are not there"))
  }
}
#endif
