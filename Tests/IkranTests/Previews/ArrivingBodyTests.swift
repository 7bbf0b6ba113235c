import IkranStores
import IkranTransport
import Testing

@testable import Ikran

/// The file as far as it is there, of transfers that go on from a beginning.
struct ArrivingBodyTests {
  private let earlier = PartialBody(validator: "\"1\"", total: 6, bytes: [1, 2])

  private func head(_ status: Int, _ range: String? = nil) -> TransportResponse {
    let fields = range.map { [HeaderField("Content-Range", $0)] } ?? []
    return TransportResponse(status: status, headers: fields, body: [], url: "http://a.test")
  }

  private func file(_ arriving: ArrivingBody, _ body: [UInt8]) -> [UInt8]? {
    arriving.withFile(body) { file in copy file }
  }

  @Test func aTransferThatGoesOnHasItsBeginningBeforeIt() {
    let arriving = ArrivingBody(after: earlier)
    arriving.begin(head(206, "bytes 2-5/6"))
    #expect(file(arriving, [3]) == [1, 2, 3])
    #expect(file(arriving, [3]) == [1, 2, 3])
    #expect(file(arriving, [3, 4, 5]) == [1, 2, 3, 4, 5])
    arriving.begin(head(206, "bytes 2-5/6"))
    #expect(file(arriving, [9]) == [1, 2, 9])
  }

  @Test func aWholeResponseIsTheFile() {
    let arriving = ArrivingBody(after: earlier)
    arriving.begin(head(200))
    #expect(file(arriving, [7, 8]) == [7, 8])
    #expect(file(ArrivingBody(after: nil), [7]) == [7])
  }

  @Test(arguments: ["bytes 3-5/6", "bytes 2-5/7", nil])
  func whatDoesNotFitIsNoPartOfTheFile(_ range: String?) {
    let arriving = ArrivingBody(after: earlier)
    #expect(file(arriving, [3]) == nil)
    arriving.begin(head(206, range))
    #expect(file(arriving, [3]) == nil)
  }
}
