import Ikran
import IkranServer
import IkranStores
import Support
import Testing

/// Pictures that change at their origin.
@Suite("ikran get of a picture that changes", .serialized, .timeLimit(.minutes(10)))
struct NewerPictureTests {
  private let program: Program

  init() throws { program = try Program() }

  /// A picture of one shade.
  private func picture(_ shade: UInt8) throws -> [UInt8] {
    var canvas = try Canvas(size: PixelSize(width: 120, height: 120), format: .bgrx)
    canvas.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : shade }
    }
    return try canvas.finish().encoded(as: .png)
  }

  /// The shade of the middle of a picture that is loaded by a process of its own.
  private func shade(_ words: String...) async throws -> UInt8? {
    let ending = try await program.run(["get"] + words + ["--format", "rgba"])
    #expect(ending.code == 0, "\(ending.errors)")
    let side = Int(Double(ending.output.count / 4).squareRoot())
    let middle = (side / 2 * side + side / 2) * 4
    return ending.output.indices.contains(middle) ? ending.output[middle] : nil
  }

  @Test(arguments: [true, false])
  func anOldTableImageIsNotShownOnceTheSourceHasOtherBytes(losesFreshness: Bool) async throws {
    let site = try TemporaryDirectory()
    try Files.create(site.path + "/a.png", picture(50))
    let origin = try Origin(.folder(path: site.path))
    defer { origin.stop() }
    let url = origin.baseURL + "/a.png"
    #expect(try await shade(url, "--style", "circle:48") == 50)
    for name in try Files.list(program.path("xdg/ikran")) where name != "tables" {
      if name == "freshness", !losesFreshness { continue }
      try Files.removeTree(program.path("xdg/ikran/\(name)"))
    }
    _ = try Files.remove(site.path + "/a.png")
    try Files.create(site.path + "/a.png", picture(200))
    #expect(try await shade(url, "--style", "circle:96") == 200)
    #expect(try await shade(url, "--style", "circle:48") == 200)
    #expect(try await shade(url, "--style", "circle:48", "--refresh") == 200)
    #expect(try await shade(url, "--style", "circle:48", "--offline") == 200)
  }
}
