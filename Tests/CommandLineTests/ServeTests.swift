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

  @Test func keysAndNoSignaturesAreNotWantedTogether() async throws {
    let ikran = try Program.executable()
    let ending = try await Program().runShell(
      "export \(keys); IKRAN_QALITY=1 '\(ikran)' serve --unsigned --bind 127.0.0.1:0"
    )
    #expect(ending.code == 1)
    #expect(ending.errors.contains("leave out --unsigned"))
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
      trace=0af7651916cd43dd8448eb211c80319c
      '\(ikran)' get --header "traceparent: 00-$trace-b7ad6b7169203331-01" "$base$path" \
        -o small.png && echo got
      '\(ikran)' get "$base/wrong/rs:fit:8/plain/local:///square.png" -o none.png || echo refused
      kill -TERM $service
      wait $service && echo ended
      grep -c '"status":200' log
      grep -c '"status":403' log
      grep -c '"trace":"'$trace'"' log
      """
    )
    #expect(ending.text == "got\nrefused\nended\n1\n1\n1\n", "\(ending.errors)")
    let small = try header(of: program.read("small.png"))
    #expect(small.format == .png && small.size == PixelSize(width: 8, height: 8))
  }

  @Test func keysInFilesAreReadAgainOnAHangUp() async throws {
    let ikran = try Program.executable()
    let program = try Program()
    try program.write(Noise.png(side: 24), to: "square.png")
    let ending = try await program.runShell(
      """
      export IKRAN_LOCAL_FILESYSTEM_ROOT=. HOME=$PWD
      mkfifo line log
      exec 4<>log
      echo 00112233 >keys; echo 44556677 >salts
      echo a1b2c3d4 >keys.2; echo 55aa55aa >salts.2
      '\(ikran)' serve --bind 127.0.0.1:0 --quiet --keypath keys --saltpath salts >line 2>log &
      service=$!
      read -r base <line
      signed() { '\(ikran)' serve --keypath keys$1 --saltpath salts$1 --sign "$2"; }
      old() { signed '' /w:$1/plain/local:///square.png; }
      paths=($(old 8) $(old 9) $(old 10) $(signed .2 /w:11/plain/local:///square.png))
      ask() { '\(ikran)' get --no-cache "$base${paths[$1]}" -o $1.png 2>$1.log && echo $1; }
      ask 0
      echo nonsense >keys
      kill -HUP $service; read -r said <&4; echo "$said"
      ask 1
      cp keys.2 keys; cp salts.2 salts
      kill -HUP $service; read -r said <&4; echo "$said"
      ask 2
      ask 3
      kill -TERM $service
      wait $service && echo ended
      """
    )
    let lines = ending.text.split(separator: "\n")
    #expect(lines.count == 6, "\(ending.text) \(ending.errors)")
    #expect(lines.first == "0" && lines.suffix(2) == ["3", "ended"])
    let failure = lines.dropFirst().first ?? ""
    #expect(failure.hasPrefix("ikran: the keys stay as they were: IKRAN_KEYPATH"))
    let success = "ikran: the keys were read again; there are now 1"
    #expect(lines.dropFirst(2).prefix(2) == ["1", success[...]])
  }

  @Test func theFolderOfAServiceIsReportedTrimmedAndCleared() async throws {
    let ikran = try Program.executable()
    let program = try Program()
    try program.write(Noise.png(side: 24), to: "square.png")
    let ending = try await program.runShell(
      """
      export \(keys) IKRAN_LOCAL_FILESYSTEM_ROOT=. HOME=$PWD IKRAN_LOG_FORMAT=structured
      mkfifo line
      '\(ikran)' serve --bind 127.0.0.1:0 --cache kept --cache-size 20000000 >line 2>log &
      service=$!
      read -r base <line
      for side in 8 9; do
        path=$('\(ikran)' serve --sign /rs:fit:$side/plain/local:///square.png@png)
        '\(ikran)' get --no-cache "$base$path" -o small.png
      done
      kill -TERM $service
      wait $service && echo ended
      grep -cE '^time=20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z level=info id=[^ ]+ '\
      'client=127\\.0\\.0\\.1 method=GET path=/rs:fit:8/plain/local:///square.png@png status=200 '\
      'milliseconds=[0-9.]+$' log
      """
    )
    #expect(ending.text == "ended\n1\n", "\(ending.errors)")
    func results(_ words: String...) async throws -> [String: Any] {
      let ending = try await program.run(["cache"] + words + ["--cache", "kept", "--json"])
      return try #require(ending.json()["results"] as? [String: Any])
    }
    #expect(try await results("stat")["entries"] as? Int == 2)
    #expect(!program.exists("kept/index.sqlite"))
    #expect(try await results("trim", "--limit", "100000000")["removed"] as? Int == 0)
    #expect(try await results("trim", "--limit", "0")["removed"] as? Int == 2)
    #expect(try await results("verify")["checked"] as? Int == 0)
    #expect(try await results("clear")["entries"] as? Int == 0)
  }

  @Test func aMessageNamesTheOptionThatWasWritten() async throws {
    let ikran = try Program.executable()
    let ending = try await Program().runShell(
      "IKRAN_KEY=00 '\(ikran)' serve --keypath /nowhere --bind 8080"
    )
    #expect(ending.code == 1 && ending.errors.contains("IKRAN_KEY and --keypath"))
    let other = try await Program().run("serve", "--unsigned", "--bind", "8080")
    #expect(other.code == 1 && other.errors.contains("--bind is “8080”"), "\(other.errors)")
    let size = try await Program().run("serve", "--unsigned", "--cache-size", "99999999")
    #expect(size.code == 1 && size.errors.contains("--cache-size"), "\(size.errors)")
  }
}
