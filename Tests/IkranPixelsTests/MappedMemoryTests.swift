import TestBasics
import Testing

@testable import IkranPixels

/// Pixels of 64 KB and more, whose memory goes from one picture to the next.
@Suite(.timeLimit(.minutes(10)))
struct MappedMemoryTests {
  /// Draws pictures of random sizes, all of which carry `mark`, and keeps the last few.
  ///
  /// - Returns: Whether another thread has written to one of them.
  private static func drawsAlone(_ mark: UInt8, seed: UInt64) throws -> Bool {
    var random = SeededGenerator(seed: seed)
    var kept: [Bitmap] = []
    for round in 0..<200 {
      let size = PixelSize(width: 256, height: Int.random(in: 40...2_400, using: &random))
      var canvas = try Canvas(size: size, format: .bgra, zeroed: false)
      canvas.withMutableBytes { bytes in
        for at in stride(from: 0, to: bytes.count, by: 1_024) { bytes[at] = mark }
      }
      kept.append(canvas.finish())
      if round % 50 == 49 { PixelMemory.releaseFreeMemory() }
      guard kept.count > 4 else { continue }
      let oldest = kept.remove(at: Int.random(in: 0..<kept.count, using: &random))
      let isFirst = oldest.withBytes { bytes in
        stride(from: 0, to: bytes.count, by: 1_024).allSatisfy { bytes[$0] == mark }
      }
      guard isFirst else { return false }
    }
    return true
  }

  @Test func noTwoPicturesShareABlockWhateverThreadsDrawThem() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for mark in UInt8(1)...4 {
        group.addTask { try Self.drawsAlone(mark, seed: seed &+ UInt64(mark)) }
      }
      for try await drewAlone in group { #expect(drewAlone, "seed \(seed)") }
    }
  }

  @Test(arguments: [1, 63, 65_535, 65_536, 65_537, 131_072, 8_388_607, 8_388_608, 20_000_000])
  func aBlockOfAnySizeIsAlignedAndWritableToItsEnd(_ count: Int) throws {
    for _ in 0..<3 {
      let memory = try PixelMemory(byteCount: count)
      #expect(Int(bitPattern: memory.start) % 64 == 0)
      for offset in [0, count / 2, count - 1] {
        memory.start.storeBytes(of: 7, toByteOffset: offset, as: UInt8.self)
      }
      #expect(memory.start.load(fromByteOffset: count - 1, as: UInt8.self) == 7)
    }
  }

  @Test func whatCannotBeMappedIsAnError() {
    for count in [Int.max - 1, Int.max / 2, 1 << 60] {
      #expect(throws: BitmapError.outOfMemory(bytes: count)) { try PixelMemory(byteCount: count) }
    }
  }
}
