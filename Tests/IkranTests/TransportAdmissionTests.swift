import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct TransportAdmissionTests {
  /// Makes a job whose caller is answered when the test ends.
  private func job(_ id: UInt64, _ host: String) async throws -> CurlJob {
    let url = "http://\(host)/\(id)"
    let address = try HTTPAddress(url)
    let made = Recorder<CurlJob>()
    Task {
      _ = await withCheckedContinuation { continuation in
        let request = TransportRequest(url: url)
        made.add(
          CurlJob(
            id: id,
            request: request,
            address: address,
            progress: { _ in },
            continuation: continuation
          )
        )
      }
    }
    while true {
      if let job = made.items.first { return job }
      await Task.yield()
    }
  }

  private func jobs(_ hosts: String...) async throws -> [CurlJob] {
    var jobs: [CurlJob] = []
    for (number, host) in hosts.enumerated() { jobs.append(try await job(UInt64(number), host)) }
    return jobs
  }

  private func endAll(_ jobs: [CurlJob]) {
    for job in jobs { job.end(.failure(.cancelled)) }
  }

  @Test func eachHostHasItsOwnLimitAndOrder() async throws {
    let jobs = try await jobs("a", "a", "a", "b")
    defer { endAll(jobs) }
    var admission = CurlAdmission(connectionsPerHost: 1, streamsPerHost: 10, total: 10)
    #expect(jobs.map { admission.enter($0)?.id } == [0, nil, nil, 3])
    #expect(admission.next() == nil)
    admission.leave("http://a", isMultiplexed: false)
    #expect(admission.next()?.id == 1)
    #expect(admission.next() == nil)
    admission.leave("http://a", isMultiplexed: false)
    #expect(admission.next()?.id == 2)
  }

  @Test func hostsTakeTurnsWhenTheTotalIsReached() async throws {
    let jobs = try await jobs("a", "a", "a", "b", "b")
    defer { endAll(jobs) }
    var admission = CurlAdmission(connectionsPerHost: 5, streamsPerHost: 5, total: 1)
    #expect(jobs.compactMap { admission.enter($0)?.id } == [0])
    var order: [UInt64] = []
    var last = "http://a"
    for _ in 0..<4 {
      admission.leave(last, isMultiplexed: false)
      let turn = admission.next()
      let next = try #require(turn)
      order.append(next.id)
      last = next.address.origin
    }
    #expect(order == [1, 3, 2, 4])
  }

  @Test func aHostThatSharesItsConnectionGetsMore() async throws {
    let jobs = try await jobs("a", "a", "a", "a")
    defer { endAll(jobs) }
    var admission = CurlAdmission(connectionsPerHost: 1, streamsPerHost: 2, total: 10)
    #expect(jobs.compactMap { admission.enter($0)?.id } == [0])
    admission.leave("http://a", isMultiplexed: true)
    #expect(admission.next()?.id == 1)
    #expect(admission.next()?.id == 2)
    #expect(admission.next() == nil)
  }

  @Test func withdrawnJobsLoseTheirTurn() async throws {
    let jobs = try await jobs("a", "a", "a")
    defer { endAll(jobs) }
    var admission = CurlAdmission(connectionsPerHost: 1, streamsPerHost: 1, total: 1)
    #expect(jobs.compactMap { admission.enter($0)?.id } == [0])
    #expect(admission.withdraw(0) == nil)
    #expect(admission.withdraw(1)?.id == 1)
    #expect(admission.withdraw(1) == nil)
    admission.leave("http://a", isMultiplexed: false)
    #expect(admission.next()?.id == 2)
    #expect(admission.next() == nil)
  }

  @Test func aHostWhoseWaitingJobsWereAllWithdrawnStartsAfresh() async throws {
    let jobs = try await jobs("a", "a", "a", "a")
    defer { endAll(jobs) }
    var admission = CurlAdmission(connectionsPerHost: 1, streamsPerHost: 1, total: 9)
    #expect(jobs[..<2].compactMap { admission.enter($0)?.id } == [0])
    _ = admission.withdraw(1)
    admission.leave("http://a", isMultiplexed: false)
    #expect(admission.next() == nil)
    #expect(admission.enter(jobs[2])?.id == 2)
    #expect(admission.enter(jobs[3]) == nil)
    admission.leave("http://a", isMultiplexed: false)
    #expect(admission.next()?.id == 3)
  }
}
