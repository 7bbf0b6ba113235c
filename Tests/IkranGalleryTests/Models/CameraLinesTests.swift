import IkranCodecs
import IkranPixels
import Testing

@testable import ikran_gallery

struct CameraLinesTests {
  /// An EXIF block that says nothing.
  private static let block: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]

  private func values(
    _ fill: (inout ExifFacts) -> Void
  ) throws -> [CameraLines.Line: String] {
    var facts = try #require(ImageMetadata(exif: Self.block).exifFacts)
    fill(&facts)
    return CameraLines.values(of: facts)
  }

  @Test func aBlockThatSaysNothingHasNoLines() throws {
    #expect(try values { _ in }.isEmpty)
  }

  @Test func valuesAreWrittenForPeople() throws {
    let values = try values {
      ($0.make, $0.model, $0.lens) = ("ACME", "Model 1", "35mm F2.8")
      $0.exposureTime = ExifFacts.Fraction((1, 250))
      ($0.fNumber, $0.sensitivity, $0.focalLength) = (2.8, 400, 35)
      ($0.dateTime, $0.timeOffset) = ("2026:11:25 13:45:00", "+01:00")
      $0.location = ExifFacts.Location(latitude: 52.52, longitude: 13.405)
      $0.orientation = .right
    }
    #expect(
      values == [
        .camera: "ACME Model 1", .lens: "35mm F2.8", .exposure: "1/250 s", .aperture: "f/2.8",
        .sensitivity: "ISO 400", .focalLength: "35 mm", .taken: "2026-11-25 13:45:00 +01:00",
        .place: "52.5200° N, 13.4050° E", .orientation: "turned 90° left",
      ]
    )
  }

  @Test func theSouthAndTheWestAreNamed() throws {
    let values = try values {
      $0.location = ExifFacts.Location(latitude: -0.00005, longitude: -179.99999)
    }
    #expect(values == [.place: "0.0001° S, 180.0000° W"])
  }

  @Test func longExposuresAreSeconds() throws {
    #expect(try values { $0.exposureTime = ExifFacts.Fraction((5, 2)) } == [.exposure: "2.5 s"])
    #expect(try values { $0.exposureTime = ExifFacts.Fraction((30, 1)) } == [.exposure: "30 s"])
  }

  @Test func theMakerIsNotNamedTwice() throws {
    let values = try values { ($0.make, $0.model) = ("Acme", "ACME Model 1") }
    #expect(values == [.camera: "ACME Model 1"])
  }

  @Test func numbersThatCannotBeAreLeftOut() throws {
    let values = try values {
      $0.exposureTime = ExifFacts.Fraction((0, 1))
      ($0.fNumber, $0.sensitivity, $0.focalLength) = (-2, -1, 0)
      $0.orientation = .up
    }
    #expect(values.isEmpty)
  }

  @Test func numbersThatAreShownAsZeroAreLeftOut() throws {
    #expect(try values { ($0.fNumber, $0.focalLength) = (0.04, 0.04) }.isEmpty)
  }

  @Test func aTimeThatIsNotKnownIsLeftOut() throws {
    #expect(try values { $0.dateTime = "    :  :     :  :  " }.isEmpty)
    #expect(try values { $0.dateTime = "0000:00:00 00:00:00" }.isEmpty)
  }

  @Test func textsHaveNoSpacesAroundThem() throws {
    let values = try values { ($0.make, $0.model, $0.lens) = ("ACME  ", " \u{A0}M1\t", " \n ") }
    #expect(values == [.camera: "ACME M1"])
  }

  @Test func spacesBeforeATextTakeNoneOfItsRoom() throws {
    let values = try values { $0.lens = String(repeating: " ", count: 300) + "35mm" }
    #expect(values == [.lens: "35mm"])
  }

  @Test func theSmallestAndTheLargestNumbersAreShown() throws {
    let values = try values {
      $0.exposureTime = ExifFacts.Fraction((1, 4_294_967_295))
      $0.focalLength = 4_294_967_295
    }
    #expect(values == [.exposure: "1/4294967295 s", .focalLength: "4294967295 mm"])
  }

  @Test func aTextIsOneLine() throws {
    let values = try values { $0.lens = "a\nb\u{202E}" + String(repeating: "c", count: 4000) }
    #expect(values[.lens]?.hasPrefix("a b ccc") == true)
    #expect(values[.lens]?.count == CameraLines.longest)
  }

  @Test func aRawFileIsItsOwnBlock() { #expect(CameraLines.read(Self.block) != nil) }
}
