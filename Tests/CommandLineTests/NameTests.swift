import IkranServer
import IkranStores
import Support
import Testing

/// Names that are not ASCII on the command line and in lists.
@Suite("Names", .serialized, .timeLimit(.minutes(10)))
struct NameTests {
  private let program: Program

  init() throws { program = try Program() }

  @Test(arguments: ["get", "inspect"])
  func aHostThatIsNotASCIIIsReached(command: String) async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { origin.stop() }
    let url = origin.urls[0].replacing("127.0.0.1", with: "ｌｏｃａｌｈｏｓｔ")
    #expect(url != origin.urls[0])
    let ending = try await program.run(command, url, "--json")
    #expect(ending.code == 0, "\(ending.errors)")
  }

  @Test func namesThatDifferInTheirNormalFormAreTwo() async throws {
    let names = ["\u{E9}.png", "e\u{301}.png"]
    try program.write(Fixture.png.bytes(), to: names[0])
    try program.write(Fixture.gif.bytes(), to: names[1])
    let list = Array((names + names).joined(separator: "\n").utf8)
    let report = try await program.run(["warm", "-", "--json"], input: list).json()
    #expect(report["requested"] as? Int == 2)
    #expect(report["failed"] as? Int == 0)
  }

  @Test func aByteOrderMarkIsNoPartOfAListsFirstLine() async throws {
    try program.write(Fixture.png.bytes(), to: "a.png")
    try program.write(Fixture.gif.bytes(), to: "b.gif")
    try program.write([0xEF, 0xBB, 0xBF] + Array("a.png\r\nb.gif\r\n".utf8), to: "list.txt")
    for word in ["list.txt", "-"] {
      let input = word == "-" ? try program.read("list.txt") : []
      let ending = try await program.run(["warm", word, "--json"], input: input)
      #expect(ending.code == 0, "\(ending.errors)")
      #expect(try ending.json()["requested"] as? Int == 2)
    }
  }
}
