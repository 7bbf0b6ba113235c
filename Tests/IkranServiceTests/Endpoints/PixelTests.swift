import FoundationEssentials
import IkranCodecs
import IkranHTTP
import IkranPixels
import IkranServer
import IkranStores
import IkranSystem
import TestBasics
import Testing

@testable import IkranService

/// Pixels for programs on the same machine.
@Suite("Pixels in tables", .timeLimit(.minutes(5)))
struct PixelTests {
  /// What a response says.
  private struct Place: Decodable {
    let table: String
    let id: String
    let version: String
    let width: Int
    let height: Int
    let format: String

    private enum CodingKeys: String, CodingKey {
      case table, id, version, width, height, format
    }

    /// The picture that it leads to, by a table of the reader's own.
    func picture() throws -> Bitmap? {
      let table = try ImageTable(opening: table)
      return table.get(
        try #require(TableID(hexadecimal: id)),
        version: TableID(hexadecimal: version)
      )
    }
  }

  private let folder: TemporaryDirectory
  private let socket: String

  init() throws {
    folder = try TemporaryDirectory()
    socket = folder.path + "/socket"
  }

  private func service(
    _ more: [String: String] = [:],
    folder name: String = "cache"
  ) async throws -> TestService {
    let settings = ["NETWORK": "unix", "BIND": socket, "TABLES": "30x20,24x24"]
    return try await TestService(
      settings.merging(more) { $1 },
      folder: "\(folder.path)/\(name)"
    )
  }

  private func get(_ target: String) async throws -> Reply {
    let socket = socket
    return try await onThread { try RawClient(path: socket).get(target) }
  }

  private func place(_ target: String) async throws -> Place {
    let reply = try await get(target)
    try #require(reply.status == 200, "\(reply.text)")
    return try JSONDecoder().decode(Place.self, from: Data(reply.body))
  }

  @Test func aTableHasThePixelsOfTheFileThatOthersGet() async throws {
    let test = try await service()
    let place = try await place("/pixels" + test.path("/red.png", "rs:fill:24:24/bl:2/"))
    #expect(place.width == 24 && place.height == 24 && place.format == "bgra")
    let picture = try #require(try place.picture())
    let file = try await get(test.path("/red.png", "rs:fill:24:24/bl:2/f:png/"))
    let decoded = try CodecList.standard.decode(file.body.span).bitmap
    #expect(try picture.straightRGBA() == decoded.straightRGBA())
  }

  @Test func whatTheTableHasIsNotMadeAgain() async throws {
    let test = try await service()
    let path = "/pixels" + test.path("/red.png", "w:30/")
    let first = try await place(path)
    // Another picture in its place would not survive a second put.
    let other = try Bitmap(.white, size: PixelSize(width: 30, height: 20))
    let id = try #require(TableID(hexadecimal: first.id))
    let version = try #require(TableID(hexadecimal: first.version))
    try ImageTable(opening: first.table).put(id, version: version, other)
    let second = try await place(path)
    #expect(second.id == first.id && second.version == first.version)
    let found = try #require(try second.picture())
    #expect(try found.straightRGBA() == other.straightRGBA())
  }

  @Test func whatTheTableHasLostIsMadeAgain() async throws {
    let test = try await service()
    let path = "/pixels" + test.path("/red.png", "w:30/")
    let first = try await place(path)
    try ImageTable(opening: first.table).reset()
    #expect(try first.picture() == nil)
    #expect(try await place(path).picture() != nil)
  }

  @Test func aChangedSourceHasAnotherVersion() async throws {
    let number = Guarded(0)
    let origin = try Origin { _ in
      let file = Sources.file(number.withLock { $0 })
      return Response(200, headers: [Field("Cache-Control", "no-cache")], body: file)
    }
    let test = try await TestService(
      ["NETWORK": "unix", "BIND": socket, "TABLES": "30x20"],
      folder: folder.path + "/cache",
      origin: origin
    )
    let path = "/pixels" + test.path("/a.png", "w:30/")
    let first = try await place(path)
    let old = try #require(try first.picture())
    number.withLock { $0 = 1 }
    let second = try await place(path)
    #expect(second.id == first.id && second.version != first.version)
    let changed = try #require(try second.picture())
    #expect(try first.picture() == nil)
    #expect(try changed.straightRGBA() != old.straightRGBA())
  }

