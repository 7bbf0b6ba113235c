import CPeers

/// The processor's own clock, for calls too short for the system's.
struct Ticks {
  /// How long one tick is.
  let nanoseconds: Double
  /// The difference of two consecutive readings.
  let cost: Double

  /// Compares it with the system's clock for some milliseconds.
  init() {
    let (began, beganTicks) = (peers_nanoseconds(), peers_ticks())
    while peers_nanoseconds() - began < 20_000_000 {}
    let (ended, endedTicks) = (peers_nanoseconds(), peers_ticks())
    nanoseconds = Double(ended - began) / Double(endedTicks - beganTicks)
    cost = Self.emptyReading()
  }

  /// The difference of two readings in nanoseconds, without the cost of the readings.
  func time(_ ticks: UInt64) -> Double { max(0, Double(ticks) - cost) * nanoseconds }

  @inline(never)
  private static func emptyReading() -> Double {
    let readings = (0..<10_001).map { _ in
      let began = peers_ticks()
      return peers_ticks() - began
    }
    return Double(readings.sorted()[readings.count / 2])
  }
}
