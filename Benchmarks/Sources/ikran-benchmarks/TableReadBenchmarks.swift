import CPeers
import Glibc
import Ikran
import IkranStores

/// One of 10,000 styled pictures, at random: while everything is in memory, and when nothing is.
struct TableReadBenchmarks {
  private let stores: TableStores
  private let ticks = Ticks()
  /// Single calls in one sample of a percentile.
  private static let calls = 10_000

  /// Measures stores that are filled.
  init(_ stores: TableStores) { self.stores = stores }

  // MARK: - In memory

  /// A picture that can be drawn, then is released.
  func get(_ name: String, into report: inout Report) throws {
    try report.add(name, compare(reading: false), unit: "ns", scale: 1)
    try percentiles(name, into: &report)
    try threads("\(name).threads", into: &report)
  }

  /// Two threads at once, against one.
  private func threads(_ name: String, into report: inout Report) throws {
    let jobs = [1, 2].map {
      ThreadJob(stores.table, RandomOrder(of: TablePictures.count, seed: $0))
    }
    var gains: [Double] = []
    for round in 0..<33 {
      let alone = jobs[round % 2].run()
      let ran = jobs.withUnsafeBufferPointer { jobs in
        peers_in_parallel(
          2,
          { context, index in
            context?.assumingMemoryBound(to: ThreadJob.self)[Int(index)].keep()
          },
          UnsafeMutableRawPointer(mutating: jobs.baseAddress)
        )
      }
      let slower = jobs.map(\.time).max() ?? 0
      guard ran, alone > 0, slower > 0 else { throw StoreFailed(name: "the table") }
      if round >= 2 { gains.append(2 * alone / slower) }
    }
    let gain = Measurement(name: "Ikran", samples: gains).median
    report.add(name, value: gain, unit: "× one thread")
  }

  /// What one thread gets; used by one thread at a time.
  private final class ThreadJob {
    private let table: ImageTable
    private let order: RandomOrder
    private(set) var time = 0.0

    init(_ table: ImageTable, _ order: RandomOrder) {
      self.table = table
      self.order = order
    }

    /// The nanoseconds that it took; 0 when a picture is missing.
    func run() -> Double {
      let began = peers_nanoseconds()
      let isWhole = TableCalls.get(table, order.tableIDs, order.tableIDs.indices) != nil
      return isWhole ? Double(peers_nanoseconds() - began) : 0
    }

    func keep() { time = run() }
  }

  /// A picture of which every byte is read.
  func read(_ name: String, into report: inout Report) throws {
    try report.add(name, compare(reading: true), unit: "µs", scale: 1e-3)
  }

  private func compare(reading: Bool) throws -> [Measurement] {
    let table = stores.table
    var contenders = [TableCalls.contender("Ikran", table, stores.order(), reading: reading)]
    for peer in stores.peers {
      let order = stores.order(for: peer)
      if peer.kind == peers_lmdb {
        let name = "\(peer.name), txn each"
        contenders.append(
          TableCalls.contender(name, peer, order, reading: reading, sharing: false)
        )
      }
      contenders.append(TableCalls.contender(peer.name, peer, order, reading: reading))
    }
    return try Harness.measure(contenders)
  }

  /// The median and the 99th percentile of single calls, each timed by the processor's clock.
  private func percentiles(_ name: String, into report: inout Report) throws {
    var middles: [Double] = []
    var slowest: [Double] = []
    var order = stores.order()
    for _ in 0..<31 {
      var times: [Double] = []
      let ids = order.tableIDs
      try order.advance(Self.calls) { range in
        guard let counts = Self.time(stores.table, ids, range) else {
          throw StoreFailed(name: "the table")
        }
        times += counts.map(ticks.time)
      }
      let latencies = Latencies(times)
      middles.append(latencies[0.5])
      slowest.append(latencies[0.99])
    }
    report.note(
      "\(name).p50 and .p99: get and release of each call by the processor's clock, less the "
        + "\(Int((ticks.cost * ticks.nanoseconds).rounded())) ns that reading it takes"
    )
    report.add("\(name).p50", [Measurement(name: "Ikran", samples: middles)], unit: "ns", scale: 1)
    report.add("\(name).p99", [Measurement(name: "Ikran", samples: slowest)], unit: "ns", scale: 1)
  }

  @inline(never)
  private static func time(
    _ table: ImageTable,
    _ ids: [TableID],
    _ range: Range<Int>
  ) -> [UInt64]? {
    var times = [UInt64](repeating: 0, count: range.count)
    let ready = ids.span
    var pixels = 0
    for index in range {
      let began = peers_ticks()
      do {
        guard let image = table.get(ready[index]) else { return nil }
        pixels &+= image.width
      }
      times[index - range.lowerBound] = peers_ticks() - began
    }
    withUnsafePointer(to: pixels) { peers_consume($0) }
    return times
  }
}
