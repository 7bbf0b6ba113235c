import Ikran
import IkranServer
import IkranStores
import Support
import Testing

@testable import IkranTransport

/// Bodies that arrive encoded, and what must not be encoded.
@Suite(.timeLimit(.minutes(10)))
struct TransportEncodingTests {
  private let transport = TransportUnderTest()
  private let body = pattern(70_000)

  private func failure(_ request: TransportRequest) async -> TransportError? {
    do {
      _ = try await transport.fetch(request)
      return nil
    } catch {
      return error
    }
  }

  /// Sends one body to every request, whatever it accepts.
  private func server(
    status: Int = 200,
    _ encoding: String,
    _ bytes: [UInt8]
  ) throws -> LoopbackServer {
    try LoopbackServer { $1.send(status: status, ["Content-Encoding: \(encoding)"], body: bytes) }
  }

  // MARK: - Whole bodies

  @Test(arguments: ContentCoding.allCases)
  func aBodyArrivesWithoutItsEncoding(coding: ContentCoding) async throws {
    let encoded = coding.encoded(body)
    let server = try LoopbackServer { [body] request, connection in
      // A libcurl that was built without a coding does not accept it.
      let accepted = request.header("Accept-Encoding") ?? ""
      guard accepted.contains(coding.rawValue) else { return connection.send(body: body) }
      return connection.send(["Content-Encoding: \(coding.rawValue)", "X: y"], body: encoded)
    }
    let seen = Recorder<TransferProgress>()
    let response = try await transport.fetch(TransportRequest(url: server.url)) { seen.add($0) }
    #expect(response.body == body && response.isComplete)
    #expect(response.header("content-encoding") == nil)
    // The length on the wire is no length of this body.
    #expect(response.header("content-length") == nil && response.header("x") == "y")
    #expect(seen.items.last == TransferProgress(received: body.count, expected: nil))
  }

  @Test func gzipIsAlwaysAccepted() async throws {
    let server = try LoopbackServer {
      $1.send(body: Array(($0.header("Accept-Encoding") ?? "").utf8))
    }
    let response = try await transport.fetch(TransportRequest(url: server.url))
    #expect(String(decoding: response.body, as: UTF8.self).contains("gzip"))
  }

  @Test func anObjectStoredEncodedIsDecodedThoughItWasNotAccepted() async throws {
    let server = try server("gzip", ContentCoding.gzip.encoded(body))
    let accept = HeaderField("Accept-Encoding", "identity")
    let response = try await transport.fetch(TransportRequest(url: server.url, headers: [accept]))
    #expect(response.body == body)
  }

  @Test func severalEncodingsAreAllRemoved() async throws {
    let twice = ContentCoding.gzip.encoded(ContentCoding.deflate.encoded(body))
    let server = try server("deflate, gzip", twice)
    #expect(try await transport.fetch(TransportRequest(url: server.url)).body == body)
  }

  @Test func identityIsNoEncoding() async throws {
    let server = try server("identity", body)
    let response = try await transport.fetch(TransportRequest(url: server.url))
    #expect(response.body == body)
    #expect(response.header("content-encoding") == nil)
    #expect(response.header("content-length") == "\(body.count)")
  }

  @Test(.needsCurl("FoundationNetworking makes an error of a coding that is none"))
  func theEncodingOfAnUploadIsNoEncoding() async throws {
    let encoded = ContentCoding.gzip.encoded(body)
    let server = try LoopbackServer { [body] request, connection in
      guard request.path.hasSuffix("/gzip") else {
        return connection.send(["Content-Encoding: AWS-Chunked, identity"], body: body)
      }
      return connection.send(["Content-Encoding: gzip"], body: encoded)
    }
    // The second one uses the first one's handle again.
    for path in ["", "/gzip", ""] {
      let response = try await transport.fetch(TransportRequest(url: server.url + path))
      #expect(response.body == body && response.header("content-encoding") == nil)
    }
  }

