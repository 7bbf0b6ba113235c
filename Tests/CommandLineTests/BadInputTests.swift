import Ikran
import IkranServer
import Testing

@Suite("Bad input", .serialized, .timeLimit(.minutes(10)))
struct BadInputTests {
  private let program: Program

  init() throws { program = try Program() }

  @Test(arguments: [
    ("status/404", "404 Not Found"), ("status/500", "500"), ("html.jpg", "HTML"),
    ("empty.jpg", "no bytes"), ("huge.png", "limit"), ("truncated.jpg", "cut off"),
    ("loop", "redirects in a circle, or more than"), ("redirect-to-file", "neither http nor https"),
    ("bytes/300000000", "limit"),
  ])
  func serverErrorsAreOneSentence(path: String, words: String) async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { origin.stop() }
    let url = origin.baseURL + "/" + path
    let ending = try await program.run("get", url, "-o", "out.png")
    expectRefusal(ending, code: 1, says: words)
    #expect(ending.errors.contains(path))
    #expect(!program.exists("out.png"))
    expectRefusal(try await program.run("get", url, "--json"), code: 1, says: words)
  }

  @Test(arguments: [
    (["--style", "cirle:96"], "did you mean circle:96?"),
    (["--style", "rounde:9x9,r=1+grayed"], "did you mean rounded:9x9,r=1+grayed?"),
    (["--style", "flip"], "is not understood at “flip”"),
    (["--style", "circle:99999999"], "sides are 1 to 16384 pixels"),
  ])
  func aMistypedStyleIsMetWithWhatIsMeant(words: [String], hint: String) async throws {
    let ending = try await program.run(["get", "picture.png", "-o", "out.png"] + words)
    expectRefusal(ending, code: 2, says: hint)
  }

  @Test(arguments: ["get", "decode", "inspect", "frames", "show"])
  func anEmptyNameIsCalledEmpty(command: String) async throws {
    let ending = try await program.run(command, "")
    expectRefusal(ending, code: 2, says: "is empty; name a file")
  }

  @Test(arguments: [
    (["warm", ""], "a file"), (["sheet", "", "-o", "a.png"], "a file"),
    (["get", "a.png", "-o", ""], "a file"), (["frames", "a.png", "-o", ""], "a folder"),
    (["frames", "a.png", "--strip="], "a file"), (["table", "stat", ""], "a file"),
    (["get", "a.png", "--cache", ""], "a folder"), (["cache", "stat", "--cache="], "a folder"),
    (["origin", "--root", ""], "a folder"),
  ])
  func anEmptyNameIsRefusedWhereverANameIs(words: [String], kind: String) async throws {
    let reason = "the name of \(kind) is empty; see ikran \(words[0]) --help"
    expectRefusal(try await program.run(words), code: 2, says: reason)
  }

  @Test func standardInputHasNoNumberInMessages() async throws {
    let none = try await program.run("get", "-", "-o", "out.png")
    #expect(none.errors == "ikran: standard input: there are no bytes to decode\n")
    let text = try await program.run(["get", "-", "-o", "out.png"], input: Array("text".utf8))
    expectRefusal(text, code: 1, says: "ikran: standard input: ")
  }

  @Test func otherBytesOfStandardInputAreAnotherPicture() async throws {
    let words = ["get", "-", "--style", "fit:10x10", "--format", "rgba"]
    let first = try await program.run(words, input: Fixture.png.bytes())
    let second = try await program.run(words, input: Fixture.gif.bytes())
    #expect(first.code == 0 && second.code == 0, "\(first.errors)\(second.errors)")
    #expect(first.output != second.output)
  }

  @Test func aSystemsErrorBeginsInLowerCase() async throws {
    let ending = try await program.run("decode", "missing.png")
    #expect(ending.errors.hasPrefix("ikran: could not open missing.png: "))
  }

  @Test(arguments: ["get", "decode", "inspect", "frames"])
  func aPipeOfTheShellIsRead(command: String) async throws {
    try program.write(Fixture.png.bytes(), to: "picture.png")
    let ikran = try Program.executable()
    let options = ["get": "-o out.png", "decode": "-o out.png"][command] ?? "--json"
    let ending = try await program.runShell("\(ikran) \(command) <(cat picture.png) \(options)")
    #expect(ending.code == 0, "\(ending.errors)")
  }

  @Test func aListMayBeAPipe() async throws {
    try program.write(Fixture.png.bytes(), to: "picture.png")
    let ikran = try Program.executable()
    let line = "\(ikran) sheet <(echo picture.png) -o out.png"
    let ending = try await program.runShell(line)
    #expect(ending.code == 0, "\(ending.errors)")
  }

  @Test func aDeadProxyOfTheEnvironmentIsNamed() async throws {
    let ikran = try Program.executable()
    let proxy = "http://me:secret@127.0.0.1:1"
    let ending = try await program.runShell(
      "no_proxy= http_proxy=\(proxy) \(ikran) get http://images.example.invalid/a.png -o out.png"
    )
    expectRefusal(ending, code: 1, says: "the proxy 127.0.0.1:1 failed")
    #expect(!ending.errors.contains("secret"))
  }

  @Test(arguments: [
    (["get", "http://127.0.0.1:1/x.jpg"], "127.0.0.1"),
    (["get", "ftp://127.0.0.1/x.jpg"], "ftp"),
    (["get", "http://"], "http"),
    (["get", "missing.png"], "missing.png"),
    (["get", "."], ""),
    (["get", "data:image/png;base64,!!!"], "data:"),
    (["inspect", "missing.png"], "missing.png"),
    (["inspect", "http://127.0.0.1:1/x.jpg"], "127.0.0.1"),
    (["inspect", "text.jpg"], "text.jpg"),
    (["decode", "text.jpg"], "text.jpg"),
    (["decode", "missing.png"], "missing.png"),
    (["decode", "picture.png", "--frame", "3"], "frame 3"),
    (["decode", "picture.png", "--max-pixels", "100"], "1200"),
    (["get", "picture.png", "--no-cache", "--max-pixels", "100"], "1200"),
    (["frames", "text.jpg"], "text.jpg"),
    (["frames", "picture.png", "-o", "text.jpg"], "text.jpg"),
    (["get", "picture.png", "-o", "no/such/folder/out.png"], "no/such/folder"),
    (["get", "picture.png", "-o", "."], ""),
    (["get", "http://127.0.0.1:1/x.jpg", "--offline"], "not in the cache"),
    (["warm", "missing.txt"], "missing.txt"),
    (["sheet", "missing.txt", "-o", "out.png"], "missing.txt"),
    (["sheet", "-", "-o", "out.png"], "names no image"),
    (["warm", "-", "--cache", "picture.png/below"], "--no-cache"),
    (["cache", "stat", "--cache", "picture.png/below"], "picture.png"),
    (["table", "stat", "missing.table"], "missing.table"),
    (["table", "stat", "picture.png"], "not an image table"),
    (["table", "create", "picture.png/x.table", "--size", "8x8"], "picture.png"),
    (["origin", "--root", "missing"], "missing"),
  ])
  func impossibleJobsAreOneSentence(words: [String], says: String) async throws {
    try program.write(Fixture.png.bytes(), to: "picture.png")
    try program.write(Array("just some text\n".utf8), to: "text.jpg")
    expectRefusal(try await program.run(words), code: 1, says: says)
    #expect(!program.exists("out.png"))
  }

  @Test(arguments: [
    ([], "a command is missing; see ikran --help"),
    (["gte"], "there is no command “gte”; did you mean get?; see ikran --help"),
    (["help", "sheeet"], "did you mean sheet?"),
    (["--nosuch"], "there is no option --nosuch; see ikran --help"),
    (["--verison"], "there is no option --verison; did you mean --version?"),
    (["get"], "URL|FILE|- is missing; see ikran get --help"),
    (["get", "a", "b"], "see ikran get --help"),
    (["get", "a", "--sytle", "x"], "did you mean --style?"),
    (["get", "a", "--style", "oval:3"], "see ikran get --help"),
    (["get", "a", "--style", "circle:0"], "--style"),
    (["get", "a", "--style", "circle:99999"], "--style"),
    (
      ["get", "a", "--format", "bmp"],
      "--format: “bmp” is not one of png, jpeg, webp, gif, avif, jxl, rgba"
    ),
    (["get", "a", "--scale", "0"], "--scale"),
    (["get", "a", "--timeout", "-1"], "--timeout"),
    (["get", "a", "--deadline", "0"], "--deadline"),
    (["get", "a", "--header", "nonsense"], "--header"),
    (["get", "a", "-o", "x.bmp"], "x.bmp"),
    (["decode", "a", "-o", "x.tiff"], "--format"),
    (["frames", "a", "--strip", "x.bmp"], "x.bmp"),
    (["sheet", "a", "-o", "x.bmp"], ".jxl or .rgba can be written; see ikran sheet --help"),
    (["table", "get", "a.table", "x", "-o", "x.bmp"], "x.bmp"),
    (["get", "a", "--offline", "--refresh"], "exclude each other"),
    (["get", "a", "--strip", "--metadata", "keep"], "--strip and --metadata keep exclude each"),
    (["get", "a", "-o", "{nam}.png"], "“{nam}” is not one of {name}, {index}, {format}; did you"),
    (["get", "a", "b", "-o", "{title}.png"], "“{title}” is not one of {name}, {index}, {format}"),
    (["get", "a", "--json", "-o", "-"], "standard output"),
    (["sheet", "a"], "-o PATH is missing"),
    (["sheet", "a", "-o", "x.png", "--style", "original"], "with a size"),
    (["sheet", "a", "-o", "x.png", "--columns", "0"], "--columns"),
    (["warm"], "LIST|- is missing"),
    (["warm", "a", "--concurrency", "0"], "--concurrency"),
    (["cache"], "stat|verify|trim|clear|remove|record|simulate is missing"),
    (["cache", "remove"], "remove needs a URL"),
    (["cache", "simulate", "a.trace", "b.trace"], "one argument too many"),
    (["cache", "sta"], "did you mean stat?"),
    (["cache", "trim", "--limit", "-5"], "--limit"),
    (["cache", "trim", "--table-limit", "x"], "--table-limit"),
    (["table"], "compact is missing; see ikran table --help"),
    (["table", "make", "a.table"], "is not one of create, put"),
    (["table", "stat"], "TABLE is missing"),
    (["table", "stat", "a.table", "x"], "stat takes TABLE only"),
    (["table", "put", "a.table"], "put: ID is missing"),
    (["table", "put", "a.table", "x"], "put: FILE is missing"),
    (["table", "put", "a.table", "x", "y", "z"], "“z” is one argument too many"),
    (["table", "get", "a.table"], "get: ID is missing"),
    (["table", "get", "a.table", "x", "y"], "get takes TABLE and ID only"),
    (["table", "get", "a.table", "x", "--json", "-o", "-"], "standard output"),
    (["table", "create", "a.table"], "create: --size WxH is missing"),
    (["table", "create", "a.table", "--size", "8"], "--size"),
    (["table", "create", "a.table", "--size", "0x8"], "--size"),
    (["table", "create", "a.table", "--size", "8x8", "--pixels", "rgb"], "--pixels"),
    (["table", "create", "a.table", "--size", "8x8", "--count", "0"], "--count"),
    (["table", "create", "a b.table", "--size", "8x8"], "ends in .table"),
    (["table", "create", "a", "--size", "8x8"], "ends in .table"),
    (["table", "create", "a.table/", "--size", "8x8"], "ends in .table"),
    (["decode", "a", "--frame", "-1"], "--frame"),
    (["styles", "x"], "one argument too many"),
    (["origin", "--port", "70000"], "--port"),
    (["origin", "--fail-rate", "1.5"], "--fail-rate"),
  ])
  func wrongUsageIsOneSentence(words: [String], says: String) async throws {
    expectRefusal(try await program.run(words), code: 2, says: says)
  }
}
