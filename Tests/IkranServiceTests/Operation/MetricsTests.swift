import IkranServer
import TestBasics
import Testing

@testable import IkranService

/// Counts for Prometheus, by imgproxy's names.
@Suite("Statistics", .timeLimit(.minutes(5)))
struct MetricsTests {
  private func span(_ name: String) -> String {
    "request_span_duration_seconds_count{span=\"\(name)\"}"
  }

  @Test func durationsAreCountedBelowEachBound() {
    let histogram = Histogram()
    let durations: [Duration] = [
      .milliseconds(1), .milliseconds(5), .milliseconds(6), .seconds(10), .seconds(11),
    ]
    for duration in durations { histogram.add(duration) }
    #expect(histogram.counts == [2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5])
    #expect(histogram.seconds == 21.012)
  }

  @Test func threadsCountAtOnce() async throws {
    let metrics = ServiceMetrics(namespace: nil, workers: 1)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1000 {
            metrics.begin()
            metrics.end(status: 200, after: .milliseconds(1))
          }
        }
      }
    }
    #expect(metrics.sentStatuses.map(\.count) == [8000] && metrics.inProgress == 0)
    #expect(metrics.durations.counts.last == 8000 && metrics.durations.seconds == 8)
  }

  @Test func aStatusThatIsNoneCountsAsNoResponse() {
    let metrics = ServiceMetrics(namespace: nil, workers: 1)
    for status in [-1, 600, 599] { metrics.end(status: status, after: .zero) }
    #expect(metrics.sentStatuses.map(\.status) == [0, 599])
    #expect(metrics.sentStatuses.map(\.count) == [2, 1])
  }

  @Test func eachPartOfARequestIsCounted() async throws {
    let settings = ["PROMETHEUS_BIND": ":0", "WORKERS": "3"]
    let test = try await TestService(settings)
    for _ in 0..<2 { #expect(try await test.get(test.path("/red.png", "w:9/")).status == 200) }
    #expect(try await test.get("/_/w:x/plain/a").status == 404)
    try await until { test.log.items.count == 3 }
    let counts = [
      span("queue"): 1, span("downloading_source_image"): 1, span("processing_image"): 1,
      span("streaming_image"): 3, span("looking_up_result"): 1, "requests_total": 3,
      "request_duration_seconds_count": 3, "request_duration_seconds_bucket{le=\"+Inf\"}": 3,
      "errors_total{type=\"path_parsing\"}": 1, "status_codes_total{status=\"200\"}": 2,
      "results_total{from=\"memory\"}": 1, "results_total{from=\"made\"}": 1, "workers": 3,
      "requests_in_progress": 0, "images_in_progress": 0,
    ]
    for (name, count) in counts { #expect(try await test.statistic(name) == count, "\(name)") }
  }

  @Test func openRequestsUseWorkers() async throws {
    let gate = BodyGate(10)
    let origin = try Origin { _ in Response(200, body: Sources.picture, gate: gate) }
    let test = try await TestService(["PROMETHEUS_BIND": ":0", "WORKERS": "4"], origin: origin)
    let client = try RawClient(test.service.port)
    client.send(test.path("/red.png"))
    try await until { origin.statistics.inFlight == 1 }
    let port = try #require(test.service.statisticsPort)
    let text = try await onThread { try RawClient(port).get("/metrics").text }
    #expect(text.contains("\nworkers_utilization 25.0\n"))
    #expect(text.contains("\nrequests_in_progress 1\n"))
    #expect(text.contains("# TYPE request_span_duration_seconds histogram\n"))
    gate.open(to: .max)
    #expect(try await onThread { try client.reply() }.status == 200)
  }
}
