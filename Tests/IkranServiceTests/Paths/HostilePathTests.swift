import Support
import Testing

@testable import IkranService

/// Paths that no program makes: each is read or refused, and none ends the program.
@Suite("Hostile paths")
struct HostilePathTests {
  private static let words = [
    "/", "//", "plain/", ":", "::", "%", "%3A", "%3a", "%zz", "@", "@png", ".", ".webp", "?", "=",
    "rs", "w", "fill", "g", "sm", "fp", "c", "t", "pd", "bg", "wm", "fq", "exp", "fn", "pr", "skp",
    "extend_ar", "msr", "default", "raw", "1", "0", "-1", "0.5", "1e400", "nan", "-inf", "0x1p3",
    "9223372036854775808", "99999999999999999999", "true", "http:/a", "local:/", "aHR0cDovL2E",
    "\0", "\u{E9}", "é", " ", "\n", "dpr", "z", "mb", "rot", "90", "fff", "re",
  ]

  @Test func randomPathsAreReadOrRefused() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let environment = [
      "IMGPROXY_PRESETS": "default=q:50,a=w:5/pr:b,b=pr:a:b/h:6", "IMGPROXY_BASE_URL": "x",
      "IMGPROXY_URL_REPLACEMENTS": "a*=b${1}", "IMGPROXY_ALLOW_SECURITY_OPTIONS": "1",
    ]
    let plain = try RequestReader(ServiceSettings(environment: environment))
    let presets = try RequestReader(
      ServiceSettings(environment: environment.merging(["IMGPROXY_ONLY_PRESETS": "1"]) { $1 })
    )
    for _ in 0..<4000 {
      var target = Array("/_/".utf8)
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        if Int.random(in: 0..<10, using: &random) == 0 {
          target.append(.random(in: 0...255, using: &random))
        } else {
          target += (Self.words.randomElement(using: &random) ?? "").utf8
        }
      }
      for reader in [plain, presets] {
        let first = Result { try reader.read(target, now: 100) }
        let second = Result { try reader.read(target, now: 100) }
        #expect((try? first.get()) == (try? second.get()), "seed \(seed)")
      }
    }
  }

  @Test(arguments: [
    "width", "rs:fit", "s", "crop", "c:1", "padding", "pd::", "zoom", "dpr", "blur", "pixelate",
    "rotate", "quality", "max_bytes", "expires", "g:no", "g:fp:1", "wm", "wm:1:ce", "trim",
    "bg:1:1",
    "maf", "mrd", "msr", "msfs", "ex:1:no", "fq:png", "sharpen", "mafr",
  ])
  func hugeAndOddNumbersAreReadOrRefused(option: String) throws {
    let environment = ["IMGPROXY_ALLOW_SECURITY_OPTIONS": "1"]
    let reader = try RequestReader(ServiceSettings(environment: environment))
    for number in [
      "nan", "inf", "-inf", "infinity", "1e309", "-1e309", "1e-400", "9223372036854775807",
      "9223372036854775808", "-9223372036854775808", "+5", "0x10", "0x1p4", "1_000", " 1", "1 ",
      "1\0", "-0", "", "٣", "1.", ".5", "--1", String(repeating: "9", count: 100_000),
    ] {
      let result = Result { try reader.read(target: "/_/\(option):\(number)/plain/a", now: 0) }
      guard case .success(let request) = result else { continue }
      let resizing = request.options.resizing
      #expect((0...1_000_000_000).contains(resizing.width), "\(number)")
      #expect(resizing.dpr.isFinite && resizing.zoom.x.isFinite, "\(number)")
      #expect(request.options.effects.blur.isFinite, "\(number)")
      #expect(request.options.framing.gravity.x.isFinite, "\(number)")
    }
  }

  @Test func longPathsAreReadOrRefused() throws {
    let long = String(repeating: "a", count: 100_000)
    #expect(try source("plain/" + long) == long)
    #expect(try source(String(repeating: "YWFh/", count: 20_000)).utf8.count == 60_000)
    #expect(try options(String(repeating: "w:5/", count: 20_000) + "h:6").resizing.height == 6)
    #expect(try fault("/_/\(long):1/plain/a")?.status == 404)
    #expect(try fault("/_/w:\(long)/plain/a")?.status == 404)
    #expect(try fault("/_/rs\(String(repeating: ":", count: 100_000))/plain/a")?.status == 404)
    #expect(try fault(String(repeating: "/", count: 100_000))?.status == 404)
    #expect(try fault("/" + long)?.status == 404)
    #expect(try fault("/_/plain/" + String(repeating: "%", count: 100_000))?.status == 404)
    #expect(try fault("/_/plain/" + String(repeating: "@", count: 100_000))?.status == 404)
    #expect(try source("plain/" + String(repeating: ":/a", count: 30_000)).hasSuffix("://a"))
  }

  @Test func bytesThatAreNoTextAreReadOrRefused() throws {
    let reader = try RequestReader(ServiceSettings(environment: [:]))
    let broken: [UInt8] = [0xFF, 0xC3, 0x28, 0x80]
    let request = try reader.read(Array("/_/plain/a".utf8) + broken, now: 0)
    #expect(request.source == "a%FF%C3(%80")
    #expect(throws: ServiceError.self) {
      try reader.read(Array("/_/w:".utf8) + broken + Array("/plain/a".utf8), now: 0)
    }
    #expect(throws: ServiceError.self) { try reader.read(Array("/_/".utf8) + broken, now: 0) }
    #expect(throws: ServiceError.self) { try reader.read(broken, now: 0) }
  }
}
