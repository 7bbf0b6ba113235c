import Ikran
import IkranStores
import IkranTrace

/// `ikran cache`: reports on the disk cache and the image tables, and simulates the memory cache.
struct CacheCommand: Command {
  enum Action: String, Sendable, CaseIterable {
    case stat, verify, trim, clear, remove, record, simulate
  }

  var action = Action.stat
  var trace: String?
  var command: [String] = []
  var policies: [EvictionPolicy] = []
  var sizes: [Int] = []
  var cache = CacheChoice()
  var limit = DiskCacheOptions().byteLimit
  /// Nil for a quarter of ``limit``, and a part of it.
  var tableLimit: Int?
  var isJSON = false

  static let syntax = Syntax<Self>(
    name: "cache",
    summary: "Reports on the cache, checks, trims or empties it; simulates others.",
    operand: Operand("stat|verify|trim|clear|remove|record|simulate", \.action, .choice),
    moreOperands: [.optional("NAME", \.trace, .text)],
    rest: Rest(name: "COMMAND", path: \.command, isCommandLine: true),
    options: Option.cache(\.cache, isOptional: false) + [
      .one(
        "limit",
        \.limit,
        "BYTES",
        .integer(0...Int.max),
        "for trim, of the whole folder\n(default: 1073741824)"
      ),
      .one(
        "table-limit",
        \.tableLimit,
        "BYTES",
        .integer(0...Int.max),
        "for trim, of all image tables, apart from --limit\n"
          + "(default: a quarter of --limit, as a part of it)"
      ),
      .many(
        "policy",
        \.policies,
        "NAME",
        .choice,
        "for simulate: fifo, lru, slru, sieve, s3fifo, tinylfu,\nsized (Ikran's own) or "
          + "belady (a bound);\nmay be repeated (default: all)"
      ),
      .many(
        "size",
        \.sizes,
        "BYTES",
        .integer(0...Int.max),
        "for simulate; may be repeated (default: 33554432,\n134217728 and 536870912)"
      ),
      .flag("json", \.isJSON, "prints JSON"),
    ],
    notes: [
      """
      stat    prints what it holds
      verify  reads every entry and compares it with its checksum; damaged entries are dropped,
              and the exit code is 1 when there were any
      trim    removes partial bodies, oldest first, then the least recently used entries, down to
              the limits
      clear   removes every entry
      remove  removes the images of URLs, the words after it, in every style; the exit code is 1
              when one is in no cache
      """,
      """
      record TRACE [--] COMMAND  runs the command, in which ikran records its look-ups in memory;
                                 the exit code is the command's
      simulate TRACE             replays a trace with other policies and sizes of the memory
                                 cache, and prints the hit ratios of look-ups and of bytes
      """,
      """
      The disk cache holds downloaded files, partial bodies hold the bytes of interrupted
      transfers, and image tables hold styled images, one table for each size; see ikran table for
      a single one.
      """,
    ]
  )

  func check(_ output: Output) throws(UsageError) {
    switch action {
    case .record:
      guard trace != nil, !command.isEmpty else {
        throw UsageError(reason: "record needs a TRACE and a COMMAND", command: Self.name)
      }
    case .remove:
      guard trace != nil else {
        throw UsageError(reason: "remove needs a URL", command: Self.name)
      }
    case .simulate:
      guard trace != nil else {
        throw UsageError(reason: "simulate needs a TRACE", command: Self.name)
      }
      fallthrough
    case .stat, .verify, .trim, .clear:
      let extra = action == .simulate ? command : [trace].compactMap(\.self) + command
      guard let word = extra.first else { return }
      throw UsageError(reason: "“\(word)” is one argument too many", command: Self.name)
    }
  }

