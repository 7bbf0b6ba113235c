import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// JPEG files of four inks, with and without Adobe's marker.
@Suite(.timeLimit(.minutes(10))) struct CMYKTests {
  /// What is stored, where 255 is no ink, and its colour.
  private static let colors: [(inks: [UInt8], color: Pixel)] = [
    ([255, 0, 0, 255], Pixel(255, 0, 0)), ([0, 255, 0, 255], Pixel(0, 255, 0)),
    ([255, 255, 255, 255], Pixel(255, 255, 255)), ([255, 255, 255, 0], Pixel(0, 0, 0)),
    ([200, 100, 50, 128], Pixel(100, 50, 25)),
  ]

  private static let samples = colors.indices.flatMap { index in
    [(24, 16), (9, 33), (1, 1)].flatMap { side in
      (0..<6).map { kind in
        var sample = CMYKSample(width: side.0, height: side.1, inks: colors[index].inks)
        sample.isProgressive = kind > 2
        // Without a marker, nobody can tell that luma and chroma are stored.
        (sample.hasMarker, sample.isYCCK) = (kind % 3 > 0, kind % 3 == 2)
        return (index, sample)
      }
    }
  }

  @Test(arguments: samples)
  func coloursAreTheSameWithAndWithoutAMarker(_ kind: (color: Int, sample: CMYKSample)) throws {
    let bitmap = try outcome(of: kind.sample.bytes()).get()
    let wanted = Self.colors[kind.color].color
    let distance = bitmap.pixels.joined().map { $0.distance(to: wanted) }.max()
    #expect(distance ?? .max <= 2, "\(kind.sample): \(bitmap.pixels[0][0]), not \(wanted)")
  }

  @Test func aFixtureThatLosesItsMarkerKeepsItsColours() throws {
    let bytes = try Fixtures.bytes("areas-cmyk.jpg")
    let marker = try #require(bytes.firstRange(of: [0xFF, 0xEE]))
    let length = Int(bytes[marker.upperBound]) << 8 | Int(bytes[marker.upperBound + 1])
    var bare = bytes
    bare.removeSubrange(marker.lowerBound..<marker.upperBound + length)
    for fitting in [Fitting.original, .cover(PixelSize(width: 5, height: 4))] {
      let whole = try outcome(of: bytes, fitting).get()
      #expect(try outcome(of: bare, fitting).get().distance(to: whole) == 0)
    }
  }
}
