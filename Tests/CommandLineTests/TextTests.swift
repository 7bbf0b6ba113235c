import Testing

@testable import ikran_cli

@Suite("Text", .timeLimit(.minutes(10)))
struct TextTests {
  @Test func jsonKeepsTheOrderOfItsKeysAndEscapesText() {
    let value: JSON = [
      "z": .string("a\"b\\c\n\t\u{1}\u{7F}é🙂"),
      "a": .array([.integer(-1), .number(0.5), .bool(true), .null]),
      "m": .object([]),
    ]
    let text = #"{"z":"a\"b\\c\n\t\u0001\u007fé🙂","a":[-1,0.5,true,null],"m":{}}"#
    #expect(value.text == text)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func aNumberThatJSONCannotWriteIsNull(number: Double) {
    #expect(JSON.number(number).text == "null")
  }

  @Test func millisecondsAreExactToTheMicrosecond() {
    #expect(JSON.milliseconds(.nanoseconds(1_234_567)).text == "1.235")
  }

  @Test func textLinesAreAligned() {
    let value: JSON = [
      "format": .string("png"), "loops": .null, "alpha": .bool(true),
      "sources": ["disk": .integer(3)], "durations": .array([.integer(40), .integer(80)]),
    ]
    #expect(
      value.lines == [
        "format:       png", "loops:        -", "alpha:        yes", "sources.disk: 3",
        "durations:    40 80",
      ]
    )
  }

  @Test func controlCharactersNeverReachTheTerminal() {
    #expect(Output.printable("a\u{1B}[31mb\nc\u{9B}d") == "a [31mb c d")
  }

  @Test func aFailureIsTheErrorsSentenceWithoutItsFullStop() {
    struct Broken: Error, CustomStringConvertible { let description = "It broke; repair it." }
    #expect(Failure(Broken(), advice: "; or else").sentence == "It broke; repair it; or else")
  }

  @Test(arguments: [
    ("There is no room left to write /a.", "there is no room left to write /a"),
    ("Could not open a: it does not exist.", "could not open a: it does not exist"),
    ("SQLite could not use /a.", "SQLite could not use /a"),
    ("Photo may not be written.", "Photo may not be written"), ("", ""),
  ])
  func aClauseBeginsInLowerCaseButForNames(sentence: String, text: String) {
    #expect(clause(sentence) == text)
  }

  @Test func aFailureOfAFailureIsItsSentence() {
    #expect(Failure(Failure("no picture")) == Failure("no picture"))
    #expect(Failure(UsageError(reason: "no name", command: "get")) == Failure("no name"))
  }

  @Test(arguments: [
    (0, "█", 0), (50, "█", 20), (100, "█", 40), (150, "█", 40), (-5, "█", 0),
  ])
  func theBarIsAsLongAsTheProgress(done: Int, cell: Character, count: Int) {
    let line = ProgressBar.line(done: done, total: 100, note: "x", width: 80)
    #expect(line.filter { $0 == cell }.count == count)
    #expect(line.hasSuffix("%  x"))
  }

  @Test(arguments: [0, 1, 5, 10, 20, 40, 79, 80, 200])
  func theBarNeverFillsTheLine(width: Int) {
    for total in [nil, 0, 7] {
      let line = ProgressBar.line(done: 3, total: total, note: "3/7  12.5 MB", width: width)
      #expect(line.count < max(width, 1))
    }
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (123_456, "123 KB"), (99_949, "99.9 KB"),
    (999_499, "999 KB"), (999_500, "1.0 MB"), (5_000_000_000, "5.0 GB"),
  ])
  func bytesAreRounded(count: Int, text: String) {
    #expect(ProgressBar.bytes(count) == text)
  }

  @Test(arguments: [
    ("-", Input.standardInput), ("a.png", .file("a.png")), ("./-", .file("./-")),
    ("http", .file("http")), ("http://h/x", .url("http://h/x")), ("HTTPS://h", .url("HTTPS://h")),
    ("data:,x", .url("data:,x")), ("ftp://h/x", .url("ftp://h/x")), ("a:b.png", .file("a:b.png")),
    ("file:///x", .url("file:///x")),
  ])
  func aWordIsAURLAFileOrStandardInput(word: String, input: Input) {
    #expect(Input(word) == input)
  }

  @Test func unusualCharactersInAPathAreEscaped() throws {
    let input = Input.file("/a b/ü%?#[x];.png")
    #expect(try input.location() == "file:///a%20b/%C3%BC%25%3F%23%5Bx%5D%3B.png")
  }

  @Test func aListSkipsBlankLinesAndComments() {
    let text = "http://h/1\r\n\n  # no\n\t http://h/2  \n-\n#\nhttp://h/1"
    let one = Input.url("http://h/1")
    let inputs = ImageList.parse(text)
    #expect(inputs == [one, .url("http://h/2"), .file("-"), one])
    let (distinct, places) = inputs.withoutRepetitions()
    #expect(distinct == [one, .url("http://h/2"), .file("-")])
    #expect(places == [0, 1, 2, 0])
  }
}
