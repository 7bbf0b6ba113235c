import Ikran
import Testing

@testable import ikran_cli

private struct Words: Equatable {
  var operand = ""
  var size = 0
  var quality: Double?
  var names: [String] = []
  var isLoud = false
  var isQuick = false
  var path: String?

  static let syntax = Syntax<Words>(
    name: "draw",
    summary: "Draws.",
    operand: Operand("FILE", \.operand, .text),
    options: [
      .one("size", \.size, "N", .integer(1...100), "the size"),
      .one("quality", \.quality, "Q", .number(0...1), "the quality"),
      .many("name", \.names, "NAME", .text, "a name"),
      Option(name: "loud", short: "l", value: nil, help: "loud") { words, _ in words.isLoud = true
      },
      Option(name: "quick", short: "q", value: nil, help: "quick") { words, _ in
        words.isQuick = true
      },
      .one("output", short: "o", \.path, "PATH", .text, "where"),
    ]
  )

  /// Nil when the words ask for help.
  static func parse(_ words: [String]) throws(UsageError) -> Words? {
    var result = Words()
    return try syntax.parse(words, into: &result) ? result : nil
  }
}

@Suite("Arguments", .timeLimit(.minutes(10)))
struct ArgumentsTests {
  @Test(arguments: [
    (["a"], Words(operand: "a")),
    (["--size", "5", "a"], Words(operand: "a", size: 5)),
    (["--size=5", "a"], Words(operand: "a", size: 5)),
    (["a", "--quality=0.5"], Words(operand: "a", quality: 0.5)),
    (["--name", "x", "a", "--name=y=z"], Words(operand: "a", names: ["x", "y=z"])),
    (["--name=", "a"], Words(operand: "a", names: [""])),
    (["-l", "a"], Words(operand: "a", isLoud: true)),
    (["-lq", "a"], Words(operand: "a", isLoud: true, isQuick: true)),
    (["-lo", "p", "a"], Words(operand: "a", isLoud: true, path: "p")),
    (["-lop", "a"], Words(operand: "a", isLoud: true, path: "p")),
    (["-o", "--size", "a"], Words(operand: "a", path: "--size")),
    (["-o", "-", "a"], Words(operand: "a", path: "-")),
    (["--", "--size"], Words(operand: "--size")),
    (["-"], Words(operand: "-")),
    (["--size=1", "--size=2", "a"], Words(operand: "a", size: 2)),
  ])
  private func argumentsAreParsed(words: [String], expected: Words) throws {
    #expect(try Words.parse(words) == expected)
  }

  @Test(arguments: [
    ([], "FILE is missing"),
    (["a", "b"], "“b” is one argument too many"),
    (["--sise=3", "a"], "there is no option --sise; did you mean --size?"),
    (["--szie=3", "a"], "there is no option --szie; did you mean --size?"),
    (["--qual", "1", "a"], "there is no option --qual; did you mean --quality?"),
    (["--colour", "a"], "there is no option --colour"),
    (["-x", "a"], "there is no option -x"),
    (["-lx", "a"], "there is no option -x"),
    (["a", "--size"], "--size needs a value (N)"),
    (["a", "-o"], "-o needs a value (PATH)"),
    (["--loud=yes", "a"], "--loud takes no value"),
    (["--size=x", "a"], "--size: “x” is not a whole number from 1 to 100"),
    (["--size=0", "a"], "--size: “0” is not a whole number from 1 to 100"),
    (
      ["--size=99999999999999999999", "a"],
      "--size: “99999999999999999999” is not a whole number from 1 to 100"
    ),
    (["--quality=nan", "a"], "--quality: “nan” is not a number from 0 to 1"),
    (["--quality=inf", "a"], "--quality: “inf” is not a number from 0 to 1"),
  ])
  func invalidArgumentsAreRefused(words: [String], reason: String) {
    #expect(throws: UsageError(reason: reason, command: "draw")) { try Words.parse(words) }
  }

  @Test(arguments: [["--help"], ["-h"], ["--size=5", "--help"], ["a", "b", "--help"]])
  func helpIsAcceptedAnywhere(words: [String]) throws {
    #expect(try Words.parse(words) == nil)
  }

  @Test func helpAfterTheEndOfOptionsIsAnOperand() throws {
    #expect(try Words.parse(["--", "--help"]) == Words(operand: "--help"))
  }

  @Test func theHelpAlignsItsOptions() {
    #expect(
      Words.syntax.help == """
        usage: ikran draw [OPTION]... FILE

        Draws.

              --size N       the size
              --quality Q    the quality
              --name NAME    a name
          -l, --loud         loud
          -q, --quick        quick
          -o, --output PATH  where
              --help         this text
        """
    )
  }

  @Test(arguments: [
    ("gte", "get"), ("inspct", "inspect"), ("insp", "inspect"), ("sheets", "sheet"),
    ("chache", "cache"), ("decoed", "decode"),
  ])
  func aMistypedCommandGetsASuggestion(word: String, command: String) {
    let names = CommandList.names
    #expect(closest(to: word, among: names) == command)
  }

  @Test(arguments: ["frobnicate", "x", ""])
  func anUnknownWordGetsNoSuggestion(word: String) {
    #expect(closest(to: word, among: CommandList.names) == nil)
  }

  @Test(arguments: ["Accept: image/webp", "Accept:image/webp", "Accept:\timage/webp  "])
  func aHeaderFieldIsSplitAtItsColon(word: String) throws {
    let field = try Reading.header.read(word)
    #expect(field.name == "Accept")
    #expect(field.value == "image/webp")
  }

  @Test(arguments: ["Accept", ": x", "A B: x", "Ä: x", "A: x\r\nB: y", "A: x\u{0}"])
  func anInvalidHeaderFieldIsRefused(word: String) {
    #expect(throws: UsageError.self) { try Reading.header.read(word) }
  }
}
