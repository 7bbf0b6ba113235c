import Ikran
import IkranTesting
import Support
import Testing

/// Images of a program's own types.
struct OwnModelTests {
  private struct Photo: ImageRequestConvertible {
    let number: Int

    func imageRequest(style: Style) -> ImageRequest? {
      number == 0 ? nil : ImageRequest(location: "http://a.test/\(number).png", style: style)
    }
  }

  @Test func aValuesImageIsThatOfItsRequest() async throws {
    let transport = FakeTransport(body: try Square.png(50))
    let pipeline = ImagePipeline.deterministic(transport: transport)
    #expect(try await pipeline.image(of: Photo(number: 7), style: .circle(8)).width == 8)
    await #expect(throws: ImageError.invalidRequest("the value has no image")) {
      _ = try await pipeline.image(of: Photo(number: 0))
    }
    #expect(transport.urls == ["http://a.test/7.png"])
  }
}
