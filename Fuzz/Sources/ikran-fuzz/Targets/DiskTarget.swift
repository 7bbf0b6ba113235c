@testable import Ikran
@testable import IkranStores
@testable import IkranSystem

/// The disk cache: damage to its index, as bytes or as rows, and to its files; then any operations.
///
/// A body is always one that was stored under its key; in a cache that was not damaged it is the
/// last. Also the file of freshness.
enum DiskTarget {
  static var seeds: [[UInt8]] {
    let operations: [UInt8] = (0..<40).flatMap { [UInt8($0 % 10), UInt8($0 * 5)] }
    let modes: [[UInt8]] = (0..<4).map { mode in
      let edit: [UInt8] = mode == 0 ? [0] : [UInt8(mode), 0, 3, 7, 1, 0, 4, 9, 5, 6]
      return edit + operations
    }
    return modes + [[4] + operations]
  }

  static func run(_ bytes: Input) -> CInt {
    var input = InputReader(bytes)
    let mode = input.byte() % 5
    if mode == 4 {
      checkFreshness(&input)
      return 0
    }
    let folder = TemporaryFolder.empty("disk")
    var model = DiskModel(isUndamaged: mode == 0)
    if mode > 0 {
      model.put(DiskTemplate.filled.bodies)
      DiskTemplate.filled.write(to: folder)
      let count = 1 + input.below(6)
      for _ in 0..<count {
        if mode == 1 { changeRow(folder, &input) } else { changeFile(folder, mode, &input) }
      }
    }
    DiskOperations(folder).run(&input, &model)
    return 0
  }

  // MARK: - Damage

  private static let columns = [
    "serial", "place", "uses", "kind", "length", "size", "checksum", "accessed", "stored", "mark",
    "hash", "key", "extended",
  ]

  /// Changes a value in the index by SQL.
  private static func changeRow(_ folder: String, _ input: inout InputReader) {
    guard
      let handle = try? SQLiteHandle.open(DiskCache.indexPath(folder), busyMilliseconds: 100)
    else { return }
    let number = Int64(bitPattern: interestingNumbers[input.below(interestingNumbers.count)])
    let values = ["\(number)", "NULL", "'text'", "x'00FF'", "\(Double(number))", "zeroblob(70000)"]
    let value = values[input.byte() & 8 == 0 ? 0 : input.below(values.count)]
    let row = "(SELECT hash FROM entries ORDER BY hash LIMIT 1 OFFSET \(input.below(12)))"
    let column = columns[input.below(columns.count)]
    let totals = ["count", "bytes", "small_count", "small_bytes", "serial"][input.below(5)]
    let statements = [
      "UPDATE entries SET \(column) = \(value) WHERE hash = \(row)",
      "UPDATE entries SET \(column) = (SELECT \(column) FROM entries LIMIT 1) WHERE hash = \(row)",
      "UPDATE totals SET \(totals) = \(value)", "DELETE FROM totals", "DELETE FROM bodies",
      "UPDATE bodies SET body = \(value)", "UPDATE ghosts SET serial = \(value)",
      "DROP TABLE \(["entries", "bodies", "ghosts", "totals"][input.below(4)])",
      "PRAGMA user_version = \(input.below(5))", "DROP INDEX entries_place",
    ]
    // What the schema forbids is not changed.
    try? handle.execute(statements[input.below(statements.count)])
  }

  /// Changes bytes of the index or of a body's file.
  private static func changeFile(_ folder: String, _ mode: Int, _ input: inout InputReader) {
    var path = DiskCache.indexPath(folder)
    if mode == 3, let inner = try? Files.list("\(folder)/bodies").first,
      let name = try? Files.list("\(folder)/bodies/\(inner)").first
    {
      path = "\(folder)/bodies/\(inner)/\(name)"
    }
    guard var bytes = try? Files.read(path), !bytes.isEmpty else { return }
    let offset = (input.word() << 2 | input.byte() & 3) % bytes.count
    switch input.byte() % 6 {
    case 0: bytes[offset] ^= 1 << UInt8(input.byte() & 7)
    case 1: bytes[offset] = UInt8(input.byte())
    case 2: bytes.removeSubrange(offset...)
    case 3: bytes += [UInt8](repeating: UInt8(input.byte()), count: 100)
    case 4: bytes = input.rest
    default: bytes[offset % 100] = UInt8(input.byte())
    }
    _ = try? Files.remove(path)
    try? Files.create(path, bytes)
  }

  // MARK: - Freshness

