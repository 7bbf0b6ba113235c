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
      a single one. Of the folder of ikran serve each word is for its results and its sources.
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
    let parts = try CacheStores.all(in: cache)
    guard !parts.isEmpty else { return 0 }
    switch action {
    case .stat: try report(parts, output)
    case .verify: return try verify(parts, output)
    case .trim, .clear:
      let before = try parts.map { try $0.entries }
      if action == .trim {
        try CacheStores.trim(parts, to: limit, tables: tableLimit)
      } else {
        for part in parts { try part.clear() }
      }
      let removed = try zip(parts, before).map { try $0.removed(since: $1) }
      try report(parts, output, removed)
    case .remove, .record, .simulate: break
    }
    return 0
  }
}

extension CacheCommand {
  private func verify(_ parts: [CacheStores], _ output: Output) throws -> Int32 {
    let found = try parts.map { try $0.verify() }
    try report(parts, output, found.map(\.facts))
    let dropped = found.reduce(0) { $0 + $1.dropped }
    let wasRebuilt = found.contains { $0.indexWasRebuilt }
    guard dropped > 0 || wasRebuilt || found.contains(where: { $0.mended > 0 }) else { return 0 }
    let loss =
      wasRebuilt
      ? "its index was replaced, and its files are gone" : "\(dropped) entries were dropped"
    output.complain("the cache was damaged: \(loss)")
    return 1
  }

  /// Prints what each part holds, with other facts of each in the same order.
  private func report(
    _ parts: [CacheStores],
    _ output: Output,
    _ facts: [CacheStores.Facts] = []
  ) throws {
    var pairs: [(key: String, value: JSON)] = []
    for (number, part) in parts.enumerated() {
      let own = try part.report(facts.indices.contains(number) ? facts[number] : .init())
      pairs += part.name.map { [(key: $0, value: .object(own))] } ?? own
    }
    try output.report(.object(pairs), asJSON: isJSON)
    for part in parts where part.disk.hasSetAside {
      output.complain(
        "a cache that this version cannot read is in \(part.disk.directory)/aside; "
          + "'ikran cache clear' removes it"
      )
    }
  }
}
