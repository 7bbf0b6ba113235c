import IkranCodecs
import IkranPixels
import IkranStores
import Support
import Testing

/// `ikran serve`: a service that is started, asked and stopped.
@Suite("ikran serve", .serialized, .timeLimit(.minutes(10)))
struct ServeTests {
  /// A key, a salt, a path and its signature, as imgproxy's documentation computes it.
  private let keys = "IKRAN_KEY=00112233445566778899aabbccddeeff IKRAN_SALT=0f1e2d3c4b5a6978"
  private let path = "/rs:fill:320:200:1/g:noea/aHR0cHM6Ly9pbWcudGVzdC9jYXQucG5n.webp"
  private let signature = "dIp_deLjUHoRKE6J1r7k6xkZl1CChVND9sexLyj4usA"

  @Test func withoutKeysItDoesNotStart() async throws {
    let ending = try await Program().run("serve", "--bind", "127.0.0.1:0")
    #expect(ending.code == 1)
    #expect(ending.errors.contains("no keys are set"))
    #expect(ending.errors.contains("--unsigned"))
  }

  @Test func aPathIsPrintedWithItsSignature() async throws {
    let ikran = try Program.executable()
    let ending = try await Program().runShell("\(keys) '\(ikran)' serve --sign \(path)")
    #expect(ending.code == 0)
    #expect(ending.text == "/\(signature)\(path)\n")
  }

  @Test func withoutKeysNoPathIsSigned() async throws {
    let ending = try await Program().run("serve", "--sign", path)
    #expect(ending.code == 1)
    #expect(ending.errors.contains("IKRAN_KEY"))
  }

  @Test func aSettingThatIsNotDoneIsNamedAtTheStart() async throws {
    let ikran = try Program.executable()
    let ending = try await Program().runShell(
      "IMGPROXY_USE_GCS=1 '\(ikran)' serve --unsigned --bind 127.0.0.1:0"
    )
    #expect(ending.code == 1)
    #expect(ending.errors.contains("IMGPROXY_USE_GCS"))
  }

  @Test func aPictureIsServedToWhoHasASignedURLAndATerminationEndsIt() async throws {
    let ikran = try Program.executable()
    let program = try Program()
    try program.write(Noise.png(side: 24), to: "square.png")
    let ending = try await program.runShell(
      """
      export \(keys) IKRAN_LOCAL_FILESYSTEM_ROOT=. HOME=$PWD
      mkfifo line
      '\(ikran)' serve --bind 127.0.0.1:0 --cache results >line 2>log &
      service=$!
      read -r base <line
      path=$('\(ikran)' serve --sign /rs:fit:8/plain/local:///square.png@png)
      '\(ikran)' get "$base$path" -o small.png && echo got
      '\(ikran)' get "$base/wrong/rs:fit:8/plain/local:///square.png" -o none.png || echo refused
      kill -TERM $service
      wait $service && echo ended
      grep -c '"status":200' log
      grep -c '"status":403' log
      """
    )
    #expect(ending.text == "got\nrefused\nended\n1\n1\n", "\(ending.errors)")
    let small = try header(of: program.read("small.png"))
    #expect(small.format == .png && small.size == PixelSize(width: 8, height: 8))
  }
}