  func run(_ output: Output) async throws -> Int32 {
    if let trace, action == .record { try record(trace) }
    if let trace, action == .simulate { return try simulate(trace, output) }
    if action == .remove { return try await remove([trace].compactMap(\.self) + command, output) }
    guard let cache = try cache.openExisting() else { return 0 }
    let stores = Stores(
      disk: cache,
      partial: PartialBodies(directory: cache.directory + "/partial"),
      tables: try TableFolder(ofCache: cache.directory).tables()
    )
    switch action {
    case .stat: try report(stores, Facts(), output)
    case .verify: return try verify(stores, output)
    case .trim, .clear:
      let before = try stores.entries
      if action == .trim { try trim(stores) } else { try clear(stores) }
      let after = try stores.entries
      let facts = Facts(
        disk: [("removed", .integer(before.disk - after.disk))],
        partial: [("removed", .integer(before.partial - after.partial))],
        tables: [("removed", .integer(before.tables - after.tables))]
      )
      try report(stores, facts, output)
    case .remove, .record, .simulate: break
    }
    return 0
  }
}

// MARK: - The stores of a folder

extension CacheCommand {
  /// The stores in a cache's folder.
  private struct Stores {
    let disk: DiskCache
    let partial: PartialBodies
    let tables: [ImageTable]

    var entries: (disk: Int, partial: Int, tables: Int) {
      get throws {
        let images = tables.reduce(0) { $0 + $1.statistics.count }
        return (try disk.statistics.count, partial.statistics.count, images)
      }
    }
  }

  /// The facts reported about each store in addition to its contents.
  private struct Facts {
    var disk: [(key: String, value: JSON)] = []
    var partial: [(key: String, value: JSON)] = []
    var tables: [(key: String, value: JSON)] = []
  }

  /// Removes partial bodies before files: they only save a part of a download.
  private func trim(_ stores: Stores) throws {
    try TableFolder.trim(stores.tables, toBytes: tableLimit ?? limit / 4)
    let tableBytes = stores.tables.reduce(0) { $0 + $1.statistics.byteCount }
    let rest = tableLimit == nil ? max(0, limit - tableBytes) : limit
    stores.partial.trim(toBytes: max(0, rest - (try stores.disk.statistics.byteCount)))
    try stores.disk.trim(toBytes: rest)
  }

  private func clear(_ stores: Stores) throws {
    try stores.disk.removeAll()
    stores.partial.removeAll()
    _ = try Files.remove(stores.disk.directory + "/freshness")
    for table in stores.tables { try table.reset() }
  }

  private func verify(_ stores: Stores, _ output: Output) throws -> Int32 {
    let found = try stores.disk.verify()
    let partial = stores.partial.verify()
    let reports = try stores.tables.map { try $0.verify() }
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
        ("checked", .integer(partial.checked)), ("dropped", .integer(partial.dropped)),
      ],
      tables: [
        ("checked", .integer(reports.reduce(0) { $0 + $1.checked })),
        ("dropped", .integer(images)),
        ("directoriesMended", .integer(mended)),
      ]
    )
    try report(stores, facts, output)
    let dropped = found.dropped + partial.dropped + images
    guard dropped > 0 || found.indexWasRebuilt || mended > 0 else { return 0 }
    let loss =
      found.indexWasRebuilt
      ? "its index was replaced, and its files are gone" : "\(dropped) entries were dropped"
    output.complain("the cache was damaged: \(loss)")
    return 1
  }

  private func report(_ stores: Stores, _ facts: Facts, _ output: Output) throws {
    let (disk, partial) = (try stores.disk.statistics, stores.partial.statistics)
    let images = stores.tables.map(\.statistics)
    let held = Facts(
      disk: [
        ("directory", .string(stores.disk.directory)),
        ("entries", .integer(disk.count)),
        ("bytes", .integer(disk.byteCount)),
      ],
      partial: [("entries", .integer(partial.count)), ("bytes", .integer(partial.byteCount))],
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
    try output.report(.object(held.disk + facts.disk + pairs), asJSON: isJSON)
    guard stores.disk.hasSetAside else { return }
    output.complain(
      "a cache that this version cannot read is in \(stores.disk.directory)/aside; "
        + "'ikran cache clear' removes it"
    )
  }
}