  @Test func twoServicesOfOneFolderShareTheirTables() async throws {
    let first = try await service()
    let path = "/pixels" + first.path("/red.png", "w:30/")
    let one = try await place(path)
    first.service.stop()
    let second = try await TestService(
      ["NETWORK": "unix", "BIND": socket, "TABLES": "30x20"],
      folder: folder.path + "/cache",
      origin: first.origin
    )
    let two = try await place(path)
    #expect(second.service.port == 0 && two.id == one.id && two.table == one.table)
    #expect(try ImageTable(opening: two.table).statistics.count == 1)
  }

  @Test func aSizeWithoutATableIsNamed() async throws {
    let test = try await service(["DEVELOPMENT_ERRORS_MODE": "1"])
    for options in ["w:31/", "t:10/w:31/"] {
      let reply = try await get("/pixels" + test.path("/red.png", options))
      #expect(reply.status == 404)
      #expect(reply.text.contains("31x21 pixels, which IKRAN_TABLES"), "\(reply.text)")
    }
  }

  @Test func aClientOfAPortGetsNone() async throws {
    let test = try await TestService(["TABLES": "30x20"], folder: folder.path + "/cache")
    #expect(try await test.get("/pixels" + test.path("/red.png", "w:30/")).status == 404)
    #expect(try await test.get(test.path("/red.png", "w:30/")).status == 200)
  }

  @Test func withoutTablesThereAreNone() async throws {
    let test = try await service(["TABLES": ""])
    #expect(try await get("/pixels" + test.path("/red.png", "w:30/")).status == 404)
  }

  @Test(arguments: ["f:webp/", "q:80/", "raw:1/", "sm:1/"])
  func optionsOfFilesAreRefused(option: String) async throws {
    let test = try await service()
    #expect(try await get("/pixels" + test.path("/red.png", "w:30/" + option)).status == 404)
  }

  @Test func aSignatureOfAPictureIsNoneOfItsPixels() async throws {
    let test = try await service(["KEY": "6b6579", "SALT": "73616c74"])
    let signer = try URLSigner(environment: ["IKRAN_KEY": "6b6579", "IKRAN_SALT": "73616c74"])
    let path = String(test.path("/red.png", "w:30/").dropFirst(2))
    #expect(try await get(signer.signed(path)).status == 200)
    #expect(try await get("/pixels" + signer.signed(path)).status == 403)
    #expect(try await get(signer.signed("/pixels" + path)).status == 200)
  }

  @Test func aSourceThatMayNotBeKeptIsInNoTable() async throws {
    let test = try await service()
    #expect(try await get("/pixels" + test.path("/no-store.png", "w:30/")).status == 404)
    #expect(
      try ImageTable(opening: folder.path + "/cache/pixels/30x20.table").statistics.count == 0
    )
  }

  @Test func tablesTooSmallForEightPicturesAreNamed() async throws {
    let error = await #expect(throws: SettingsError.self) {
      try await service(["TABLES": "8192x8192"])
    }
    #expect("\(error, default: "")".contains("to hold eight pictures"))
  }

  @Test func thePlaceIsKeptByNoCache() async throws {
    let test = try await service()
    let reply = try await get("/pixels" + test.path("/red.png", "w:30/"))
    #expect(reply.headers["cache-control"] == "no-cache")
    #expect(reply.headers["content-type"] == "application/json")
  }

  @Test func tablesNeedAFolder() async throws {
    let error = await #expect(throws: SettingsError.self) {
      try await TestService(["TABLES": "30x20"])
    }
    #expect("\(error, default: "")".contains("a cache folder"))
  }

  @Test(arguments: ["30", "30x", "0x20", "30x9000", "30x20x10", "axb", "30x20,"])
  func whatIsNoSizeIsNamed(sizes: String) {
    let error = #expect(throws: SettingsError.self) {
      try ServiceSettings(environment: ["IKRAN_TABLES": sizes])
    }
    #expect(error?.variable == "IKRAN_TABLES")
  }
}
