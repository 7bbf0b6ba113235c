import IkranStores
import IkranTransport
import Testing

@testable import Ikran

/// The file as far as it is there, of transfers that go on from a beginning.
struct ArrivingBodyTests {
  private let earlier = PartialBody(validator: "\"1\"", total: 6, bytes: [1, 2])

  private func head(
    _ status: Int,
    _ range: String? = nil,
    tag: String? = "\"1\""
  ) -> TransportResponse {
    let fields = [("Content-Range", range), ("ETag", tag)].compactMap { name, value in
      value.map { HeaderField(name, $0) }
    }
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

  @Test func aRangeWithoutATagOrUnderAnotherStatusIsNoPartOfTheFile() {
    let arriving = ArrivingBody(after: earlier)
    arriving.begin(head(206, "bytes 2-5/6", tag: nil))
    #expect(file(arriving, [3]) == nil)
    arriving.begin(head(200, "bytes 2-5/6"))
    #expect(file(arriving, [3]) == nil)
  }

  @Test func progressCountsTheBeginningOnlyWhereTheTransferGoesOn() {
    let arriving = ArrivingBody(after: earlier)
    let progress = TransferProgress(received: 1, expected: 4)
    arriving.begin(head(206, "bytes 2-5/6"))
    #expect(arriving.progress(progress) == TransferProgress(received: 3, expected: 6))
    for head in [head(200), head(206, "bytes 2-5/6", tag: nil)] {
      arriving.begin(head)
      #expect(arriving.progress(progress) == progress)
    }
  }

  @Test(arguments: [(4, 3, 6), (6, 1, 6), (nil, 1, nil)] as [(Int?, Int, Int?)])
  func progressOfATransportWithoutHeadsGoesByTheLength(
    announced: Int?,
    received: Int,
    expected: Int?
  ) {
    let counted = ArrivingBody(after: earlier)
      .progress(TransferProgress(received: 1, expected: announced))
    #expect(counted == TransferProgress(received: received, expected: expected))
  }
}
