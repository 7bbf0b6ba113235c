import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// The bytes of one table at several moments, from which files after a power loss are composed.
struct TableHistory {
  typealias Name = TorturePicture.Name

  static let format = TableFormat.small("victim", maximumCount: 20)
  static let ids: Range<UInt64> = 0..<30
  /// Ids that fill several chunks of slots, and are put only for a while.
  static let manyIDs: Range<UInt64> = 1000..<1150

  /// The file's bytes at each moment, the oldest first.
  private(set) var moments: [[UInt8]] = []
  /// The last moment at which everything had been synchronized; nil when there was none.
  private(set) var synchronized: Int?
  /// The entries at that moment that no removal or eviction has ended since.
  private(set) var durable: [UInt64: UInt64] = [:]
  private let folder: TableFolder
  private var generator: SeededGenerator
  private var versions: UInt64 = 0
  /// Whether the table grows to several chunks of slots, gets other directories and becomes small again.
  private let grows: Bool

  /// Uses a table and records its bytes now and then.
  ///
  /// One history in two grows, see ``grows``.
  ///
  /// With `synchronizes` there is a call of `synchronize`, after which entries are replaced and
  /// added, but nothing is removed or evicted.
  init(seed: UInt64, moments count: Int, synchronizes: Bool = false) throws {
    folder = try TableFolder()
    generator = SeededGenerator(seed: seed)
    grows = Bool.random(using: &generator)
    for session in 0..<count where moments.count < count {
      let path = "\(folder.path)/\(session)"
      try Files.createDirectories(path)
      // Another inode: the table begins a session as it does after a power loss.
      if let last = moments.last { try Files.create(Self.file(path), last) }
      let isLast = synchronizes && moments.count >= count / 2
      try use(path, until: isLast ? count : min(count, moments.count + 3), synchronizes: isLast)
    }
  }

  static func file(_ folder: String) -> String { "\(folder)/\(format.fileName())" }

  private mutating func use(_ path: String, until end: Int, synchronizes: Bool) throws {
    do {
      var format = Self.format
      // With the usual limit afterwards, slots that it does not need are deallocated.
      if grows, Bool.random(using: &generator) { format.maximumCount = 180 }
      let table = try ImageTable(at: path, format: format)
      var held: [Bitmap] = []
      if synchronizes {
        for id in 0..<8 as Range<UInt64> { try put(id, table) }
        try table.synchronize()
        try record(path)
        synchronized = moments.count - 1
        for entry in try table.entries() { durable[entry.id.idNumber] = entry.version.low }
      }
      while moments.count < end - 1 {
        if grows, !synchronizes { try grow(table) }
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
          let id = UInt64.random(in: Self.ids, using: &generator)
          switch (synchronizes, Int.random(in: 0..<8, using: &generator)) {
          case (false, 0): try table.remove(TableID(id: id))
          case (_, 1), (_, 2): if let image = table.get(id) { held.append(image) }
          case (true, _):
            try put(durable.keys.sorted().randomElement(using: &generator) ?? id, table)
          default: try put(id, table)
          }
        }
        if held.count > 4 { held.removeFirst(held.count - 2) }
        try record(path, in: table)
      }
    }
    try record(path)
  }

  /// Gives the table many pictures, or another directory after its last chunk.
  private mutating func grow(_ table: ImageTable) throws {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      let first = UInt64.random(in: 1000...1020, using: &generator)
      for id in first..<first + 130 { try put(id, table) }
    case 1:
      let file = table.file
      let done: Void? = try file.change { (_) throws(TableError) in
        do throws(SystemError) { try file.makeDirectory(entries: 256) } catch {
          throw TableError(error)
        }
        file.rebuildDirectory()
      }
      #expect(done != nil)
    default: break
    }
  }

  private mutating func put(_ id: UInt64, _ table: ImageTable) throws {
    versions += 1
    try table.put(id, version: versions)
  }

  /// Records the file now, sometimes in the middle of a drawing.
  private mutating func record(_ path: String, in table: ImageTable) throws {
    guard Bool.random(using: &generator) else { return try record(path) }
    var bytes: [UInt8] = []
    _ = try? table.put(TableID(id: 3), version: TableID(version: 1 << 40)) { canvas in
      TorturePicture.draw(id: 4, version: 1, on: &canvas)
      bytes = try Files.read(Self.file(path))
      throw TableTorture.Interrupted()
    }
    moments.append(bytes)
  }

  private mutating func record(_ path: String) throws {
    moments.append(try Files.read(Self.file(path)))
  }

  // MARK: - Compositions

  /// Makes a file of pages that are from different moments, none before the last `synchronize`, in
  /// place of what `bytes` holds: fresh memory for each would take longer than all else.
  ///
  /// It is as long as at one of the moments; in one of four it ends earlier, at any page after what was
  /// synchronized.
  func compose(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    let candidates = moments[(synchronized ?? 0)...]
    // Two moments are the usual case, any number a rarer one.
    let first = candidates.randomElement(using: &generator) ?? []
    let second = candidates.randomElement(using: &generator) ?? []
    let mixesAll = Int.random(in: 0..<4, using: &generator) == 0
    bytes.removeAll(keepingCapacity: true)
    let least = max(4096, synchronized.map { moments[$0].count } ?? 0)
    var count = Bool.random(using: &generator) ? first.count : max(first.count, second.count)
    if Int.random(in: 0..<4, using: &generator) == 0 {
      count = Int.random(in: min(least, count) / 4096...count / 4096, using: &generator) * 4096
    }
    bytes.reserveCapacity(count)
    for start in stride(from: 0, to: count, by: 4096) {
      let isFirst = Bool.random(using: &generator)
      let source =
        mixesAll ? candidates.randomElement(using: &generator) ?? [] : isFirst ? first : second
      bytes += source.count > start ? source[start..<start + 4096] : Self.empty[...]
    }
  }

  private static let empty = [UInt8](repeating: 0, count: 4096)
}
