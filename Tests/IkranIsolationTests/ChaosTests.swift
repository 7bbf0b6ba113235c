import Glibc
import IkranCodecs
import IkranPixels
import IkranSystem
import TestBasics
import Testing

@testable import IkranIsolation

/// Decoders that are killed all the time, in a process of its own: nothing else opens or starts
/// anything in it.
@Suite(.timeLimit(.minutes(10))) struct ChaosTests {
  /// One file in many versions, of which each has the same pixels.
  private struct Picture: Sendable {
    let name: String
    let file: [UInt8]
    let bitmap: Bitmap

    init?(_ name: String) throws {
      let file = try Fixtures.bytes(name)
      // A build may do without its format.
      guard let bitmap = try? CodecList.standard.decode(file.span).bitmap else { return nil }
      (self.name, self.file, self.bitmap) = (name, file, bitmap)
    }

    /// The file with a number after its end: none is refused for what the killer does.
    func version(_ number: Int) -> [UInt8] {
      let digits = Array("\(1_000_000 + number)".utf8)
      if name.hasSuffix("svg") { return file + Array("<!--".utf8) + digits + Array("-->".utf8) }
      let isBoxes = name.hasSuffix("avif") || name.hasSuffix("heic")
      // A box that readers skip.
      return file + (isBoxes ? [0, 0, 0, 15] + Array("free".utf8) : []) + digits
    }
  }

  private struct Outcome: Sendable {
    var images = 0
    var errors = 0
    /// What was neither.
    var others: [String] = []
  }

  private static let names = [
    "areas-420.avif", "areas-420.heic", "areas-lossy.jxl", "areas.svg", "areas-lzw.tif",
  ]

  @Test func decodersThatAreKilledAllTheTimeCostErrorsAndLeakNothing() async {
    await #expect(processExitsWith: .success) {
      let pictures = try Self.names.compactMap { try Picture($0) }
      try #require(!pictures.isEmpty)
      let decoders = Decoders()
      try Self.expectThatVersionsAreAlike(pictures, decoders)
      decoders.pool.endIdle()
      let before = try HeldResources()
      let count = Rounds.fewer(250, atLeast: 25, concurrent: true)
      let (sum, kills) = await Self.load(pictures, decoders, count: count) { kill($0, SIGKILL) }
      decoders.pool.endIdle()
      #expect(sum.images + sum.errors == 4 * count, "\(sum)")
      #expect(sum.others.isEmpty)
      #expect(sum.images > 0)
      #expect(kills > 0)
      #expect(decoders.pool.workingCount == 0)
      let after = try HeldResources()
      #expect(after == before, "\(after) after \(kills) kills, \(before) before")
      print("\(4 * count) requests, \(kills) kills: \(sum.images) images, \(sum.errors) errors")
    }
  }

  /// A decoder that hangs is ended after a second.
  @Test func decodersThatHangCostErrorsAndLeakNothing() async {
    await #expect(processExitsWith: .success) {
      let pictures = try Self.names.compactMap { try Picture($0) }
      let decoders = Decoders(seconds: 1)
      let before = try HeldResources()
      let (sum, kills) = await Self.load(pictures, decoders, count: 15) { kill($0, SIGSTOP) }
      // Those that hang without work are ended, too.
      decoders.pool.endIdle()
      #expect(sum.images + sum.errors == 60, "\(sum)")
      #expect(sum.others.isEmpty)
      #expect(sum.errors > 0)
      let after = try HeldResources()
      #expect(after == before, "\(after) after \(kills) stops, \(before) before")
    }
  }

  private static func expectThatVersionsAreAlike(
    _ pictures: [Picture],
    _ decoders: Decoders
  ) throws {
    for picture in pictures {
      let file = picture.version(0)
      let bitmap = try decoders.codecs.decode(file.span).bitmap
      #expect(bitmap.hasSamePixels(as: picture.bitmap), "\(picture.name)")
    }
  }

  /// Has four threads ask for so many pictures each, while a decoder gets a signal every 20 ms.
  private static func load(
    _ pictures: [Picture],
    _ decoders: Decoders,
    count: Int,
    signal: @escaping @Sendable (pid_t) -> Int32
  ) async -> (sum: Outcome, kills: Int) {
    let (isDone, kills) = (Guarded(false), Guarded(0))
    async let killing: Void = onThread {
      while !isDone.withLock({ $0 }) {
        let victim = ((try? OwnProcesses.programs()) ?? []).randomElement()
        if let victim, signal(victim) == 0 { kills.withLock { $0 += 1 } }
        BackgroundThread.sleep(nanoseconds: 20_000_000)
      }
    }
    let sum = await withTaskGroup(of: Outcome.self) { group in
      for worker in 0..<4 {
        group.addTask {
          await onThread {
            (0..<count).reduce(into: Outcome()) { outcome, round in
              let picture = pictures[(worker + round) % pictures.count]
              ask(for: picture, worker * count + round + 1, decoders, &outcome)
            }
          }
        }
      }
      return await group.reduce(into: Outcome()) { sum, one in
        sum.images += one.images
        sum.errors += one.errors
        sum.others += one.others
      }
    }
    isDone.withLock { $0 = true }
    await killing
    return (sum, kills.withLock { $0 })
  }

  private static func ask(
    for picture: Picture,
    _ number: Int,
    _ decoders: Decoders,
    _ outcome: inout Outcome
  ) {
    let file = picture.version(number)
    let result = Result { () throws(DecodeError) in try decoders.codecs.decode(file.span).bitmap }
    switch result {
    case .success(let bitmap) where bitmap.hasSamePixels(as: picture.bitmap): outcome.images += 1
    case .failure(.isolated(_, .crashed(reason: "signal 9"))): outcome.errors += 1
    case .failure(.isolated(_, .tookTooLong)): outcome.errors += 1
    // Killed each time before it had started, as happens where that takes long.
    case .failure(.isolated(_, .notStarted(reason: "signal 9"))): outcome.errors += 1
    default: outcome.others.append("\(picture.name): \(result)")
    }
  }
}
