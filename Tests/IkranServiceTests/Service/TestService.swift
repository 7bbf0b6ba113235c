import IkranCodecs
import IkranHTTP
import IkranPixels
import IkranServer
import IkranSystem
import TestBasics

@testable import IkranService

/// A service before an origin, both on this machine.
final class TestService: Sendable {
  let service: ImageService
  let origin: Origin
  /// Requests that have ended.
  let log: Recorder<RequestRecord>
  /// What the service says of itself.
  let notices: Recorder<String>
  /// What files hold that settings name.
  let files: Guarded<[String: [UInt8]]>

  /// Starts both.
  ///
  /// - Parameters:
  ///   - environment: Settings by their names without `IKRAN_`.
  ///   - folder: Where results and sources are kept.
  ///   - origin: Where sources are; nil is one of ``Sources``.
  ///   - files: What files hold that settings name.
  ///   - variables: Others, by their whole names.
  /// - Throws: What the service throws.
  init(
    _ environment: [String: String] = [:],
    folder: String? = nil,
    origin: Origin? = nil,
    files: [String: [UInt8]] = [:],
    variables: [String: String] = [:]
  ) async throws {
    // An instrumented build on a busy machine needs more than a request's ten seconds, and a
    // download's five.
    let all = [
      "BIND": "127.0.0.1:0", "ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1", "ENABLE_DEBUG_HEADERS": "1",
      "TIMEOUT": "200", "DOWNLOAD_TIMEOUT": "100",
    ].merging(environment) { $1 }
    let (log, notices) = (Recorder<RequestRecord>(), Recorder<String>())
    (self.log, self.notices) = (log, notices)
    let named = Guarded(files)
    self.files = named
    self.origin = try origin ?? Sources.origin()
    service = try await ImageService(
      environment: Dictionary(uniqueKeysWithValues: all.map { ("IKRAN_" + $0, $1) })
        .merging(variables) { $1 },
      cache: CacheSettings(folder: folder),
      version: "1",
      log: ServiceLog { line in
        switch line.subject {
        case .request(let record): log.add(record)
        case .notice(let sentence): notices.add(sentence)
        }
      },
      contents: { path in named.withLock { $0[path] } }
    )
  }

  /// The response to one request on a new connection.
  func get(
    _ path: String,
    _ headers: [String: String] = [:],
    method: String = "GET"
  ) async throws -> Reply {
    let port = service.port
    return try await onThread { try RawClient(port).get(path, method: method, headers: headers) }
  }

  /// All that comes for some bytes until the service closes the connection; nil where it does not.
  func raw(_ text: String) async throws -> String? {
    let port = service.port
    return try await onThread {
      let client = try RawClient(port)
      client.write(text)
      return client.readToEnd().map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// A path for a source of the origin, with options that end with `/`.
  func path(_ source: String, _ options: String = "", ending: String = "") -> String {
    Self.path(to: origin.baseURL + source, options, ending: ending)
  }

  /// A path for any source.
  static func path(to url: String, _ options: String = "", ending: String = "") -> String {
    "/_/\(options)\(Base64.url.encoded(Array(url.utf8)))\(ending.isEmpty ? "" : ".")\(ending)"
  }

  /// A path for a file below the folder of local sources.
  static func local(_ path: String) -> String { Self.path(to: "local:///" + path) }

  /// A number of the statistics; nil where it does not exist.
  func statistic(_ name: String) async throws -> Int? {
    let port = service.statisticsPort ?? 0
    let text = try await onThread { try RawClient(port).get("/metrics").text }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line.flatMap { Int($0.dropFirst(name.count + 1)) }
  }
}

/// Runs what blocks on a thread of its own: the service's tasks need those of all tasks.
func onThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let isStarted = BackgroundThread.start(name: "client") {
      continuation.resume(with: Result(catching: body))
    }
    precondition(isStarted, "The system has no thread for a test.")
  }
}

extension Reply {
  /// What its body is.
  var picture: ImageInfo? { try? CodecList.standard.probe(body.span) }

  /// The format and the sides, such as `png 30x20`.
  var summary: String {
    picture.map { "\($0.format.rawValue) \($0.size.width)x\($0.size.height)" } ?? "\(status)"
  }
}

/// Pictures of an origin, and responses that are none.
enum Sources {
  /// 60 × 40 pixels of many colours.
  static let picture = file(0)

  /// Another one for each number.
  static func file(_ number: Int) -> [UInt8] {
    PNGSample(size: PixelSize(width: 60, height: 40)) { x, y in
      [UInt16(x * 1000), UInt16(y * 1500), UInt16(((x ^ y) * 1000 + number * 5000) & 0xFFFF)]
    }.bytes
  }

  /// An origin of them.
  static func origin() throws -> Origin { try Origin { response(to: $0) } }

  static func response(to head: RequestHead) -> Response? {
    let type = Field("Content-Type", "image/png")
    let fields = [type, Field("ETag", "\"one\""), Field("Cache-Control", "max-age=3600")]
    let status = head.path.split(separator: "/").last.flatMap { Int($0) }
    switch head.path {
    case _ where head.path.hasPrefix("/status/"): return Response(status ?? 200)
    case "/to": return Response(302, headers: head.parameters.map { Field("Location", $0.value) })
    case "/loop": return Response(302, headers: [Field("Location", "/loop")])
    case _ where head.path.hasPrefix("/never"): return Response(200, delay: .seconds(3000))
    case "/no-store.png":
      return Response(200, headers: [type, Field("Cache-Control", "no-store")], body: picture)
    case "/huge.png": return Response(200, headers: fields, body: huge(100_000))
    case "/huge.svg":
      let text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900000\" height=\"900000\"/>"
      return Response(
        200,
        headers: [Field("Content-Type", "image/svg+xml")],
        body: Array(text.utf8)
      )
    case "/bomb.png":
      return Response(200, headers: fields + [Field("Content-Encoding", "gzip")], body: bomb)
    case "/broken.png": return Response(200, headers: fields, body: huge(10))
    case "/cut.png": return Response(200, headers: fields, body: picture, cut: 3000)
    case "/page.png": return Response(200, headers: fields, body: Array("<html></html>".utf8))
    case "/empty.png": return Response(200, headers: fields)
    case "/page.html":
      let html = [Field("Content-Type", "text/html"), Field("ETag", "\"h\"")]
      return Response(200, headers: html, body: Array("<script></script>".utf8))
    default: return Response(200, headers: fields, body: picture)
    }
  }

  /// 65 MB of zeros as gzip has them (RFC 1951, section 3.2.6): each match repeats 258 of them.
  static let bomb: [UInt8] = {
    let match: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0]
    var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
    for _ in 0..<16 { bits += match }
    let bytes = stride(from: 0, to: bits.count - 7, by: 8).map { start in
      (0..<8).reduce(UInt8(0)) { $0 | bits[start + $1] << $1 }
    }
    // Eight matches are thirteen bytes.
    var periods = bytes[2..<15]
    // Doubled, as an instrumented build takes seconds to join many.
    for _ in 0..<15 { periods += periods }
    let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    return head + bytes[..<2] + periods
  }()

  /// A header of a square, and four bytes of pixels.
  private static func huge(_ side: Int) -> [UInt8] {
    let header = PNGSample.word(side) + PNGSample.word(side) + [8, 6, 0, 0, 0]
    return PNGSample.signature + PNGSample.chunk("IHDR", header)
      + PNGSample.chunk("IDAT", PNGSample.stored([0, 0, 0, 0])) + PNGSample.chunk("IEND", [])
  }
}
