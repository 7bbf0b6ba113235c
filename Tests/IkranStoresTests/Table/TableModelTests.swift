import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

/// Random operations on a table and on a model, which must then have the same entries in the same
/// order.
@Suite(.timeLimit(.minutes(10))) struct TableModelTests {
  /// A table, its model, and the pictures that are held.
  private struct Pair {
    let folder: TableFolder
    let format = TableFormat(
      "model",
      size: PixelSize(width: 9, height: 3),
      pixels: .bgr,
      maximumCount: 24
    )
    var table: ImageTable
    var model = TableModel(maximumCount: 24)
    var held: [(picture: HeldPicture, life: Int)] = []
    /// A number for each time an entry is stored: a picture of an earlier one does not hold the
    /// entry.
    var lives: [UInt64: Int] = [:]
    var lifeCount = 0
    var counts = (hits: 0, misses: 0, evictions: 0)

    init() throws {
      folder = try TableFolder()
      table = try ImageTable(at: folder.path, format: format)
    }

    /// The ids whose entries are held.
    var heldIDs: Set<UInt64> {
      Set(held.filter { lives[$0.picture.name.id] == $0.life }.map(\.picture.name.id))
    }

    private mutating func beginLife(of id: UInt64) {
      lifeCount += 1
      lives[id] = lifeCount
    }

    mutating func apply(_ operation: TableOperation, number: UInt64) throws {
      switch operation {
      case .put(let id, let version):
        try table.put(id, version: version)
        counts.evictions += model.put(id, version: version, held: heldIDs).count
        beginLife(of: id)
      case .draw(let id, let version):
        try table.put(TableID(id: id), version: TableID(version: version)) { canvas in
          TorturePicture.draw(id: id, version: version, on: &canvas)
        }
        counts.evictions += model.put(id, version: version, held: heldIDs).count
        beginLife(of: id)
      case .failToDraw(let id):
        #expect(throws: TableTorture.Interrupted.self) {
          try table.put(TableID(id: id), version: TableID(version: 1)) { _ in
            throw TableTorture.Interrupted()
          }
        }
        counts.evictions += model.makeRoom(for: id, held: heldIDs).count
      case .get(let id): try get(id, holding: number % 8 == 0)
      case .getStale(let id):
        #expect(table.get(TableID(id: id), version: TableID("stale")) == nil)
        counts.misses += 1
      case .remove(let id):
        #expect(try table.remove(TableID(id: id)) == model.remove(id))
        beginLife(of: id)
      case .removeAll(let version):
        for entry in model.entries where entry.version == version { beginLife(of: entry.id) }
        let count = try table.removeAll(version: TableID(version: version))
        #expect(count == model.removeAll(version: version))
      case .verify:
        let report = try table.verify()
        #expect(report.checked == model.entries.count)
        #expect(report.dropped == 0)
        #expect(!report.directoryWasRebuilt)
      case .compact:
        try table.compact()
        for entry in model.entries { beginLife(of: entry.id) }
      case .reset:
        try table.reset()
        for entry in model.entries { beginLife(of: entry.id) }
        model.reset()
      case .reopen:
        table = try ImageTable(at: folder.path, format: format)
        counts = (0, 0, 0)
      }
    }

    private mutating func get(_ id: UInt64, holding: Bool) throws {
      let expected = model.use(id)
      #expect(table.contains(TableID(id: id)) == (expected != nil))
      #expect(table.version(id) == expected)
      if expected == nil { counts.misses += 1 } else { counts.hits += 1 }
      guard holding, expected != nil else { return }
      held.append((try HeldPicture(table, id), lives[id] ?? 0))
      counts.hits += 1
      if held.count > 6 { #expect(held.remove(at: Int(id) % 6).picture.isUnchanged) }
    }

    func compare() throws {
      let entries = try table.entries()
      #expect(entries.map { .init(id: $0.id.idNumber, version: $0.version.low) } == model.entries)
      #expect(Set(entries.filter(\.isHeld).map(\.id.idNumber)) == heldIDs)
      #expect(held.allSatisfy { $0.picture.isUnchanged })
      let statistics = table.statistics
      #expect(statistics.count == model.entries.count)
      #expect((statistics.hits, statistics.misses) == (counts.hits, counts.misses))
      #expect(statistics.evictions == counts.evictions)
    }
  }

  @Test func aHundredThousandOperationsAgreeWithAList() throws {
    let seed = UInt64.random(in: 0..<1 << 31)
    print("seed \(seed)")
    var operations = TableOperations(seed: seed, ids: 40)
    var pair = try Pair()
    let count = UInt64(Rounds.fewer(100_000))
    for number in 0..<count {
      let operation = operations.next()
      try pair.apply(operation, number: number)
      if number % 50 == 0 { try pair.compare() }
      try #require(!Task.isCancelled, "after \(number) operations")
    }
    try pair.compare()
    for entry in pair.model.entries { #expect(pair.table.version(entry.id) == entry.version) }
  }
}
