import IkranStores

/// `ikran cache`: what the disk cache holds.
struct CacheCommand: Command {
  enum Action: String, Sendable, CaseIterable {
    case stat, verify, trim, clear
  }

  var action = Action.stat
  var cache = CacheChoice()
  var limit = DiskCacheOptions().byteLimit
  var isJSON = false

  static let syntax = Syntax<Self>(
    name: "cache",
    summary: "Tells what the cache holds, checks, trims or empties it.",
    operand: Operand("stat|verify|trim|clear", \.action, .choice),
    options: Option.cache(\.cache, isOptional: false) + [
      .one("limit", \.limit, "BYTES", .integer(0...Int.max), "for trim (default: 1073741824)"),
      .flag("json", \.isJSON, "prints JSON"),
    ],
    notes: [
      """
      stat    what it holds now
      verify  reads every entry and compares it with its checksum; damaged entries are dropped,
              and the exit code is 1 when there were any
      trim    removes the entries longest unused until the rest keeps the limit
      clear   removes every entry
      """
    ]
  )

  func run(_ output: Output) async throws -> Int32 {
    guard let cache = try cache.open() else { return 0 }
    switch action {
    case .stat:
      try report(cache, [], output)
    case .verify:
      return try verify(cache, output)
    case .trim, .clear:
      let before = try cache.statistics.entries
      if action == .trim { try cache.trim(toBytes: limit) } else { try cache.removeAll() }
      try report(cache, [("removed", .integer(before - cache.statistics.entries))], output)
    }
    return 0
  }

  private func verify(_ cache: DiskCache, _ output: Output) throws -> Int32 {
    let found = try cache.verify()
    let facts: [(String, JSON)] = [
      ("checked", .integer(found.checked)),
      ("dropped", .integer(found.dropped)),
      ("orphansRemoved", .integer(found.orphansRemoved)),
      ("indexWasRebuilt", .bool(found.indexWasRebuilt)),
    ]
    try report(cache, facts, output)
    guard found.dropped > 0 || found.indexWasRebuilt else { return 0 }
    output.complain("the cache was damaged: \(found.dropped) entries were dropped")
    return 1
  }

  private func report(_ cache: DiskCache, _ facts: [(String, JSON)], _ output: Output) throws {
    let statistics = try cache.statistics
    let held: [(String, JSON)] = [
      ("directory", .string(cache.directory)),
      ("entries", .integer(statistics.entries)),
      ("bytes", .integer(statistics.bytes)),
    ]
    let pairs = (held + facts).map { (key: $0.0, value: $0.1) }
    try output.report(.object(pairs), asJSON: isJSON)
  }
}