  private static func checkFreshness(_ input: inout InputReader) {
    let path = "\(TemporaryFolder.empty("freshness"))/file"
    try? Files.create(path, input.rest)
    let file = FreshnessFile(path)
    var known: [Int: FreshnessFile.Entry] = [:]
    for _ in 0..<20 where !input.isAtEnd {
      let id = input.below(12)
      let start = Int64(truncatingIfNeeded: input.long() >> 1)
      let entry = FreshnessFile.Entry(body: .number(id), fresh: start..<max(start, start / 2 + 99))
      // All have one bucket, which has eight places.
      let key = TableID(high: UInt64(id), low: 5)
      file.set(input.byte() & 3 == 0 ? nil : entry, for: key)
      if let found = file.entry(for: key) { known[id] = found } else { known[id] = nil }
      report("FreshnessFile returned a wrong entry", unless: known[id].map { $0 == entry } ?? true)
    }
  }
}

/// What a cache may have.
struct DiskModel {
  let isUndamaged: Bool
  private var bodies: [String: Set<[UInt8]>] = [:]
  private(set) var last: [String: [UInt8]] = [:]

  init(isUndamaged: Bool) { self.isUndamaged = isUndamaged }

  mutating func put(_ contents: [String: [UInt8]]) {
    for (key, body) in contents { note(key, body) }
  }

  mutating func note(_ key: String, _ body: [UInt8]) {
    bodies[key, default: []].insert(body)
    last[key] = body
  }

  mutating func remove(_ key: String) { last[key] = nil }

  mutating func removeAll() { last = [:] }

  func allows(_ key: String, _ body: [UInt8]?) -> Bool {
    if isUndamaged { return body == last[key] }
    return body.map { bodies[key]?.contains($0) ?? false } ?? true
  }
}

/// A cache with some entries, as files.
struct DiskTemplate {
  static let filled = DiskTemplate()

  let bodies: [String: [UInt8]]
  private let folder: String

  private init() {
    folder = TemporaryFolder.empty("filled")
    var bodies: [String: [UInt8]] = [:]
    for number in 0..<12 { bodies["key \(number)"] = Self.body(number, number) }
    self.bodies = bodies
    do {
      let cache = try DiskCache(directory: folder)
      for (key, body) in bodies { try cache.store(body, extended: [1, 2], for: key) }
    } catch { report("no template: \(error)") }
  }

  /// A body that names its key; every fourth is so long that it has a file.
  static func body(_ number: Int, _ version: Int) -> [UInt8] {
    let count = number % 4 == 3 ? 17_000 : 20 + number * 30
    return [UInt8(number), UInt8(version & 255)]
      + (0..<count).map { UInt8(truncatingIfNeeded: $0 * (number + version) >> 3) }
  }

  func write(to target: String) {
    do throws(SystemError) {
      try Files.removeTree(target)
      try Files.copyTree(folder, to: target)
    } catch { report("\(target): \(error)") }
  }
}

/// Operations on a cache, and what they have to give.
struct DiskOperations {
  private let folder: String

  init(_ folder: String) { self.folder = folder }

  func run(_ input: inout InputReader, _ model: inout DiskModel) {
    var options = DiskCacheOptions()
    options.compresses = input.byte() & 1 == 0
    guard var cache = try? DiskCache(directory: folder, options: options) else {
      return report("an undamaged cache cannot be opened", unless: !model.isUndamaged)
    }
    for step in 0..<50 where !input.isAtEnd {
      let (operation, number) = (input.byte() % 10, input.byte() % 16)
      let key = "key \(number)"
      switch operation {
      case 0...2: store(DiskTemplate.body(number, step + 20), key, cache, &model)
      case 3, 4: check(key, cache, model)
      case 5: if (try? cache.remove(key)) != nil { model.remove(key) }
      case 6:
        let isExtended = (try? cache.extend([UInt8(step)], for: key)) == true
        report(
          "\(key) cannot be extended",
          unless: isExtended || !model.isUndamaged || model.last[key] == nil
        )
      case 7:
        if number == 0, (try? cache.removeAll()) != nil { model.removeAll() }
        _ = (try? cache.keys(), try? cache.statistics)
      case 8:
        let verified = try? cache.verify()
        report(
          "an undamaged entry is dropped",
          unless: !model.isUndamaged || verified?.dropped == 0
        )
        if number > 8 { _ = try? cache.trim() }
      default:
        if let again = try? DiskCache(directory: folder, options: options) { cache = again }
      }
    }
    for number in 0..<16 { check("key \(number)", cache, model) }
  }

  private func store(
    _ body: [UInt8],
    _ key: String,
    _ cache: DiskCache,
    _ model: inout DiskModel
  ) {
    if (try? cache.store(body, for: key)) != nil {
      model.note(key, body)
    } else {
      report("\(key) cannot be stored", unless: !model.isUndamaged)
    }
  }

  private func check(_ key: String, _ cache: DiskCache, _ model: DiskModel) {
    let body = try? cache.body(for: key)
    report("a wrong body of \(key)", unless: model.allows(key, body))
  }
}
