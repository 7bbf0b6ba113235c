import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// An origin in memory that serves one body in ranges, and fails when it is told to.
private final class RangeOrigin: Transport {
  typealias Fault = @Sendable (_ range: Range<Int>, _ attempt: Int) -> Ending

  enum Ending: Sendable {
    case whole
    /// Breaks off after so many bytes.
    case broken(after: Int)
    case status(Int)
    /// With another tag, or without one.
    case tag(String?)
    case shifted(by: Int)
    /// In an encoding that cannot be removed from a part.
    case encoded
  }

  let body: [UInt8]
  private let headers: [HeaderField]
  private let fault: Fault
  private let asked = Guarded([Range<Int>?]())

  var ranges: [Range<Int>?] { asked.withLock { $0 } }

  init(
    _ body: [UInt8],
    headers: [String: String] = ["ETag": "\"1\"", "Accept-Ranges": "bytes"],
    fault: @escaping Fault = { _, _ in .whole }
  ) {
    self.body = body
    self.headers = headers.map { HeaderField($0.key, $0.value) }
    self.fault = fault
  }

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let range = Self.range(of: request, body.count)
    let attempt = asked.withLock { asked in
      asked.append(range)
      return asked.count { $0?.upperBound == range?.upperBound }
    }
    guard let range else { return try whole(request, progress) }
    var (status, fields, from) = (206, headers, range.lowerBound)
    var end = range.upperBound
    switch fault(range, attempt) {
    case .whole: break
    case .broken(let count): end = range.lowerBound + count
    case .status(let other): status = other
    case .tag(let tag):
      fields.removeAll { $0.name == "ETag" }
      if let tag { fields.append(HeaderField("ETag", tag)) }
    case .shifted(let by): from -= by
    case .encoded: throw .contentEncoding("gzip")
    }
    fields.append(
      HeaderField("Content-Range", "bytes \(from)-\(range.upperBound - 1)/\(body.count)")
    )
    var metrics = TransferMetrics()
    (metrics.receivedBytes, metrics.sentBytes) = (end - range.lowerBound + 10, 3)
    let answer = TransportResponse(
      status: status,
      headers: fields,
      body: Array(body[range.lowerBound..<end]),
      url: request.url,
      isComplete: end == range.upperBound,
      metrics: metrics
    )
    if !answer.isComplete {
      request.onInterruption?(answer)
      throw .connectionLost(received: answer.body.count)
    }
    progress(TransferProgress(received: answer.body.count, expected: answer.body.count))
    return answer
  }

  private func whole(
    _ request: TransportRequest,
    _ progress: (TransferProgress) -> Void
  ) throws(TransportError) -> TransportResponse {
    let fields = headers + [HeaderField("Content-Length", "\(body.count)")]
    func answer(_ count: Int) -> TransportResponse {
      TransportResponse(
        status: 200,
        headers: fields,
        body: Array(body[..<count]),
        url: request.url,
        isComplete: count == body.count,
        metrics: TransferMetrics()
      )
    }
    request.onHead?(answer(0))
    for count in stride(from: 100, to: body.count, by: 100) {
      progress(TransferProgress(received: count, expected: body.count))
      if request.shouldStop?(Array(body[..<count])) == true { return answer(count) }
    }
    progress(TransferProgress(received: body.count, expected: body.count))
    return answer(body.count)
  }

  private static func range(of request: TransportRequest, _ total: Int) -> Range<Int>? {
    guard let text = request.headers.first(where: { $0.name == "Range" })?.value else { return nil }
    return ContentRange(text.replacing("=", with: " ") + "/\(total)")?.range
  }
}

@Suite(.timeLimit(.minutes(10)))
struct SplitTests {
  private let body = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
  private let request = TransportRequest(url: "http://a.test/large")

  private func split(_ origin: RangeOrigin, retries: Int = 2) -> SplitTransport {
    var options = NetworkOptions(retry: .fixed(maximum: retries, delay: .zero))
    options.resumption.splitBytes = 1000
    return SplitTransport(origin, options: options, clock: ManualClock().pipelineClock)
  }

  @Test func aLargeBodyArrivesInParts() async throws {
    let origin = RangeOrigin(body)
    let seen = Recorder<TransferProgress>()
    let response = try await split(origin).fetch(request) { seen.add($0) }
    #expect(response.body == body)
    #expect(response.isComplete)
    #expect(Set(origin.ranges) == [nil, 250..<500, 500..<750, 750..<1000])
    #expect(seen.items.allSatisfy { $0.expected == 1000 && $0.received <= 1100 })
  }

