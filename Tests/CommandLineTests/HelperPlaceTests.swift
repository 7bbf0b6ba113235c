import Glibc
import Ikran
import IkranStores
import Support
import Testing

/// Where a program finds the one that decodes for it.
///
/// `ikran` is its own decoder where it finds none, so what it finds shows by an impostor in that
/// place, which ends at once.
@Suite(
  "Where the decoder is",
  .enabled(
    if: CodecList.standard.codecs.contains { $0.format == .svg },
    "this build does not read SVG"
  ),
  .timeLimit(.minutes(10))
)
struct HelperPlaceTests {
  private static let installed = ["/usr/local", "/usr"].map { "\($0)/libexec/ikran-decoder" }

  private let program: Program

  init() throws {
    program = try Program()
    try program.write(Fixtures.bytes("areas.svg"), to: "file")
  }

  /// Copies a product to a place below the working folder.
  ///
  /// Another process writes it: no program that a test starts then has it open for writing.
  private func install(_ product: String, at place: String) async throws {
    let source = try Program.executable(product)
    let ending = try await program.runShell("install -D -m 755 '\(source)' \(place)")
    try #require(ending.code == 0, "\(ending.errors)")
  }

  /// Writes a program that is no decoder.
  private func installImpostor(at place: String) async throws {
    try program.write(Array("#!/bin/sh\nexit 3\n".utf8), to: "impostor")
    let ending = try await program.runShell("install -D -m 755 impostor \(place)")
    try #require(ending.code == 0, "\(ending.errors)")
  }

  /// Runs a line with a home of its own, where no decoder is installed unless a test does so.
  private func run(_ line: String) async throws -> Program.Ending {
    try await program.runShell("unset IKRAN_DECODER; HOME=\"$PWD/home\" \(line)")
  }

  private func expectPicture() async throws {
    let ending = try await run("bin/ikran decode file -o picture.png")
    #expect(ending.code == 0, "\(ending.errors)")
    let picture = try decoded(program.read("picture.png"))
    let wanted = try decoded(Fixtures.bytes("areas.svg"))
    #expect(try picture.straightRGBA() == wanted.straightRGBA())
  }

  private func expectImpostor() async throws {
    let ending = try await run("bin/ikran decode file -o impostor.png")
    #expect(ending.code == 1)
    #expect(ending.errors.contains("exit code 3"), "\(ending.errors)")
    #expect(!program.exists("impostor.png"))
  }

  @Test func itIsInLibexecNextToTheFolderOfItsUser() async throws {
    try await install("ikran", at: "bin/ikran")
    try await installImpostor(at: "libexec/ikran-decoder")
    try await expectImpostor()
    try await install("ikran-decoder", at: "libexec/ikran-decoder")
    try await expectPicture()
  }

  @Test func theFolderOfItsUserComesFirst() async throws {
    try await install("ikran", at: "bin/ikran")
    try await install("ikran-decoder", at: "bin/ikran-decoder")
    try await installImpostor(at: "libexec/ikran-decoder")
    try await expectPicture()
  }

  @Test func itIsWhereItIsInstalledForOneUser() async throws {
    try await install("ikran", at: "bin/ikran")
    try await installImpostor(at: "home/.local/libexec/ikran-decoder")
    try await expectImpostor()
  }

  @Test func ikranDecodesByItselfWhereThereIsNone() async throws {
    try await install("ikran", at: "bin/ikran")
    try await expectPicture()
  }

  @Test(
    .enabled(if: !installed.contains { Files.exists($0) }, "ikran-decoder is installed here")
  )
  func aProgramWithoutOneSaysWhereItBelongsAndWhatToSet() async throws {
    try await install("PictureLoads", at: "bin/PictureLoads")
    let ending = try await run("bin/PictureLoads file apart file")
    #expect(ending.code == 1)
    let places = [
      "/bin/ikran-decoder", "/bin/../libexec/ikran-decoder", "/home/.local/libexec/ikran-decoder",
    ]
    for place in places { #expect(ending.text.contains(place), "\(ending.text)") }
    let advice = "install it, or set IKRAN_DECODER to its path"
    #expect(ending.text.contains(advice), "\(ending.text)")
  }
}
