import Glibc
import IkranPixels
package import IkranStores

extension TableTorture {
  /// The table of a process with a small address space: a page a slot.
  package static let grownFormat = TableFormat(
    "grown",
    size: PixelSize(width: 11, height: 5),
    maximumCount: 40_000
  )
  /// More pictures than such a process can map.
  package static let grownCount: UInt64 = 6500

  /// What a process with a small address space does with its table.
  enum GrowthTask: String {
    /// It grows the table beyond its first mapping.
    case grow
    /// It uses the table after another process has grown it.
    case follow
    /// The same, but it cannot enlarge its mapping.
    case stay
  }

  /// Opens the table with a small address space.
  ///
  /// A byte on standard output requests the test's next step, and SIGUSR1 signals that it is done.
  static func useFewAddresses(_ folder: String, _ task: GrowthTask) throws {
    blockSignal()
    try setAddressLimit(inUse() + 60 << 20)
    let table = try ImageTable(at: folder, format: grownFormat)
    if task != .stay { try setAddressLimit(nil) }
    if task == .grow {
      for id in 0..<grownCount { try put(id, 1, into: table) }
    } else {
      StoreTorture.report(".", end: "")
      waitForSignal()
    }
    task == .stay ? try refuse(table) : try useAll(table)
  }

  /// Uses every entry of a table that has grown.
  private static func useAll(_ table: ImageTable) throws {
    let last = grownCount - 1
    try expect(table.statistics.count == Int(grownCount), "the number of entries")
    try expect(table.contains(TableID(id: last)), "the last entry")
    for id in [last, 0, last / 2] { try expect(version(id, table) == 1, "picture \(id)") }
    try put(last, 2, into: table)
    try expect(version(last, table) == 2, "the new picture")
    try put(grownCount, 1, into: table)
    try expect(try table.entries().count == Int(grownCount) + 1, "the entries")
    let report = try table.verify()
    try expect(report.dropped == 0 && !report.directoryWasRebuilt, "all: \(report)")
    for id in 0...grownCount { try expect(version(id, table) != nil, "picture \(id) at the end") }
  }

  /// Uses the mapped part; everything else fails.
  private static func refuse(_ table: ImageTable) throws {
    for step in [{ try put(0, 2, into: table) }, { _ = try table.verify() }] {
      do {
        try step()
        throw Failure(description: "a part of the table was changed as if it were all")
      } catch let error as TableError {
        let isRight = if case .system(let reason) = error { reason.code == ENOMEM } else { false }
        try expect(isRight, "error: \(error)")
      }
    }
  }

  private static func put(_ id: UInt64, _ version: UInt64, into table: ImageTable) throws {
    let image = try TorturePicture.make(id: id, version: version, format: table.format)
    try table.put(TableID(id: id), version: TableID(version: version), image)
  }

  private static func version(_ id: UInt64, _ table: ImageTable) throws -> UInt64? {
    try checked(table.get(TableID(id: id)), id: id).flatMap { TorturePicture.read($0)?.version }
  }

  private static func expect(_ isRight: Bool, _ what: String) throws {
    if !isRight { throw Failure(description: "wrong: \(what)") }
  }

  /// The bytes of address space in use.
  private static func inUse() throws -> Int {
    let text = String(decoding: try Files.read("/proc/self/statm"), as: UTF8.self)
    return (text.split(separator: " ").first.flatMap { Int($0) } ?? 0) * sysconf(CInt(_SC_PAGESIZE))
  }

  /// Sets the limit on the address space, or lifts it when nil.
  private static func setAddressLimit(_ bytes: Int?) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    limit.rlim_cur = bytes.map { rlim_t($0) } ?? limit.rlim_max
    try expect(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, "the limit")
  }
}
