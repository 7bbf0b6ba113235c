@testable import Ikran
@testable import IkranStores
@testable import IkranTransport

/// What HTTP says: everything that is written is read again as the same, and nothing is out of range.
enum HTTPTarget {
  /// Moments: microseconds since 1970.
  private static let times: [Int64] = [
    0, 1_700_000_000_000_000, 1_699_999_970_000_000, 1 << 58, -1 << 58,
  ]

  /// An example of each kind of input.
  static var seeds: [[UInt8]] {
    let response =
      "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nExpires: Sunday, 06-Nov-94 08:49:37 GMT\r\n"
      + "Last-Modified: Sun Nov  6 08:49:37 1994\r\nETag: \"a\"\r\nAge: 3\r\nVary: accept, x:y\r\n"
      + "Cache-Control: max-age=60, stale-if-error=\"7\", private\r\nContent-Type: image/png\r\n"
    let partial =
      "Content-Length: 5\r\nAccept-Ranges: bytes\r\nETag: \"a\"\r\n"
      + "Content-Range: bytes 0-4/10\r\n\0hello"
    let encoded =
      "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n\0005\r\nhello\r\n0\r\n"
    let stored = "ikran-http 2 200 1 2 -\n<etag:\"a\"\n>x:y:0011"
    let texts: [(Int, String)] = [
      (0, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Sunday, 06-Nov-94 08:49:37 GMT"),
      (0, "Sun Nov  6 08:49:37 1994"), (1, "bytes 0-99/200"), (1, "bytes */7"),
      (2, "http://u:p@[::1]:80/a b?c#d"), (2, "data:image/png;base64,AAAA"), (3, stored),
      (4, "ikran-partial 2 0 10 \"a\"\nhello"), (5, "no-cache=\"a,b\", max-age=5"),
      (6, response), (38, partial), (7, encoded), (6, "Location: /x\r\n"),
    ]
    return texts.map { [UInt8($0)] + Array($1.utf8) }
  }

  static func run(_ bytes: Input) -> CInt {
    guard let first = bytes.first else { return 0 }
    let rest = Array(bytes.dropFirst())
    let text = String(decoding: rest, as: UTF8.self)
    switch first & 7 {
    case 0: checkDate(text)
    case 1: checkRange(text)
    case 2: checkAddress(text)
    case 3: checkStored(rest)
    case 4: checkPartial(rest)
    case 5: _ = (CacheControl([HeaderField("cache-control", text)]), CacheControl.seconds(text))
    default:
      let parts = rest.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
      let body = parts.count > 1 ? Array(parts[1]) : []
      let status = [200, 206, 304, 302, 404, 0, 999, -1][Int(first >> 5)]
      let lines = parts.first.map(Array.init) ?? []
      if first & 1 == 0 { check(lines, body, status) } else { receive(lines, body, status) }
    }
    return 0
  }

  private static func checkDate(_ text: String) {
    guard let seconds = HTTPDate.seconds(text, now: 1_700_000_000) else { return }
    let written = HTTPDate.text(seconds)
    guard 0...253_402_300_799 ~= seconds else { return }
    let again = HTTPDate.seconds(written, now: 1_700_000_000)
    report("“\(text)” is \(seconds), “\(written)” is not", unless: again == seconds)
  }

  private static func checkRange(_ text: String) {
    guard let range = ContentRange(text), let bytes = range.range else { return }
    let total = range.total.map(String.init) ?? "*"
    let written = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total)"
    report("“\(text)” and “\(written)” differ", unless: ContentRange(written) == range)
    report(
      "“\(text)” ends after its total",
      unless: range.total.map { bytes.upperBound <= $0 } ?? true
    )
  }

  private static func checkAddress(_ text: String) {
    _ = urlScheme(of: text)
    _ = percentDecoded(Substring(text).utf8)
    guard let address = try? HTTPAddress(text) else { return }
    _ = (address.host, address.hostAndPort)
    guard let again = try? HTTPAddress(address.url) else {
      return report("the URL “\(address.url)” of “\(text)” is none")
    }
    report("“\(text)” is another address after encoding", unless: again == address)
    _ = try? HTTPAddress(address.url(ofLocation: text))
    let secret = HeaderField("Authorization", "secret")
    let hop = HTTPHop(
      TransportRequest(url: "http://a.example/", headers: [secret]),
      address: address
    )
    let target = (try? HTTPAddress("https://other.example/")) ?? address
    let next = hop.following(target, status: 302)
    report("a secret travels to \(target.url)", unless: !next.headers.contains(secret))
  }

