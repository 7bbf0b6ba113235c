import IkranHTTP
import IkranServer
import IkranTransport
import TestBasics
import Testing

@testable import IkranService

/// Traces that clients begin, on their way through the service to sources.
@Suite("Traces", .timeLimit(.minutes(5)))
struct TraceTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let parent = "00-\(trace)-b7ad6b7169203331-01"

  /// An origin that keeps the fields it gets.
  private func origin(_ seen: Recorder<[Field]>, gate: BodyGate? = nil) throws -> Origin {
    try Origin { head in
      seen.add(head.headers)
      let fields = [Field("Cache-Control", "max-age=60")]
      return Response(200, headers: fields, body: Sources.picture, gate: gate)
    }
  }

  private func value(_ name: String, _ fields: [Field]?) -> String? {
    fields?.first { $0.name.lowercased() == name }?.value
  }

  @Test(arguments: [
    "", "00", "0AF7651916CD43DD8448EB211C80319C", "ff-\(trace)-b7ad6b7169203331-01",
    "00-\(trace)-b7ad6b7169203331-0", "00-\(trace)-b7ad6b7169203331-01-", "00-\(trace)-01",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-\(trace)-0000000000000000-01", "00-\(trace)-b7ad6b7169203331-0g",
    "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
    "00-\(trace)+b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319-b7ad6b71692033310-01",
  ])
  func aWrongParentIsIgnored(parent: String) async throws {
    #expect(TraceContext([Field("traceparent", parent)]) == nil)
    let seen = Recorder<[Field]>()
    let test = try await TestService(origin: origin(seen))
    let reply = try await test.get(test.path("/red.png"), ["traceparent": parent])
    #expect(reply.status == 200)
    #expect(value("traceparent", seen.items.first) == nil)
    try await until { test.log.items.count == 1 }
    #expect(test.log.items.first?.trace == nil)
  }

  @Test func aParentThatIsThereTwiceIsIgnored() {
    let field = Field("traceparent", Self.parent)
    #expect(TraceContext([field]) != nil && TraceContext([field, field]) == nil)
  }

  @Test func aLaterVersionIsReadAsThisOne() {
    let trace = TraceContext([Field("TraceParent", "cc" + Self.parent.dropFirst(2))])
    #expect(trace?.traceID == Self.trace && trace?.flags == "01")
    #expect(trace?.fields(withState: true).first?.value.hasPrefix("00-\(Self.trace)-") == true)
  }

  @Test(arguments: [
    (["a=1"], "a=1"), (["a=1, b@c=2", "d=3"], "a=1, b@c=2,d=3"), ([], nil), ([""], nil),
    (["a"], nil), (["=1"], nil), (["a=\u{7F}"], nil), (["a=é"], nil),
    (["a=" + String(repeating: "b", count: 511)], nil),
    ([String(repeating: "a=1,", count: 33)], nil),
  ])
  func aStateIsPassedOnWhereItIsRight(values: [String], state: String?) {
    let fields = [Field("traceparent", Self.parent)] + values.map { Field("tracestate", $0) }
    #expect(TraceContext(fields)?.state == state)
  }

  @Test(arguments: ["", "raw:1/"])
  func aTraceGoesOnToTheSourceAndIntoTheLog(options: String) async throws {
    let seen = Recorder<[Field]>()
    let test = try await TestService(origin: origin(seen))
    let fields = ["traceparent": Self.parent, "tracestate": "a=1"]
    #expect(try await test.get(test.path("/red.png", options), fields).status == 200)
    let parts = try #require(value("traceparent", seen.items.first)).split(separator: "-")
    #expect(parts.count == 4 && parts[0] == "00" && parts[1] == Self.trace && parts[3] == "01")
    #expect(parts[2].utf8.count == 16 && parts[2] != "b7ad6b7169203331")
    #expect(value("tracestate", seen.items.first) == nil)
    try await until { test.log.items.count == 1 }
    #expect(test.log.items.first?.trace == Self.trace)
  }

  @Test func whatOthersHaveAddedGoesOnIfASettingSaysSo() async throws {
    let seen = Recorder<[Field]>()
    let settings = ["OPEN_TELEMETRY_PROPAGATE_EXTERNAL": "1"]
    let test = try await TestService(settings, origin: origin(seen))
    let fields = ["traceparent": Self.parent, "tracestate": "a=1"]
    #expect(try await test.get(test.path("/red.png"), fields).status == 200)
    #expect(value("tracestate", seen.items.first) == "a=1")
  }

  @Test func aDownloadForSeveralHasTheTraceOfTheFirst() async throws {
    let (seen, gate) = (Recorder<[Field]>(), BodyGate(10))
    let test = try await TestService(origin: origin(seen, gate: gate))
    let second = "00-11111111111111111111111111111111-b7ad6b7169203331-01"
    let clients = try (0..<2).map { _ in try RawClient(test.service.port) }
    for (client, (width, parent)) in zip(clients, [(8, Self.parent), (9, second)]) {
      client.send(test.path("/red.png", "w:\(width)/"), headers: ["traceparent": parent])
      try await until { seen.items.count == 1 }
    }
    try await until { test.service.responses.metrics.inProgress == 2 }
    gate.open(to: .max)
    for client in clients { #expect(try await onThread { try client.reply() }.status == 200) }
    #expect(seen.items.count == 1)
    #expect(value("traceparent", seen.items.first)?.contains(Self.trace) == true)
    try await until { test.log.items.count == 2 }
    let traces = Set(test.log.items.map(\.trace))
    #expect(traces == [Self.trace, "11111111111111111111111111111111"])
  }

  @Test func withoutATraceNoneIsSentUnlessASettingBeginsOne() async throws {
    for begins in ["0", "1"] {
      let seen = Recorder<[Field]>()
      let settings = ["OPEN_TELEMETRY_PROPAGATE_EXTERNAL": begins]
      let test = try await TestService(settings, origin: origin(seen))
      #expect(try await test.get(test.path("/red.png")).status == 200)
      try await until { test.log.items.count == 1 }
      let trace = test.log.items.first?.trace
      let sent = value("traceparent", seen.items.first)
      #expect((trace != nil) == (begins == "1") && (sent != nil) == (begins == "1"))
      let parts = sent?.split(separator: "-") ?? []
      #expect(sent == nil || String(parts[1]) == trace && sent?.utf8.count == 55)
    }
  }

  @Test func credentialsOfAClientGoToNoSource() async throws {
    let seen = Recorder<[Field]>()
    let test = try await TestService(["SECRET": "hush"], origin: origin(seen))
    let fields = [
      "traceparent": Self.parent, "Authorization": "Bearer hush", "Cookie": "a=hush",
      "baggage": "user=hush", "X-Request-ID": "hush",
    ]
    #expect(try await test.get(test.path("/red.png"), fields).status == 200)
    let sent = try #require(seen.items.first)
    #expect(value("traceparent", sent) != nil && !sent.contains { $0.value.contains("hush") })
  }
}