  @Test func whatThePartsCostIsCounted() async throws {
    let origin = RangeOrigin(body) { range, attempt in
      range.upperBound == 750 && attempt == 1 ? .broken(after: 70) : .whole
    }
    let metrics = try await split(origin).fetch(request) { _ in }.metrics
    // Three parts of 250 bytes in four responses; the first part's response counts nothing.
    #expect((metrics?.receivedBytes, metrics?.sentBytes) == (790, 12))
  }

  @Test func aSmallBodyComesWhole() async throws {
    let origin = RangeOrigin(Array(body.dropLast()))
    #expect(try await split(origin).fetch(request) { _ in }.body == origin.body)
    #expect(origin.ranges == [nil])
  }

  @Test(arguments: [
    [:], ["ETag": "\"1\""], ["Accept-Ranges": "bytes"],
    ["ETag": "W/\"1\"", "Accept-Ranges": "bytes"],
    ["ETag": "\"1\"", "Accept-Ranges": "none"],
    ["ETag": "\"1\"", "Accept-Ranges": "bytes", "Content-Range": "bytes 0-999/1000"],
    ["ETag": "\"1\"", "Accept-Ranges": "bytes", "Content-Encoding": "gzip"],
  ])
  func anOriginThatDoesNotPromisePartsIsAskedOnce(_ headers: [String: String]) async throws {
    let origin = RangeOrigin(body, headers: headers)
    #expect(try await split(origin).fetch(request) { _ in }.body == body)
    #expect(origin.ranges == [nil])
  }

  @Test func aPartThatBreaksOffGoesOnAlone() async throws {
    let origin = RangeOrigin(body) { range, attempt in
      range.upperBound == 750 && attempt <= 2 ? .broken(after: 70) : .whole
    }
    #expect(try await split(origin).fetch(request) { _ in }.body == body)
    #expect(origin.ranges.filter { $0?.upperBound == 750 } == [500..<750, 570..<750, 640..<750])
    #expect(origin.ranges.count == 6)
  }

  @Test(arguments: [
    RangeOrigin.Ending.tag("\"2\""), .tag(nil), .tag("W/\"1\""),
    .status(200), .status(416), .shifted(by: 1), .shifted(by: -1),
    .encoded,
  ])
  fileprivate func onAnyDoubtTheWholeIsFetched(_ ending: RangeOrigin.Ending) async throws {
    let origin = RangeOrigin(body) { range, _ in range.upperBound == 1000 ? ending : .whole }
    #expect(try await split(origin).fetch(request) { _ in }.body == body)
    #expect(origin.ranges.count { $0 == nil } == 2)
  }

  @Test func aPartThatFailsForGoodFailsTheTransferAndLeavesWhatCanBeResumed() async throws {
    let origin = RangeOrigin(body) { range, _ in
      range.upperBound == 1000 ? .broken(after: 0) : .whole
    }
    let left = Guarded<TransportResponse?>(nil)
    var request = request
    request.onInterruption = { response in left.withLock { $0 = response } }
    await #expect(throws: TransportError.connectionLost(received: 0)) {
      try await split(origin).fetch(request) { _ in }
    }
    let arrived = try #require(left.withLock { $0 })
    #expect(arrived.body == Array(body[..<250]))
    #expect(arrived.header("etag") == "\"1\"")
  }

  /// Of two lengths libcurl heeds the last, and fields are read from the first.
  @Test(arguments: ["4611686018427387904", "9223372036854775807", "1048577"])
  func aLengthBeyondTheLimitIsNotBelieved(_ length: String) async throws {
    let origin = RangeOrigin(
      body,
      headers: ["ETag": "\"1\"", "Accept-Ranges": "bytes", "Content-Length": length]
    )
    var request = request
    request.maximumBodyBytes = 1 << 20
    #expect(try await split(origin).fetch(request) { _ in }.body == body)
    #expect(origin.ranges == [nil])
  }

  @Test func everySplitIsOfTheWholeAndOfNoByteTwice() throws {
    for total in 4...40 {
      for parts in 2...7 where parts <= total {
        let head = TransportResponse(
          status: 200,
          headers: [
            HeaderField("Accept-Ranges", "bytes"), HeaderField("ETag", "\"1\""),
            HeaderField("Content-Length", "\(total)"),
          ],
          body: [],
          url: ""
        )
        let options = ResumptionOptions(splitBytes: 1, parts: parts)
        let plan = try #require(SplitPlan(head, options, limit: total))
        #expect(plan.parts.flatMap { Array($0) } == Array(0..<total))
        #expect(plan.parts.count == parts)
      }
    }
  }
}
