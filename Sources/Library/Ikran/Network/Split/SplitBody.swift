import IkranSystem
import IkranTransport

/// A body that is put together while its parts arrive, so that little is left to do after the last
/// byte.
struct SplitBody: Sendable {
  let plan: SplitPlan
  private var room: ByteRoom
  /// The ends of the bytes that are in their place, for each part.
  private var ends: [Int]
  /// How much of each part has arrived.
  private var counts: [Int]

  init(_ plan: SplitPlan) {
    self.plan = plan
    room = ByteRoom(count: plan.total)
    ends = plan.parts.map(\.lowerBound)
    counts = plan.parts.map { _ in 0 }
  }

  /// Counts so many bytes of a part as arrived, and returns the progress.
  mutating func arrived(_ count: Int, of part: Int) -> TransferProgress {
    counts[part] = min(count, plan.parts[part].count)
    return TransferProgress(received: counts.reduce(0, +), expected: plan.total)
  }

  /// Begins a part again at `start`.
  mutating func begin(_ part: Int, at start: Int) { ends[part] = start }

  /// Copies what is new of a part's bytes.
  ///
  /// - Parameters:
  ///   - bytes: All that arrived since the part began to come.
  ///   - part: Its number.
  ///   - start: Where it began to come.
  mutating func take(_ bytes: [UInt8], of part: Int, from start: Int) {
    let end = min(start + bytes.count, plan.parts[part].upperBound)
    let first = ends[part]
    guard start <= first, first < end else { return }
    room.fill(from: first, with: bytes, part: first - start..<end - start)
    ends[part] = end
  }

  /// The whole body; nil while a byte is missing.
  consuming func whole() -> [UInt8]? {
    zip(ends, plan.parts).allSatisfy { $0 == $1.upperBound } ? room.taken() : nil
  }
}
