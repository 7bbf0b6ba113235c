import FoundationEssentials
import Glibc
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Secrets of requests and responses are in no file, and decide nothing they should not decide.
@Suite("Secrets", .timeLimit(.minutes(10)))
struct SecretTests {
  private let folder: TemporaryDirectory
  private let png: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    png = try Square.png(50)
  }

  private func request(
    _ location: String,
    _ fields: [String: String] = [:],
    _ style: Style = .circle(8)
  ) -> ImageRequest {
    var request = ImageRequest(location: location, style: style)
    request.transfer.headers = FakeResponse.fields(fields)
    return request
  }

  /// Responds as each URL says: with a redirect, with half of a body, or with an image.
  private var transport: FakeTransport {
    FakeTransport { [png] (request, _) throws(TransportError) in
      var fields = FakeResponse.fields([
        "Cache-Control": "max-age=600", "ETag": "\"1\"", "Set-Cookie": "id=SECRET-SETCOOKIE",
        "Vary": "Authorization, Cookie, X-Token", "X-Note": "SECRET-RESPONSE",
        "Content-Length": "\(png.count)",
      ])
      if request.url.contains("/moved") {
        let target = "http://b.test/signed.png?sig=SECRET-REDIRECT"
        fields.append(HeaderField("Location", target))
        return TransportResponse(status: 302, headers: fields, body: [], url: request.url)
      }
      if request.url.contains("/broken") {
        request.onInterruption?(
          TransportResponse(
            status: 200,
            headers: fields,
            body: Array(png[..<(png.count / 2)]),
            url: request.url,
            isComplete: false
          )
        )
        throw .connectionLost(received: png.count / 2)
      }
      return TransportResponse(status: 200, headers: fields, body: png, url: request.url)
    }
  }

  private func requests() -> [ImageRequest] {
    let url = "http://a.test/a.png"
    var posted = request(url)
    posted.transfer.method = "POST"
    posted.transfer.body = Array("SECRET-BODY".utf8)
    return [
      request(url, ["Authorization": "Bearer SECRET-TOKEN"]),
      request(url + "?1", ["Cookie": "session=SECRET-COOKIE"], .fit(width: 9, height: 7)),
      request(url + "?2", ["X-Token": "SECRET-FIELD"]),
      request(url + "?Signature=SECRET-QUERY"),
      request("http://me:SECRET-PASSWORD@a.test/a.png"),
      request("http://a.test/moved?to=SECRET-MOVED", ["Authorization": "SECRET-TOKEN"]),
      request("http://a.test/broken?sig=SECRET-BROKEN", ["X-Token": "SECRET-FIELD"]),
      request(url + "#SECRET-FRAGMENT"),
      posted,
    ]
  }

  @Test(arguments: [false, true])
  func noFileOfTheCacheHasASecret(includesCredentials: Bool) async throws {
    let pipeline = ImagePipeline.deterministic(transport: transport, folder: folder.path) {
      $0.keys.includesCredentials = includesCredentials
      $0.network.resumption.minimumBytes = 1
      $0.disk?.contents = .both
    }
    for request in requests() {
      // The broken one fails; all that counts here is what is written.
      _ = try? await pipeline.image(for: request)
      await pipeline.finishWriting()
    }
    _ = try? await pipeline.image(for: request("http://a.test/a.png?Signature=SECRET-QUERY"))
    await pipeline.finishWriting()
    // The pipeline is open still, so that the journal of the index is there, too.
    let files = try files(below: folder.path)
    #expect(files.keys.contains { $0.contains("/partial/") })
    #expect(files.keys.contains { $0.hasSuffix(".table") })
    #expect(files.keys.contains { $0.hasSuffix("/freshness") })
    #expect(files.keys.contains { $0.contains("/index") })
    for (path, bytes) in files {
      #expect(!path.contains("SECRET"), "\(path)")
      #expect(!contains(bytes, Array("SECRET".utf8)), "\(path)")
    }
    withExtendedLifetime(pipeline) {}
  }

  private func contains(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      guard var start = bytes.baseAddress else { return false }
      let end = start + bytes.count - word.count + 1
      while start < end, let found = memchr(start, CInt(word[0]), end - start) {
        if memcmp(found, word, word.count) == 0 { return true }
        start = UnsafeRawPointer(found) + 1
      }
      return false
    }
  }

  @Test(arguments: [("Authorization", false), ("Cookie", false), ("Authorization", true)])
  func aNewTokenIsAnotherSourceOnlyIfThatIsWanted(field: String, isWanted: Bool) async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline.deterministic(transport: transport, folder: folder.path) {
      $0.keys.includesCredentials = isWanted
    }
    let url = "http://a.test/a.png"
    let first = try await pipeline.response(for: request(url, [field: "1"]))
    let second = try await pipeline.response(for: request(url, [field: "2"]))
    #expect((first.key == second.key) != isWanted)
    #expect(second.source == (isWanted ? .network : .memory))
    #expect(transport.urls.count == (isWanted ? 2 : 1))
    // The newer token is the one that is sent.
    var reload = request(url, [field: "3"])
    reload.caching.policy = .reload
    _ = try await pipeline.image(for: reload)
    #expect(transport.requests.last?.headers.contains { $0.value == "3" } == true)
  }

  // MARK: - Guessing

  /// A request with a guessable secret, and what an attacker who has its files would hash.
  struct Guess: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var location = "http://a.test/a.png"
    var fields: [String: String] = [:]
    var includesCredentials = false
    /// The text that the secret is hashed with.
    let text: String
  }

  private static let basic = "Basic YW5hOmh1bnRlcjI="

  static let guesses = [
    Guess(testDescription: "Vary", fields: ["Authorization": basic], text: basic),
    Guess(testDescription: "Vary: Cookie", fields: ["Cookie": "id=7"], text: "id=7"),
    Guess(
      testDescription: "password in the URL",
      location: "http://ana:hunter2@a.test/a.png",
      text: "http://ana:hunter2@a.test/a.png"
    ),
    Guess(
      testDescription: "key with a credential",
      fields: ["Authorization": basic],
      includesCredentials: true,
      text: "http://a.test/a.png\u{0}authorization:\(basic)"
    ),
    Guess(
      testDescription: "key with a field of the program's",
      fields: ["X-Token": "hunter2"],
      text: "http://a.test/a.png\u{0}x-token:hunter2"
    ),
  ]

  /// All that text may leave in a file of this or an earlier version: its hashes without a key.
  private func hashes(_ text: String) -> [[UInt8]] {
    let key = SourceKey(text).id
    let name = PartialBodies.name(of: "\(key)")
    let words = [key.high, key.low, Checksum.of(text), Checksum.of("\(key)")]
    return [digest(of: text), "\(key)", name].map { Array($0.utf8) }
      + words.flatMap { word in
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        return [bytes, bytes.reversed()]
      }
  }

  @Test(arguments: guesses)
  func aPasswordCannotBeGuessedFromTheFilesOfTheCache(guess: Guess) async throws {
    let pipeline = ImagePipeline.deterministic(transport: transport, folder: folder.path) {
      $0.keys.includesCredentials = guess.includesCredentials
      $0.network.resumption.minimumBytes = 1
      $0.disk?.contents = .both
    }
    for style in [Style.circle(8), .original] {
      _ = try await pipeline.image(for: request(guess.location, guess.fields, style))
    }
    let broken = guess.location.replacing("/a.png", with: "/broken")
    _ = try? await pipeline.image(for: request(broken, guess.fields))
    await pipeline.finishWriting()
    let texts = [guess.text, guess.text.replacing("/a.png", with: "/broken")]
    for (path, bytes) in try files(below: folder.path) {
      for hash in texts.flatMap(hashes) {
        let isKnown = contains(bytes, hash) || contains(Array(path.utf8), hash)
        #expect(!isKnown, "\(path) has a hash that tells the password")
      }
    }
    withExtendedLifetime(pipeline) {}
    // It is found again all the same, by a later process too.
    let later = ImagePipeline.deterministic(transport: FakeTransport([]), folder: folder.path) {
      $0.keys.includesCredentials = guess.includesCredentials
    }
    let again = try await later.response(for: request(guess.location, guess.fields))
    #expect(again.source == .table || again.source == .disk)
  }

  /// What version 0.4 stored of a response with `Vary`.
  private func storeAsBefore(_ key: SourceKey, _ received: Int64) throws -> [UInt8] {
    let old = digest(of: Self.basic)
    let text = """
      ikran-http 2 200 \(received) \(received) \(Checksum.wide(png))
      <Cache-Control:max-age=600
      <Vary:authorization
      >authorization:\(old)
      """
    let cache = try DiskCache(directory: folder.path)
    try cache.store(png, extended: Array(text.utf8), for: "\(key)")
    return Array(old.utf8)
  }

  /// Also if the process that began with it ended early, when the folder had a key by then.
  @Test(arguments: [false, true])
  func whatAnEarlierVersionLeftOfAPasswordIsRemoved(hasKey: Bool) async throws {
    let origin = transport
    let request = request("http://a.test/a.png", ["Authorization": Self.basic])
    let old = try storeAsBefore(request.sourceKey, origin.clock.microseconds)
    #expect(try files(below: folder.path).values.contains { contains($0, old) })
    if hasKey { FolderSecret(folder: folder.path).load() }
    let pipeline = ImagePipeline.deterministic(transport: origin, folder: folder.path)
    // Any use of the disk does it.
    let other = ImageRequest(location: "http://b.test/b.png", style: .circle(8))
    _ = try await pipeline.image(for: other)
    await pipeline.finishWriting()
    #expect(try DiskCache(directory: folder.path).entry(for: "\(request.sourceKey)") == nil)
    for (path, bytes) in try files(below: folder.path) where !path.hasSuffix("-wal") {
      let isThere = contains(bytes, old)
      #expect(!isThere, "\(path)")
    }
    let response = try await pipeline.response(for: request)
    #expect(response.source == .network)
  }

  @Test(arguments: [true, false])
  func aPasswordCannotBeGuessedFromAnAvatarStorage(isInFiles: Bool) async throws {
    func storage() throws -> any AvatarStorage {
      if isInFiles { return try FileAvatarStorage(directory: folder.path) }
      return try SQLiteAvatarStorage(path: folder.path + "/avatars")
    }
    let (owner, url) = ("ana", "http://ana:hunter2@a.test/a.png")
    let name = AvatarName(owner: owner, url: url, style: .circle(8))
    let image = try TestImages.gradient(width: 8, height: 8)
    try await storage().save(original: Data(png), styled: image, as: name)
    for text in ["\(owner)\u{0}\(url)", "\(owner)\u{0}\(url)\u{0}\(name.style.key)"] {
      let old = Array(digest(of: text).utf8)
      for (path, bytes) in try files(below: folder.path) {
        let isKnown = contains(bytes, old) || contains(Array(path.utf8), old)
        #expect(!isKnown, "\(path) has a digest that tells the password")
      }
    }
    #expect(try await storage().original(name) == Data(png))
    #expect(try await storage().styled(name)?.size == image.size)
  }

  // MARK: - Events

  @Test func eventsHaveNoPasswordsAndNoWholeDataURLs() async throws {
    let events = Recorder<PipelineEvent>()
    let pipeline = ImagePipeline(
      options: PipelineOptions(),
      transport: SchemeTransport(network: transport, data: DataTransport()),
      onEvent: { events.add($0) }
    )
    let data = "data:image/png;base64,\(Data(png).base64EncodedString())"
    for location in [
      "http://me:SECRET@a.test/a.png", "http://me:SECRET@a.test/broken", "HTTP:me:SECRET@a.test/b",
      "http://me:SECRET@a.test/moved", "http://a.test:SECRET/x", "http://me:SE/CRET@a.test/a.png",
      "http://me:SE?CRET@a.test/a.png", "http://me:SE#CRET@a.test/a.png", data,
      "file:///missing.png?SECRET",
    ] {
      let task = pipeline.task(for: request(location))
      for await event in task.events {
        if case .failed(let error) = event { check("\(error) \(error as Any)", location, data) }
      }
    }
    #expect(events.items.count > 9)
    for event in events.items { check("\(event)", "an event", data) }
  }

  private func check(_ text: String, _ location: String, _ data: String) {
    let words = ["SECRET", "CRET@", "me:SE", String(data.suffix(20))]
    for word in words { #expect(!text.contains(word), "\(location): \(text)") }
  }
}
