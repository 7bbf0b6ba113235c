import IkranPixels
import IkranStores
import StoreTorture
import Support
import Synchronization
import Testing

/// Many threads that use one table; also run under ThreadSanitizer.
@Suite(.timeLimit(.minutes(10))) struct TableThreadTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  /// Random operations of one thread; every picture is checked, some are held for a while.
  private static func use(
    _ table: ImageTable,
    seed: UInt64,
    count: Int,
    emptying: Bool
  ) throws -> Int {
    var operations = TableOperations(seed: seed, ids: 40)
    var held: [HeldPicture] = []
    var hits = 0
    for _ in 0..<count {
      switch operations.next() {
      case .put(let id, let version): try table.put(id, version: version)
      case .draw(let id, let version):
        try table.put(TableID(id: id), version: TableID(version: version)) { canvas in
          TorturePicture.draw(id: id, version: version, on: &canvas)
        }
      case .failToDraw(let id):
        #expect(throws: TableTorture.Interrupted.self) {
          try table.put(TableID(id: id), version: TableID(version: 1)) { canvas in
            TorturePicture.draw(id: id + 1, version: 1, on: &canvas)
            throw TableTorture.Interrupted()
          }
        }
      case .get(let id):
        guard let image = table.get(id) else { continue }
        hits += 1
        let name = TorturePicture.read(image)
        #expect(name?.id == id)
        if hits % 4 == 0, let name { held.append(HeldPicture(name: name, image: image)) }
      case .getStale(let id):
        #expect(table.get(TableID(id: id), version: TableID("stale")) == nil)
      case .remove(let id): try table.remove(TableID(id: id))
      case .removeAll(let version): try table.removeAll(version: TableID(version: version))
      case .verify: #expect(try table.verify().dropped == 0)
      case .compact: if emptying { try table.compact() }
      case .reset: if emptying { try table.reset() }
      case .reopen:
        _ = try table.entries()
        _ = table.statistics
        table.prefetch((0..<40).map { TableID(id: $0) })
      }
      if held.count > 8 { #expect(held.remove(at: hits % 8).isUnchanged) }
    }
    #expect(held.allSatisfy { $0.isUnchanged })
    return hits
  }

  /// One table for all threads, or an instance each; with resets and compactions, or without.
  @Test(arguments: [false, true], [false, true])
  func eightThreadsNeverGetAWrongPicture(sharing: Bool, emptying: Bool) throws {
    let seed = UInt64.random(in: 0..<1 << 30)
    print("seed \(seed)")
    let tables = try (0..<8).map { _ in try folder.table(maximumCount: 24) }
    let hits = Atomic(0)
    let count = Rounds.areFew ? 600 : 3000
    onThreads(8) { number in
      let table = tables[sharing ? 0 : number]
      do {
        let own = try Self.use(table, seed: seed + UInt64(number), count: count, emptying: emptying)
        hits.wrappingAdd(own, ordering: .relaxed)
      } catch {
        Issue.record("thread \(number): \(error)")
      }
    }
    #expect(hits.load(ordering: .relaxed) > 100)
    let table = tables[0]
    #expect(try table.isClean())
    #expect(try table.entries().allSatisfy { !$0.isHeld })
    for id in 100..<125 as Range<UInt64> { try table.put(id) }
    #expect(try table.ids == (101..<125).reversed())
    #expect(table.statistics.held == 0)
    #expect(table.statistics.byteCount == 24 * table.slotByteCount)
  }

  /// One id: every picture is replaced while others take it.
  ///
  /// A look-up that meets a writer whose thread is kept
  /// from the processor for longer than it waits finds nothing; what it finds is right.
  @Test func oneEntryReplacedAllTheTimeIsNeverAnotherOne() throws {
    let table = try folder.table(maximumCount: 4)
    try table.put(1, version: 0)
    let count: UInt64 = Rounds.areFew ? 500 : 4000
    let found = Atomic(0)
    let missed = Atomic(0)
    onThreads(8) { number in
      for round in 1...count {
        do {
          if number < 2 {
            try table.put(1, version: UInt64(number) << 32 | round)
          } else if let image = table.get(1) {
            found.wrappingAdd(1, ordering: .relaxed)
            #expect(TorturePicture.read(image)?.id == 1)
          } else {
            missed.wrappingAdd(1, ordering: .relaxed)
          }
        } catch {
          Issue.record("thread \(number): \(error)")
        }
      }
    }
    #expect(found.load(ordering: .relaxed) > missed.load(ordering: .relaxed))
    #expect(table.contains(TableID(id: 1)))
    #expect(try table.entries().count == 1)
    #expect(table.statistics.misses == missed.load(ordering: .relaxed))
    #expect(try table.isClean())
  }

  /// A held picture is retrieved and released by many threads at once.
  @Test func manyThreadsHoldOnePicture() throws {
    let table = try folder.table(maximumCount: 1)
    try table.put(1)
    let count = Rounds.areFew ? 1000 : 20_000
    let wrong = Atomic(0)
    onThreads(8) { _ in
      for round in 0..<count {
        guard let image = table.get(1) else {
          wrong.wrappingAdd(1, ordering: .relaxed)
          continue
        }
        if round % 64 == 0, TorturePicture.read(image)?.id != 1 {
          wrong.wrappingAdd(1, ordering: .relaxed)
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(table.statistics.hits == 8 * count)
    #expect(try table.entries().allSatisfy { !$0.isHeld })
    try table.put(2)
    #expect(try table.ids == [2])
  }

  // MARK: - Waiting

  /// Starts a drawing that stops half-way, runs `body`, then lets it end.
  ///
  /// If `body` waited for the drawing, the gate would not open in time and the test would fail.
  private func duringADrawing(of table: ImageTable, _ body: () throws -> Void) throws {
    let (begun, door, ended) = (ThreadLatch(), ThreadLatch(), ThreadLatch())
    BackgroundThread.start(name: "draw") {
      do {
        try table.put(TableID(id: 1), version: TableID(version: 2)) { canvas in
          TorturePicture.draw(id: 2, version: 2, on: &canvas)
          begun.open()
          let isOpened = door.wait(seconds: 120)
          #expect(isOpened, "somebody waited for the drawing")
          TorturePicture.draw(id: 1, version: 2, on: &canvas)
        }
      } catch {
        Issue.record("\(error)")
      }
      ended.open()
    }
    begun.wait()
    defer { ended.wait() }
    defer { door.open() }
    try body()
  }

  @Test func otherCallsDoNotWaitForADrawing() throws {
    let table = try folder.table(maximumCount: 20)
    let other = try folder.table(maximumCount: 20)
    for id in 1...10 as ClosedRange<UInt64> { try table.put(id) }
    try duringADrawing(of: table) {
      for table in [table, other] {
        for id in 1...10 as ClosedRange<UInt64> { #expect(table.version(id) == 1) }
        try table.put(30)
        try table.put(TableID(id: 31), version: TableID(version: 1)) { canvas in
          TorturePicture.draw(id: 31, version: 1, on: &canvas)
        }
        #expect(table.version(30) == 1)
        #expect(table.version(31) == 1)
        #expect(try table.remove(TableID(id: 30)))
        #expect(try table.removeAll(version: TableID("none")) == 0)
        #expect(try table.entries().count == 11)
        #expect(try table.verify().dropped == 0)
        #expect(table.statistics.count == 11)
        try table.synchronize()
        table.prefetch([TableID(id: 1)])
      }
    }
    #expect(table.version(1) == 2)
    #expect(try table.isClean())
  }

  @Test func aPutDuringADrawingOfTheSameEntryIsVisibleUntilTheDrawingEnds() throws {
    let table = try folder.table()
    try duringADrawing(of: table) {
      #expect(table.get(1) == nil)
      try table.put(1, version: 1)
      #expect(table.version(1) == 1)
    }
    #expect(table.version(1) == 2)
    #expect(try table.entries().count == 1)
  }

  @Test func aTableMayBeEmptiedDuringADrawing() throws {
    let table = try folder.table()
    for id in 1...10 as ClosedRange<UInt64> { try table.put(id) }
    try duringADrawing(of: table) {
      try table.compact()
      #expect(try table.entries().count == 10)
      try table.reset()
      #expect(try table.entries() == [])
    }
    #expect([nil, 2].contains(table.version(1)))
    #expect(table.version(2) == nil)
    #expect(try table.isClean())
  }

  @Test func aBitmapTakenFromADrawingMayBeReadAfterIt() throws {
    let table = try folder.table(maximumCount: 2)
    try duringADrawing(of: table) {
      for id in 10..<200 as Range<UInt64> {
        try table.put(id)
        #expect(table.version(id) == 1)
      }
    }
    #expect(table.version(1) == 2)
    for id in 300..<310 as Range<UInt64> { try table.put(id) }
    #expect(try table.ids == [309, 308])
    #expect(table.statistics.byteCount == 2 * table.slotByteCount)
  }

  @Test func callersOfSynchronizeShareTheWork() throws {
    let table = try folder.table()
    onThreads(8) { number in
      for round in 0..<20 as Range<UInt64> {
        do {
          try table.put(UInt64(number) * 100 + round)
          try table.synchronize()
        } catch {
          Issue.record("\(error)")
        }
      }
    }
    #expect(try folder.table(maximumCount: 200).isClean())
  }
}
