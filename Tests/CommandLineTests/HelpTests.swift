import Testing

@testable import ikran_cli

/// The text of `--help`, word for word: a change here is a change for users.
@Suite("Help", .timeLimit(.minutes(10)))
struct HelpTests {
  @Test(arguments: snapshots)
  func everyCommandHasHelp(name: String, text: String) throws {
    #expect(try CommandList.command(name).help == text)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func everyCommandHasASnapshot() {
    #expect(snapshots.map(\.name) == CommandList.names)
  }

  @Test func theProgramHasHelp() {
    #expect(
      CommandList.help == """
        usage: ikran COMMAND [OPTION]... [ARGUMENT]

        Gets an image from a URL, styled, and the second time from a cache.

          get      Loads one image, styled, and writes it; or many.
          show     Draws an image in the terminal, and plays an animated one.
          warm     Downloads the images of a list into the cache.
          sheet    Draws a contact sheet of a list.
          inspect  Prints what an image's header says, without decoding it.
          decode   Decodes a file and writes its pixels.
          frames   Lists or writes the composed frames of an animated image, or its pages.
          cache    Reports on the cache, checks, trims or empties it; simulates others.
          table    Creates, fills, reads and checks an image table.
          styles   Prints the styles and their parameters.
          filters  Prints the filters and their parameters.
          origin   Serves pictures over HTTP, for demos and tests.
          serve    Serves resized images over HTTP; imgproxy's URLs work.

        ikran COMMAND --help (or ikran help COMMAND) explains more; ikran --version prints the version.

        Data goes to standard output, words to standard error; - is standard input or output.
        Exit codes: 0 done, 1 the job failed (one sentence says why), 2 wrong usage,
        130 interrupted.
        """
    )
  }

  @Test(arguments: [["get", "--help"], ["help", "get"], ["get", "--style", "original", "-h"]])
  func helpGoesToStandardOutput(words: [String]) async throws {
    let ending = try await Program().run(words)
    #expect(ending.code == 0)
    #expect(ending.errors.isEmpty)
    #expect(ending.text == GetCommand.help + "\n")
  }

  @Test(arguments: [["--help"], ["-h"], ["help"]])
  func theProgramsHelpGoesToStandardOutput(words: [String]) async throws {
    let ending = try await Program().run(words)
    #expect(ending.code == 0)
    #expect(ending.text == CommandList.help + "\n")
  }

  @Test func theVersionIsPrinted() async throws {
    let ending = try await Program().run("--version")
    #expect(ending.text == "ikran 0.5.0\n")
  }

  @Test func everyStyleIsListed() async throws {
    let ending = try await Program().run("styles")
    #expect(ending.code == 0)
    for name in ["original", "rect", "rounded", "circle", "fit", "fill"] {
      #expect(ending.text.contains("\n\(name)") || ending.text.hasPrefix(name))
    }
  }
}
