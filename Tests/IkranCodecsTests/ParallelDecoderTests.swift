import IkranPixels
import IkranSystem
import TestBasics
import Testing

@testable import IkranCodecs

/// Compares large pictures that two threads decode with what one thread makes of them.
@Suite(.timeLimit(.minutes(10)))
struct ParallelDecoderTests {
  /// Each is decoded by two threads: see ``everySampleIsDecodedByTwoThreads(_:)``.
  private static let samples = samplings.map { sampling in
    JPEGSample(width: 701, height: 597, sampling: sampling, quality: 97, isNoise: true)
  }

  private static let samplings =
    Rounds.areAll ? JPEGSample.Sampling.allCases : [.gray, .full, .quarter]

  /// A file of its own for each sample, as making one takes longer than decoding it.
  private static let files = samples.map { $0.bytes() }

  /// Counts how often threads prepared parts.
  private final class CountedThreads: IdleThreads {
    let threads: any IdleThreads
    let count = Guarded(0)

    init(_ threads: any IdleThreads) { self.threads = threads }

    var isAnyIdle: Bool { threads.isAnyIdle }

    func begin(
      _ count: Int,
      ahead: Int,
      _ prepare: @escaping @Sendable (Int) -> Void
    ) -> (any PartsAhead)? {
      let parts = threads.begin(count, ahead: ahead, prepare)
      if parts != nil { self.count.withLock { $0 += 1 } }
      return parts
    }
  }

  private let pool = WorkerPool<Void>(name: "parts", threads: 1) { _ in }

  private func expectSame(_ bytes: [UInt8], eighths: Int = 1, _ comment: Comment) throws {
    let workspace = Workspace(idleThreads: pool.idleThreads)
    let parallel = try BothDecoders.ours(bytes, eighths: eighths, workspace)
    guard let alone = try BothDecoders.ours(bytes, eighths: eighths, isSpeculative: false) else {
      #expect(parallel == nil, comment)
      return
    }
    #expect(BothDecoders.areSame(try #require(parallel, comment), alone), comment)
  }

  /// Without this, the other tests could compare one thread with itself.
  @Test(arguments: files.indices, [1, 2])
  func everySampleIsDecodedByTwoThreads(_ index: Int, _ eighths: Int) throws {
    // At a quarter, halved chroma needs whole blocks.
    guard eighths == 1 || [.gray, .full].contains(Self.samples[index].sampling) else { return }
    let threads = CountedThreads(pool.idleThreads)
    let workspace = Workspace(idleThreads: threads)
    _ = try #require(try BothDecoders.ours(Self.files[index], eighths: eighths, workspace))
    #expect(threads.count.withLock { $0 } == 1)
  }

  @Test(arguments: files.indices, [1, 2])
  func twoThreadsMakeTheSamePixels(_ index: Int, _ eighths: Int) throws {
    try expectSame(Self.files[index], eighths: eighths, "\(Self.samples[index])")
  }

  @Test(arguments: files.indices, [UInt64(20_261_124)])
  func flippedBitsGiveTheSame(_ index: Int, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<Rounds.fewer(40, atLeast: 2) {
      var bytes = Self.files[index]
      for _ in 0...(round % 3) {
        let position = Int.random(in: 700..<bytes.count, using: &random)
        bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      try expectSame(bytes, "\(Self.samples[index]), seed \(seed), round \(round)")
    }
  }

  @Test(arguments: files.indices)
  func prefixesGiveTheSame(_ index: Int) throws {
    let bytes = Self.files[index]
    let step = (bytes.count - WindowsAhead.minimumBytes) / Rounds.fewer(40, atLeast: 3)
    for count in stride(from: WindowsAhead.minimumBytes + 700, to: bytes.count, by: step) {
      try expectSame(Array(bytes[..<count]), "\(count) of \(bytes.count) bytes")
    }
  }

  @Test func missingBytesAreDetected() throws {
    var random = SeededGenerator(seed: 7)
    for round in 0..<Rounds.fewer(40, atLeast: 2) {
      var short = Self.files[1]
      let start = Int.random(in: 700..<short.count - 100, using: &random)
      short.removeSubrange(start..<start + 1 + round)
      try expectSame(short, "round \(round)")
    }
  }

  /// Windows are divided by bytes of the file, also where these are a 255 and its zero.
  @Test(arguments: [800, 801])
  func bitsOfNoCodewordAreDetected(_ start: Int) throws {
    let bytes = Self.files[0]
    let ones = (0..<200_000).flatMap { _ in [0xFF, 0x00] as [UInt8] }
    try expectSame(Array(bytes[..<start]) + ones + Array(bytes[start...]), "from \(start)")
  }

  @Test func aSecondPictureAfterTheFirstIsIgnored() throws {
    try expectSame(Self.files[2] + Self.files[0], "\(Self.samples[2])")
  }

  @Test func filesWithRestartMarkersAreDecodedByOneThread() throws {
    var sample = Self.samples[2]
    sample.restarts = 100
    let threads = CountedThreads(pool.idleThreads)
    let bytes = sample.bytes()
    _ = try BothDecoders.ours(bytes, eighths: 1, Workspace(idleThreads: threads))
    #expect(threads.count.withLock { $0 } == 0)
    try expectSame(bytes, "\(sample)")
  }

  @Test func aBusyPoolChangesNothing() throws {
    let (isBusy, mayEnd) = (ThreadLatch(), ThreadLatch())
    pool.submit(id: pool.nextID(), priority: { 0 }) {
      isBusy.open()
      mayEnd.wait()
    } dropped: {
    }
    isBusy.wait()
    let threads = CountedThreads(pool.idleThreads)
    let ours = try BothDecoders.ours(Self.files[1], eighths: 1, Workspace(idleThreads: threads))
    mayEnd.open()
    #expect(threads.count.withLock { $0 } == 0)
    let alone = try BothDecoders.ours(Self.files[1], eighths: 1)
    #expect(BothDecoders.areSame(try #require(ours), try #require(alone)))
  }

  @Test(
    .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
    arguments: Rounds.fewer(of: Corpus.files(format: "jpeg"))
  )
  func filesOfTheCorpusAreTheSame(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    guard bytes.count > WindowsAhead.minimumBytes, (try? JPEGHeader(bytes.span)) != nil else {
      return
    }
    try expectSame(bytes, "\(file)")
  }
}
