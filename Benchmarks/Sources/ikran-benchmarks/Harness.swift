import CPeers

/// One way of doing a job, timed in batches.
struct Contender {
  /// Ikran, or the peer's name and version.
  let name: String
  /// Does the job `count` times and returns the nanoseconds that took.
  let batch: (_ count: Int) throws -> Double

  /// A contender that is timed around calls of `job` in this process.
  init(_ name: String, job: @escaping () throws -> Void) {
    self.name = name
    batch = { count in try Harness.time(count, job) }
  }

  /// A contender that times itself, such as another process.
  init(_ name: String, batch: @escaping (_ count: Int) throws -> Double) {
    self.name = name
    self.batch = batch
  }
}

/// What one contender took for one job.
struct Measurement {
  /// The contender's name.
  let name: String
  /// The median of the samples, in nanoseconds a job.
  let median: Double
  /// The median distance of a sample from the median, in nanoseconds a job.
  let spread: Double

  /// The median of `samples` and how far the samples lie from it.
  init(name: String, samples: [Double]) {
    self.name = name
    let middle = Self.middle(samples)
    median = middle
    spread = Self.middle(samples.map { abs($0 - middle) })
  }

  private static func middle(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }
}

/// Times contenders against each other: one sample of each in turn, so that a busy moment of the
/// machine affects all of them.
enum Harness {
  /// Shorter batches are dominated by the resolution of the clock and the scheduler.
  private static let shortestBatch = 5e6

  /// Calls `job` `count` times and returns the nanoseconds that took.
  @inline(never)
  static func time(_ count: Int, _ job: () throws -> Void) rethrows -> Double {
    let began = peers_nanoseconds()
    for _ in 0..<count { try job() }
    return Double(peers_nanoseconds() - began)
  }

  /// Warms each contender up, then takes `samples` batches of each and reports medians.
  static func measure(_ contenders: [Contender], samples: Int = 31) throws -> [Measurement] {
    let counts = try contenders.map(batchSize)
    var times = [[Double]](repeating: [], count: contenders.count)
    for _ in 0..<samples {
      for (index, contender) in contenders.enumerated() {
        times[index].append(try contender.batch(counts[index]) / Double(counts[index]))
      }
    }
    return zip(contenders, times).map { Measurement(name: $0.name, samples: $1) }
  }

  /// Grows a batch until it is long enough, which warms caches and predictors on the way.
  ///
  /// The shortest of three counts: one alone may have been long because something else ran.
  private static func batchSize(_ contender: Contender) throws -> Int {
    _ = try contender.batch(1)
    var count = 1
    while true {
      var time = try contender.batch(count)
      if time >= shortestBatch {
        for _ in 0..<2 { time = min(time, try contender.batch(count)) }
      }
      if time >= shortestBatch || count >= 1 << 28 { return count }
      let needed = Double(count) * shortestBatch * 1.2 / max(time, 1)
      count = max(count + 1, min(Int(needed), count * 64))
    }
  }
}