  @Test func theHeadOfAnEncodedBodyIsLeftAsItIs() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 70\r\n\r\n")
    }
    var request = TransportRequest(url: server.url)
    request.method = "HEAD"
    let response = try await transport.fetch(request)
    #expect(response.header("content-encoding") == "gzip")
    #expect(response.header("content-length") == "70" && response.body.isEmpty)
  }

  @Test(
    .needsCurl("FoundationNetworking makes an error of a coding that is none"),
    arguments: [
      "base64", "utf-8", "UTF-8", "binary", "undefined", "none", "null", "x-rot13",
      "utf-8, binary", "identity, utf-8", "image/png",
    ]
  )
  func aNameThatIsNoEncodingChangesNothing(name: String) async throws {
    let encoded = ContentCoding.gzip.encoded(body)
    let server = try LoopbackServer { [body] request, connection in
      guard request.path.hasSuffix("/gzip") else {
        return connection.send(["Content-Encoding: \(name)"], body: body)
      }
      return connection.send(["Content-Encoding: gzip"], body: encoded)
    }
    // The second one uses the first one's handle again.
    for path in ["", "/gzip", ""] {
      let response = try await transport.fetch(TransportRequest(url: server.url + path))
      #expect(response.body == body && response.header("content-encoding") == nil)
    }
  }

  @Test(
    .needsCurl("FoundationNetworking makes an error of a coding that is none"),
    arguments: ["utf-8, gzip", "gzip, utf-8", "base64, deflate", "x-gzip, binary"]
  )
  func encodingsAmongOtherNamesAreRemoved(names: String) async throws {
    let coding = names.contains("gzip") ? ContentCoding.gzip : .deflate
    let origin = try server(names, coding.encoded(body))
    let response = try await transport.fetch(TransportRequest(url: origin.url))
    #expect(response.body == body && response.isComplete)
    #expect(response.header("content-encoding") == nil)
    #expect(response.header("content-length") == nil)
  }

  @Test(arguments: [
    "compress", "x-compress", "exi", "pack200-gzip", "aes128gcm", "dcb", "gzip, compress",
    "compress, utf-8",
  ])
  func anEncodingThatCannotBeRemovedIsNamed(name: String) async throws {
    let origin = try server(name, body)
    let error = await failure(TransportRequest(url: origin.url))
    guard case .contentEncoding(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains(name.prefix { $0 != "," }) && !reason.hasSuffix("."))
  }

  @Test func aBodyThatIsNotWhatItsEncodingSaysIsRefused() async throws {
    let server = try server("gzip", body)
    guard case .contentEncoding = await failure(TransportRequest(url: server.url)) else {
      Issue.record("it was taken")
      return
    }
  }

  // MARK: - Ends

  @Test(
    .needsCurl("URLSession does not show the bytes of an encoded body on the wire"),
    arguments: [ContentCoding.gzip, .deflate],
    [1, 3, 5, 9, 20_000]
  )
  func aBodyWhoseEncodingDoesNotEndIsRefused(coding: ContentCoding, missing: Int) async throws {
    let wire = Array(coding.encoded(body).dropLast(missing))
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding.rawValue)\r\n"
    for framing in ["Content-Length: \(wire.count)", "Connection: close"] {
      let server = try LoopbackServer { _, connection in
        connection.send(Array("\(head)\(framing)\r\n\r\n".utf8) + wire)
        return false
      }
      let request = TransportRequest(url: server.url)
      guard case .contentEncoding(let reason) = await failure(request) else {
        Issue.record("\(framing): it was taken")
        continue
      }
      #expect(reason.contains(coding.rawValue) && reason.contains("end"))
    }
  }

  @Test(
    .needsCurl("URLSession does not show the bytes of an encoded body on the wire"),
    arguments: [ContentCoding.gzip, .deflate],
    [1, 3, 70_000]
  )
  func theEndOfAnEncodingIsFoundInChunks(coding: ContentCoding, size: Int) async throws {
    let body = Array(body.prefix(size == 70_000 ? size : 300))
    let wire = coding.encoded(body)
    for missing in [0, 2] {
      let server = try LoopbackServer { _, connection in
        connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding.rawValue)\r\n")
        connection.send("Transfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: wire.count - missing, by: size) {
          connection.send(chunk: Array(wire[start..<min(start + size, wire.count - missing)]))
        }
        connection.send("0;last\r\nX-Sum: 1234567890\r\n\r\n")
        return false
      }
      let request = TransportRequest(url: server.url)
      if missing == 0 {
        #expect(try await transport.fetch(request).body == body)
      } else if case .contentEncoding = await failure(request) {
        continue
      } else {
        Issue.record("it was taken")
      }
    }
  }

  @Test func anEmptyBodyHasNoEncodingToEnd() async throws {
    let server = try server(status: 404, "gzip", [])
    let response = try await transport.fetch(TransportRequest(url: server.url))
    #expect(response.status == 404 && response.body.isEmpty)
  }

  @Test(arguments: [ContentCoding.gzip, .deflate, .brotli])
  func bytesAfterTheEndOfAnEncodingAreNamed(coding: ContentCoding) async throws {
    let extra = [UInt8](repeating: 65, count: 100)
    let server = try server(coding.rawValue, coding.encoded(body) + extra)
    let error = await failure(TransportRequest(url: server.url))
    guard case .contentEncoding(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("“\(coding.rawValue)”"))
  }

  // MARK: - Parts

  @Test func partsAreAskedForAsTheyAre() async throws {
    let server = try LoopbackServer {
      $1.send(body: Array(($0.header("Accept-Encoding") ?? "").utf8))
    }
    let range = [HeaderField("Range", "bytes=5-")]
    for headers in [range, [], range] {
      let request = TransportRequest(url: server.url, headers: headers)
      let text = String(decoding: try await transport.fetch(request).body, as: UTF8.self)
      #expect((text == "identity") == !headers.isEmpty)
    }
  }

  @Test func theWholeInPlaceOfAPartIsDecoded() async throws {
    let server = try server("gzip", ContentCoding.gzip.encoded(body))
    let range = HeaderField("Range", "bytes=5-")
    let response = try await transport.fetch(TransportRequest(url: server.url, headers: [range]))
    #expect(response.status == 200 && response.body == body)
  }

  @Test func aPartOfAnEncodedBodyIsRefused() async throws {
    let server = try server(status: 206, "gzip", Array(ContentCoding.gzip.encoded(body)[5...]))
    let range = HeaderField("Range", "bytes=5-")
    let error = await failure(TransportRequest(url: server.url, headers: [range]))
    guard case .contentEncoding(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("gzip"))
  }

  @Test func whatArrivedOfAnEncodedBodyIsNotToBeResumed() async throws {
    let encoded = ContentCoding.gzip.encoded(body)
    let server = try LoopbackServer { _, connection in
      let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(encoded.count)\r\n"
      connection.send(Array((head + "ETag: \"a\"\r\n\r\n").utf8) + encoded[..<50_000])
      return false
    }
    let interrupted = Counter()
    var request = TransportRequest(url: server.url)
    request.onInterruption = { _ in interrupted.add() }
    guard case .connectionLost = await failure(request) else {
      Issue.record("it did not break off")
      return
    }
    #expect(interrupted.count == 0)
  }

  // MARK: - Limits

  @Test(
    .needsCurl("FoundationNetworking decodes all it has read before a delegate can stop it"),
    arguments: [
      ("gzip", ContentCoding.gzipBomb), ("zstd", ContentCoding.zstdBomb),
    ]
  )
  func aBombEndsAtTheLimit(
    encoding: String,
    bomb: (start: [UInt8], repeated: [UInt8])
  ) async throws {
    try await meet(bomb, encoding)
  }

  @Test(.needsCurl("URLSession does not show the bytes of an encoded body on the wire"))
  func aBombOfNothingEndsAtTheLimit() async throws {
    try await meet(ContentCoding.hollowGzip, "gzip")
  }

  /// Fetches a body that has no end, and expects that it is cut.
  private func meet(
    _ bomb: (start: [UInt8], repeated: [UInt8]),
    _ encoding: String
  ) async throws {
    let piece = Array(repeatElement(bomb.repeated, count: 5000).joined())
    let sent = Guarded(0)
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\n")
      connection.send("Transfer-Encoding: chunked\r\n\r\n")
      connection.send(chunk: bomb.start)
      while connection.send(chunk: piece) { sent.withLock { $0 += piece.count } }
      return false
    }
    let limit = 1 << 20
    let seen = Recorder<TransferProgress>()
    let request = TransportRequest(url: server.url, maximumBodyBytes: limit)
    await #expect(throws: TransportError.bodyTooLarge(limit: limit)) {
      try await transport.fetch(request) { seen.add($0) }
    }
    #expect(seen.items.allSatisfy { $0.received <= limit && $0.expected == nil })
    #expect(sent.withLock { $0 } < 32 << 20)
  }

  @Test func anEncodedBodyOfExactlyTheLimitIsTaken() async throws {
    let server = try server("gzip", ContentCoding.gzip.encoded([UInt8](repeating: 7, count: 999)))
    // The stored block makes the wire's bytes more than the body's.
    let wire = ContentCoding.gzip.encoded([UInt8](repeating: 7, count: 999)).count
    let exact = TransportRequest(url: server.url, maximumBodyBytes: wire)
    let narrow = TransportRequest(url: server.url, maximumBodyBytes: wire - 1)
    #expect(try await transport.fetch(exact).body.count == 999)
    #expect(await failure(narrow) == .bodyTooLarge(limit: wire - 1))
  }

  // MARK: - Images

  @Test func aPictureStoredGzipEncodedIsShown() async throws {
    let png = try TestImages.png(width: 8, height: 8)
    let origin = try Origin { _ in
      Response(
        200,
        headers: [Field("Content-Encoding", "gzip"), Field("ETag", "\"1\"")],
        body: ContentCoding.gzip.encoded(png)
      )
    }
    let pipeline = ImagePipeline(options: PipelineOptions.steady, transport: transport)
    let request = ImageRequest(location: origin.baseURL + "/a.png", style: .original)
    #expect(try await pipeline.response(for: request).image.width == 8)
  }
}
