import Support
import Testing

@testable import IkranTransport

@Suite(.timeLimit(.minutes(10)))
struct HeaderTextTests {
  private func header(_ lines: String...) -> HeaderText {
    HeaderText(lines.flatMap { Array(($0 + "\r\n").utf8) })
  }

  @Test func fieldsComeInOrderWithoutTheWhiteSpaceAroundThem() {
    let header = header("Age:5", "X-Empty:", "Date: \t now and then \t", "Age: 6")
    #expect(
      header.fields == [
        HeaderField("Age", "5"), HeaderField("X-Empty", ""), HeaderField("Date", "now and then"),
        HeaderField("Age", "6"),
      ]
    )
  }

  @Test func aFieldIsFoundWhateverItsCase() {
    let header = header("Content-LENGTH: 1", "content-length: 2", "ETag: \"a:b\"")
    #expect(header.first("content-length") == "1")
    #expect(header.last("Content-Length") == "2")
    #expect(header.first("etag") == "\"a:b\"")
  }

  @Test func fieldsAreFoundAndTakenOutByName() {
    let header = header("A: 1", "Content-Length: 2", "no colon", "B: 3", "content-length: 4")
    #expect(header.fields(named: ["CONTENT-LENGTH", "b"]).map(\.value) == ["2", "3", "4"])
    #expect(
      header.without(["Content-Length"]).fields == [HeaderField("A", "1"), HeaderField("B", "3")]
    )
  }

  @Test(arguments: ["Content", "Content-Type-Options", "Content_Type", "", "nosniff"])
  func anotherNameIsNotFound(name: String) {
    #expect(header("Content-Type: image/png", "X: nosniff").first(name) == nil)
  }

  @Test func linesThatAreNoFieldsArePassedBy() {
    let header = header("no colon here", "", "A: 1", " folded")
    #expect(header.fields == [HeaderField("A", "1")])
    #expect(HeaderText().fields.isEmpty)
  }

  @Test func theLastLineNeedsNoEnd() {
    let header = HeaderText(Array("A: 1\nB: 2".utf8))
    #expect(header.fields == [HeaderField("A", "1"), HeaderField("B", "2")])
  }

  @Test func bytesThatAreNoTextAreKept() {
    let text = HeaderText([0x41, 0x3A, 0xFF, 0xC3, 0xA4, 0x0A]).first("a") ?? ""
    #expect(text == "\u{EFFF}ä")
    #expect(FieldText.bytes(of: text) == [0xFF, 0xC3, 0xA4])
  }

  @Test func everyRowOfBytesIsRestored() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    // Often the bytes at which the escapes begin and end.
    let usual: [UInt8] = [0x41, 0x7F, 0x80, 0xBE, 0xBF, 0xC3, 0xE2, 0xEE, 0xEF, 0xF0, 0xF4, 0xFF]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        usual.randomElement(using: &random) ?? UInt8.random(in: 1...255, using: &random)
      }
      #expect(FieldText.bytes(of: FieldText.text(of: bytes[...])) == bytes, "seed \(seed)")
    }
  }

  @Test func anAnswerFindsItsFieldsInEitherForm() {
    let lines = header("Vary: Accept")
    let response = TransportResponse(
      status: 200,
      header: lines,
      body: [],
      url: "",
      isComplete: true,
      metrics: nil
    )
    let made = TransportResponse(status: 200, headers: lines.fields, body: [], url: "")
    #expect(response.headers == made.headers)
    #expect(response.header("VARY") == "Accept")
    #expect(made.header("vary") == "Accept")
  }
}
