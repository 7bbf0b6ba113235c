import Foundation
import Glibc
import Ikran
import IkranServer
import IkranStores
import Support
import Testing

/// A cache that cannot be made or written costs a warning, and is read as far as it can be.
@Suite("Unwritable caches", .serialized, .timeLimit(.minutes(10)))
struct UnwritableCacheTests {
  /// Why the cache cannot be written.
  enum Reason: CaseIterable, Sendable {
    case mount, permissions
  }

  private let program: Program

  init() throws {
    program = try Program()
    try program.write(Fixture.png.bytes(), to: "picture.png")
  }

  /// Code 0, the picture of 4 by 4 points, and one warning that says `words`.
  private func expectPicture(_ ending: Program.Ending, warning words: String? = nil) {
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.count == 64)
    #expect(ending.errorLines.count == (words == nil ? 0 : 1), "\(ending.errors)")
    if let words { #expect(ending.errors.contains(words), "\(ending.errors)") }
  }

  private let style = ["--style", "fill:4x4", "--format", "rgba"]

  @Test func aFileIsShownWhereNoCacheCanBeMade() async throws {
    let words = ["get", "picture.png", "--cache", "picture.png/below"] + style
    expectPicture(try await program.run(words), warning: "without a cache")
    let line = try "env -u HOME -u XDG_CACHE_HOME '\(Program.executable())' get picture.png"
    let ending = try await program.runShell(line + " " + style.joined(separator: " "))
    expectPicture(ending, warning: "without a cache")
  }

  @Test(arguments: ["inspect", "show"])
  func otherCommandsWorkWithoutACacheToo(command: String) async throws {
    let origin = try Origin(.folder(path: program.folder.path))
    defer { origin.stop() }
    let url = origin.baseURL + "/picture.png"
    let ending = try await program.run([command, url, "--cache", "picture.png/below"])
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(!ending.output.isEmpty)
    #expect(ending.errors.contains("without a cache"))
  }

  @Test func aDownloadIsShownWhereNoCacheCanBeMade() async throws {
    let origin = try Origin(.folder(path: program.folder.path))
    defer { origin.stop() }
    let url = origin.baseURL + "/picture.png"
    let ending = try await program.run(["get", url, "--cache", "picture.png/below"] + style)
    expectPicture(ending, warning: "without a cache")
  }

  /// Runs words, in which the cache cannot be written.
  private func run(_ words: [String], _ reason: Reason) async throws -> Program.Ending {
    let text = try ([Program.executable()] + words).map { "'\($0)'" }.joined(separator: " ")
    switch reason {
    case .mount:
      return try await program.runShell(
        "unshare -m bash -c \"mount --bind xdg xdg && mount -o remount,ro,bind xdg && \(text)\""
      )
    case .permissions:
      return try await program.runShell(
        """
        chmod -R a+rX . && chown -R 65534 xdg && chmod -R u+rX,a-w xdg
        setpriv --reuid 65534 --regid 65534 --clear-groups \(text)
        """
      )
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root mounts"), arguments: Reason.allCases)
  func aCacheThatMayOnlyBeReadIsRead(reason: Reason) async throws {
    let origin = try Origin(.folder(path: program.folder.path))
    let url = origin.baseURL + "/chaos/picture.png?header=Cache-Control:max-age=600"
    #expect(try await program.run(["get", url] + style).code == 0)
    origin.stop()
    // From a table.
    expectPicture(try await run(["get", url, "--offline"] + style, reason))
    // From the file.
    let other = ["--style", "fit:4x4", "--format", "rgba"]
    let ending = try await run(["get", url, "--offline"] + other, reason)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(!ending.output.isEmpty)
    // What is in no cache is no reason to fail either.
    expectPicture(try await run(["get", "picture.png"] + style, reason))
    let name = try #require(try program.names(below: "xdg/ikran/tables").first)
    for action in ["list", "verify", "stat"] {
      let ending = try await run(["table", action, name], reason)
      #expect(ending.code == 0, "\(action): \(ending.errors)")
      #expect(ending.errors.isEmpty && !ending.output.isEmpty)
    }
  }
}
