import Ikran
import IkranStores
import IkranSystem

/// The stores of one cache in a folder: ``ikran serve`` has two of them, below its own.
struct CacheStores {
  /// Facts that are reported about each store in addition to its contents.
  struct Facts {
    var disk: [(key: String, value: JSON)] = []
    var partial: [(key: String, value: JSON)] = []
    var tables: [(key: String, value: JSON)] = []
  }

  /// What a check has found.
  struct Verification {
    var facts: Facts
    var dropped: Int
    var mended: Int
    var indexWasRebuilt: Bool
  }

  /// How many entries each store has.
  struct Entries {
    var disk: Int
    var partial: Int
    var tables: Int
  }

  /// Nil for that of the folder itself.
  let name: String?
  let disk: DiskCache
  private let partial: PartialBodies
  private let tables: [ImageTable]

  private init(name: String?, _ disk: DiskCache, tables: TableFolder? = nil) throws {
    (self.name, self.disk) = (name, disk)
    partial = PartialBodies(directory: disk.directory + "/partial")
    self.tables = try (tables ?? TableFolder(ofCache: disk.directory)).tables()
  }

  /// Those of a folder, or of a service's folder; none with `--no-cache`.
  static func all(in choice: CacheChoice) throws -> [CacheStores] {
    let folders = try choice.serviceFolders()
    var parts: [CacheStores] = []
    if try folders.isEmpty || choice.hasIndex() {
      guard let disk = try choice.openExisting() else { return [] }
      parts.append(try CacheStores(name: nil, disk))
    }
    for (name, path) in folders {
      let pixels = name == "results" ? TableFolder(path + "/../pixels") : nil
      guard let disk = try CacheChoice(directory: path).openExisting() else { continue }
      parts.append(try CacheStores(name: name, disk, tables: pixels))
    }
    return parts
  }
}

// MARK: - What is done with them

extension CacheStores {
  var entries: Entries {
    get throws {
      let images = tables.reduce(0) { $0 + $1.statistics.count }
      let files = (disk: try disk.statistics.count, partial: partial.statistics.count)
      return Entries(disk: files.disk, partial: files.partial, tables: images)
    }
  }

  /// How many entries are gone.
  func removed(since before: Entries) throws -> Facts {
    let after = try entries
    return Facts(
      disk: [("removed", .integer(before.disk - after.disk))],
      partial: [("removed", .integer(before.partial - after.partial))],
      tables: [("removed", .integer(before.tables - after.tables))]
    )
  }

  /// Trims all to a limit for them together: tables first, then partial bodies before files, as
  /// they only save a part of a download.
  ///
  /// - Parameters:
  ///   - parts: The stores.
  ///   - limit: In bytes.
  ///   - tableLimit: Of all tables, apart from `limit`; nil for a quarter of it, as a part of it.
  /// - Throws: ``DiskCacheError`` or ``TableError``.
  static func trim(_ parts: [CacheStores], to limit: Int, tables tableLimit: Int?) throws {
    let tables = parts.flatMap(\.tables)
    try TableFolder.trim(tables, toBytes: tableLimit ?? limit / 4)
    let tableBytes = tables.reduce(0) { $0 + $1.statistics.byteCount }
    var rest = tableLimit == nil ? max(0, limit - tableBytes) : limit
    // The smallest first: what it leaves of its share is for the others.
    let sizes = try parts.map { ($0, try $0.byteCount) }.sorted { $0.1 < $1.1 }
    for (number, (part, _)) in sizes.enumerated() {
      let share = rest / (sizes.count - number)
      part.partial.trim(toBytes: max(0, share - (try part.disk.statistics.byteCount)))
      try part.disk.trim(toBytes: share)
      rest -= min(rest, try part.byteCount)
    }
  }

  /// The bytes of files and partial bodies.
  private var byteCount: Int {
    get throws { try disk.statistics.byteCount + partial.statistics.byteCount }
  }

  func clear() throws {
    try disk.removeAll()
    partial.removeAll()
    _ = try Files.remove(disk.directory + "/freshness")
    for table in tables { try table.reset() }
  }

  func verify() throws -> Verification {
    let (found, bodies) = (try disk.verify(), partial.verify())
    let reports = try tables.map { try $0.verify() }
    let images = reports.reduce(0) { $0 + $1.dropped }
    let mended = reports.count(where: \.directoryWasRebuilt)
    let facts = Facts(
      disk: [
        ("checked", .integer(found.checked)),
        ("dropped", .integer(found.dropped)),
        ("orphansRemoved", .integer(found.orphansRemoved)),
        ("indexWasRebuilt", .bool(found.indexWasRebuilt)),
      ],
      partial: [
        ("checked", .integer(bodies.checked)), ("dropped", .integer(bodies.dropped)),
      ],
      tables: [
        ("checked", .integer(reports.reduce(0) { $0 + $1.checked })),
        ("dropped", .integer(images)),
        ("directoriesMended", .integer(mended)),
      ]
    )
    return Verification(
      facts: facts,
      dropped: found.dropped + bodies.dropped + images,
      mended: mended,
      indexWasRebuilt: found.indexWasRebuilt
    )
  }

  /// What each store holds, and other facts about it.
  func report(_ facts: Facts) throws -> [(key: String, value: JSON)] {
    let (files, bodies) = (try disk.statistics, partial.statistics)
    let images = tables.map(\.statistics)
    let held = Facts(
      disk: [
        ("directory", .string(disk.directory)), ("entries", .integer(files.count)),
        ("bytes", .integer(files.byteCount)),
      ],
      partial: [("entries", .integer(bodies.count)), ("bytes", .integer(bodies.byteCount))],
      tables: [
        ("files", .integer(images.count)),
        ("entries", .integer(images.reduce(0) { $0 + $1.count })),
        ("bytes", .integer(images.reduce(0) { $0 + $1.byteCount })),
        ("fileBytes", .integer(images.reduce(0) { $0 + $1.fileByteCount })),
      ]
    )
    let pairs: [(key: String, value: JSON)] = [
      ("partial", .object(held.partial + facts.partial)),
      ("tables", .object(held.tables + facts.tables)),
    ]
    return held.disk + facts.disk + pairs
  }
}