  private static func checkStored(_ bytes: [UInt8]) {
    guard let stored = StoredResponse(bytes) else { return }
    for now in times { _ = Freshness(of: stored, at: now) }
    _ = (stored.conditions, stored.cost, stored.mayStore(method: "GET"))
    report("a stored response is read differently", unless: StoredResponse(stored.bytes) == stored)
  }

  private static func checkPartial(_ bytes: [UInt8]) {
    guard let partial = PartialBody(fileBytes: bytes, name: "k") else { return }
    let again = PartialBody(fileBytes: partial.fileBytes(name: "k"), name: "k")
    report("a partial body is read differently", unless: again == partial)
  }

  // MARK: - Responses

  private static func check(_ lines: [UInt8], _ body: [UInt8], _ status: Int) {
    let header = HeaderText(lines)
    checkFields(header)
    let response = TransportResponse(
      status: status,
      header: header,
      body: body,
      url: "http://a/",
      isComplete: false,
      metrics: nil
    )
    _ = retryAfter(response, now: times[1])
    for received in times { checkStoring(response, received) }
    checkResuming(response)
    if let plan = SplitPlan(response, ResumptionOptions(), limit: 1 << 30) {
      report("parts do not end at the end", unless: plan.parts.last?.upperBound == plan.total)
      _ = plan.accepts(response, from: 0, to: 10)
    }
  }

  private static func checkFields(_ header: HeaderText) {
    let fields = header.fields
    for field in fields where !field.value.isEmpty {
      let value = FieldText.bytes(of: field.value)
      report("“\(field.value)” is other bytes", unless: header.lines.firstRange(of: value) != nil)
    }
    let names = ["age", "etag", "vary", "content-length"] + fields.prefix(3).map(\.name)
    // Bytes that are no UTF-8 are not the same after reading.
    for name in names where name.utf8.allSatisfy({ $0 < 0x80 }) {
      let named = fields.filter { $0.isNamed(name) }
      let isSame =
        header.first(name) == named.first?.value && header.last(name) == named.last?.value
      report(
        "the fields called “\(name)” differ",
        unless: isSame && header.fields(named: [name]) == named
      )
      report("“\(name)” is still there", unless: header.without([name]).first(name) == nil)
    }
  }

  private static func checkStoring(_ response: TransportResponse, _ received: Int64) {
    let request = [HeaderField("Accept", "x"), HeaderField("Cookie", "y")]
    let stored = StoredResponse(
      response,
      to: request,
      secret: FolderSecret(folder: nil),
      requested: received &- 5,
      received: received
    )
    for field in stored.conditions { report("a condition cannot be sent", unless: field.canBeSent) }
    _ = stored.mayStore(method: "GET")
    let fresh = stored.refreshed(by: response, requested: received, received: received)
    for now in times { _ = (Freshness(of: stored, at: now), Freshness(of: fresh, at: now)) }
    report("a response does not confirm itself", unless: stored.isConfirmed(by: response))
    guard received.magnitude < 1 << 58 else { return }
    report(
      "a stored response differs after reading",
      unless: StoredResponse(stored.bytes) == stored
    )
  }

  private static func checkResuming(_ response: TransportResponse) {
    guard let partial = PartialBody(response, after: nil) else { return }
    let file = partial.fileBytes(name: "k")
    report("a partial body is lost", unless: PartialBody(fileBytes: file, name: "k") == partial)
    let next = TransportResponse(
      status: 206,
      headers: response.headers,
      body: response.body,
      url: response.url
    )
    guard let longer = PartialBody(next, after: partial) else { return }
    if let whole = longer.completed(by: next), let total = longer.total {
      report("a whole of another length", unless: whole.count == total)
    }
  }

  /// The lines as libcurl brings them, then the body in two pieces.
  private static func receive(_ lines: [UInt8], _ body: [UInt8], _ status: Int) {
    var response = CurlResponse(maximumHeaderBytes: 4096, maximumBodyBytes: 1 << 20)
    for line in lines.split(separator: 10, omittingEmptySubsequences: false) {
      let taken = (line + [10]).withUnsafeBytes { response.takeHeader($0) }
      guard taken.isTaken, !taken.isEnd || response.endHeader(status: status, isHead: false) else {
        return
      }
    }
    guard response.endHeader(status: status, isHead: false) else { return }
    body.withUnsafeBytes { bytes in
      let half = bytes.count / 2
      for part in [bytes[..<half], bytes[half...]] {
        response.takeWire(UnsafeRawBufferPointer(rebasing: part))
        _ = response.takeBytes(UnsafeRawBufferPointer(rebasing: part))
      }
    }
    _ = (response.missingEnd, response.isResumable, response.header.fields)
    report("bytes are lost", unless: response.redirectTarget != nil || response.body == body)
  }
}
