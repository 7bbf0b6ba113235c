import Glibc
import IkranCodecs
import IkranPixels
import IkranStores
import Support
import Testing

/// Tests that run the built program.
protocol ProgramSuite {
  /// For pictures, caches and screenshots.
  var folder: TemporaryDirectory { get }
}

/// How the program ended, and what it wrote.
struct ProgramEnding {
  let code: Int32
  let output: String
}

extension ProgramSuite {
  /// The window that shows some fixtures, each in a circle unless the words say otherwise.
  func window(
    showing names: [String],
    _ words: [String] = [],
    environment: String = ""
  ) throws -> Bitmap {
    let (pictures, path) = (folder.path + "/pictures", folder.path + "/shot.png")
    try Files.createDirectories(pictures)
    for name in names where !Files.exists(pictures + "/" + name) {
      try Files.create(pictures + "/" + name, try Fixtures.bytes(name))
    }
    let cache = folder.path + "/c"
    let ending = try run(
      ["--folder", pictures, "--screenshot", path, "--cache", cache] + words,
      environment: environment
    )
    #expect(ending.code == 0)
    let shot = try Files.read(path, maximumBytes: 1 << 24)
    return try CodecList.standard.decode(shot.span, fitting: .original).bitmap
  }

  func run(
    _ words: String...,
    environment: String = "",
    prefix: String = ""
  ) throws -> ProgramEnding {
    try run(words, environment: environment, prefix: prefix)
  }

  func run(
    _ words: [String],
    environment: String = "",
    prefix: String = ""
  ) throws -> ProgramEnding {
    let parts = [try Self.executable()] + words
    let quoted = parts.map { "'\($0)'" }.joined(separator: " ")
    let line = "\(environment) \(prefix) \(quoted) 2>/dev/null"
    let pipe = try #require(popen(line, "r"))
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&piece, 1, piece.count, pipe)
      guard count > 0 else { break }
      bytes += piece.prefix(count)
    }
    let status = pclose(pipe)
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    return ProgramEnding(code: code, output: String(decoding: bytes, as: UTF8.self))
  }

  /// The product in the folder of the running test bundle.
  private static func executable() throws -> String {
    let bundles = CommandLine.arguments.filter { $0.contains(".xctest") } + ["/proc/self/exe"]
    let candidates = bundles.flatMap { bundle -> [String] in
      guard let start = realpath(bundle, nil) else { return [] }
      defer { free(start) }
      let names = String(cString: start).split(separator: "/")
      return [1, 2].map { "/" + (names.dropLast($0) + ["ikran-gallery"]).joined(separator: "/") }
    }
    return try #require(
      candidates.first { access($0, X_OK) == 0 && !Files.isDirectory($0) },
      "The product ikran-gallery is not in the folder of the test bundle."
    )
  }
}
