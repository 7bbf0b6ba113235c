import IkranTransport
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct SplitBodyTests {
  private let bytes = (0..<10).map { UInt8($0) }

  /// A body of ten bytes in three parts: 0..<4, 4..<7 and 7..<10.
  private func split() throws -> SplitBody {
    let head = TransportResponse(
      status: 200,
      headers: [
        HeaderField("ETag", "\"1\""), HeaderField("Accept-Ranges", "bytes"),
        HeaderField("Content-Length", "10"),
      ],
      body: [],
      url: "http://a.test/"
    )
    let options = ResumptionOptions(splitBytes: 10, parts: 3)
    return SplitBody(try #require(SplitPlan(head, options, limit: 10)))
  }

  @Test func partsMayArriveInAnyOrderAndPieces() throws {
    var body = try split()
    body.take(Array(bytes[7..<9]), of: 2, from: 7)
    body.take(Array(bytes[0..<4]), of: 0, from: 0)
    body.take(Array(bytes[4..<7]), of: 1, from: 4)
    body.take(Array(bytes[7..<10]), of: 2, from: 7)
    #expect(body.whole() == bytes)
  }

  @Test func aMissingByteIsNoBody() throws {
    var body = try split()
    body.take(bytes, of: 0, from: 0)
    body.take(Array(bytes[4..<7]), of: 1, from: 4)
    body.take(Array(bytes[7..<9]), of: 2, from: 7)
    #expect(body.whole() == nil)
  }

  @Test func whatComesBehindAPartIsLeftOut() throws {
    var body = try split()
    body.take([0, 1, 2, 3, 99, 99, 99], of: 0, from: 0)
    body.take(Array(bytes[4..<7]), of: 1, from: 4)
    body.take(Array(bytes[7..<10]), of: 2, from: 7)
    #expect(body.whole() == bytes)
  }

  @Test func aPartThatComesOnceMoreReplacesWhatItBrought() throws {
    var body = try split()
    body.take(Array(bytes[0..<4]), of: 0, from: 0)
    body.take([4, 99], of: 1, from: 4)
    body.begin(1, at: 5)
    body.take([5, 6], of: 1, from: 5)
    body.take(Array(bytes[7..<10]), of: 2, from: 7)
    #expect(body.whole() == bytes)
  }

  @Test func progressIsTheSumOfTheParts() throws {
    var body = try split()
    #expect(body.arrived(3, of: 0) == TransferProgress(received: 3, expected: 10))
    #expect(body.arrived(2, of: 2) == TransferProgress(received: 5, expected: 10))
    #expect(body.arrived(9, of: 0) == TransferProgress(received: 6, expected: 10))
  }
}
