import Ikran
import IkranStores

/// `ikran cache`: what the disk cache and the image tables hold, and what a cache in memory would.
struct CacheCommand: Command {
  enum Action: String, Sendable, CaseIterable {
    case stat, verify, trim, clear, record, simulate
  }

  var action = Action.stat
  var trace: String?
  var command: [String] = []
  var policies: [EvictionPolicy] = []
  var sizes: [Int] = []
  var cache = CacheChoice()
  var limit = DiskCacheOptions().byteLimit
  var tableLimit = 512 << 20
  var isJSON = false

  static let syntax = Syntax<Self>(
    name: "cache",
    summary: "Tells what the cache holds, checks, trims or empties it; tries others.",
    operand: Operand("stat|verify|trim|clear|record|simulate", \.action, .choice),
    moreOperands: [.optional("TRACE", \.trace, .text)],
    rest: Rest(name: "COMMAND", path: \.command),
    options: Option.cache(\.cache, isOptional: false) + [
      .one("limit", \.limit, "BYTES", .integer(0...Int.max), "for trim (default: 1073741824)"),
      .one(
        "table-limit",
        \.tableLimit,
        "BYTES",
        .integer(0...Int.max),
        "for trim, of all image tables together\n(default: 536870912)"
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
      stat    what it holds now
      verify  reads every entry and compares it with its checksum; damaged entries are dropped,
              and the exit code is 1 when there were any
      trim    removes the entries longest unused until the rest keeps the limits
      clear   removes every entry
      """,
      """
      record TRACE [--] COMMAND  runs the command, which writes down every look-up in memory;
                                 the exit code is the command's
      simulate TRACE             plays what was recorded against policies and sizes of a cache
                                 in memory: the share of look-ups found, and of bytes
      """,
      """
      The files as downloaded are in a disk cache, styled images in image tables, one for each
      size; see ikran table for a single one.
      """,
    ]
  )

  func check(_ output: Output) throws(UsageError) {
    switch action {
    case .record:
      guard trace != nil, !command.isEmpty else {
        throw UsageError(reason: "record needs a TRACE and a COMMAND", command: Self.name)
      }
    case .simulate:
      guard trace != nil else {
        throw UsageError(reason: "simulate needs a TRACE", command: Self.name)
      }
      fallthrough
    case .stat, .verify, .trim, .clear:
      let extra = action == .simulate ? command : [trace].compactMap(\.self) + command
      guard let word = extra.first else { return }
      throw UsageError(reason: "“\(word)” is one word too many", command: Self.name)
    }
  }

  func run(_ output: Output) async throws -> Int32 {
    if let trace, action == .record { try record(trace) }
    if let trace, action == .simulate { return try simulate(trace, output) }
    guard let cache = try cache.open() else { return 0 }
    let tables = try TableFolder(ofCache: cache.directory).tables()
    switch action {
    case .stat:
      try report(cache, tables, [], [], output)
    case .verify:
      return try verify(cache, tables, output)
    case .trim, .clear:
      let entries = try cache.statistics.entries
      let images = tables.entryCount
      if action == .trim {
        try cache.trim(toBytes: limit)
        try TableFolder.trim(tables, toBytes: tableLimit)
      } else {
        try cache.removeAll()
        PartialBodies(directory: cache.directory + "/partial").removeAll()
        _ = try Files.remove(cache.directory + "/lifetimes")
        for table in tables { try table.reset() }
      }
      let removed = try entries - cache.statistics.entries
      try report(
        cache,
        tables,
        [("removed", .integer(removed))],
        [("removed", .integer(images - tables.entryCount))],
        output
      )
    case .record, .simulate: break
    }
    return 0
  }

  private func verify(
    _ cache: DiskCache,
    _ tables: [ImageTable],
    _ output: Output
  ) throws -> Int32 {
    let found = try cache.verify()
    let reports = try tables.map { try $0.verify() }
    let dropped = reports.reduce(0) { $0 + $1.dropped }
    let mended = reports.count(where: \.directoryWasMended)
    let facts: Facts = [
      ("checked", .integer(found.checked)),
      ("dropped", .integer(found.dropped)),
      ("orphansRemoved", .integer(found.orphansRemoved)),
      ("indexWasRebuilt", .bool(found.indexWasRebuilt)),
    ]
    let tableFacts: Facts = [
      ("checked", .integer(reports.reduce(0) { $0 + $1.checked })),
      ("dropped", .integer(dropped)),
      ("directoriesMended", .integer(mended)),
    ]
    try report(cache, tables, facts, tableFacts, output)
    guard found.dropped > 0 || found.indexWasRebuilt || dropped > 0 || mended > 0 else { return 0 }
    let count = found.dropped + dropped
    output.complain("the cache was damaged: \(count) entries were dropped")
    return 1
  }

  private typealias Facts = [(key: String, value: JSON)]

  private func report(
    _ cache: DiskCache,
    _ tables: [ImageTable],
    _ facts: Facts,
    _ tableFacts: Facts,
    _ output: Output
  ) throws {
    let statistics = try cache.statistics
    let images = tables.map(\.statistics)
    let held: Facts = [
      ("directory", .string(cache.directory)),
      ("entries", .integer(statistics.entries)),
      ("bytes", .integer(statistics.bytes)),
    ]
    let heldInTables: Facts = [
      ("files", .integer(tables.count)),
      ("entries", .integer(tables.entryCount)),
      ("bytes", .integer(images.reduce(0) { $0 + $1.byteCount })),
      ("fileBytes", .integer(images.reduce(0) { $0 + $1.fileByteCount })),
    ]
    let pairs = held + facts + [("tables", .object(heldInTables + tableFacts))]
    try output.report(.object(pairs), asJSON: isJSON)
  }
}

extension [ImageTable] {
  fileprivate var entryCount: Int { reduce(0) { $0 + $1.statistics.entries } }
}
