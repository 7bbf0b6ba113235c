import CPeers
import Ikran

/// Image tables against LMDB, SQLite, one raw file and one PNG file for each picture.
enum TableBenchmarks {
  private enum Name: String, CaseIterable {
    case get = "table.get"
    case read = "table.read"
    case processes = "table.processes"
    case cold = "table.cold"
    case put = "table.put"
    case durable = "table.put.durable"
    case open = "table.open"

    /// Whether `prefix` begins this name, or a name that only this group measures.
    func isWanted(_ prefix: String) -> Bool {
      if rawValue.hasPrefix(prefix) { return true }
      let asked = Self.allCases.filter { prefix.hasPrefix($0.rawValue) }
      return asked.max { $0.rawValue.count < $1.rawValue.count } == self
    }
  }

  /// Runs the measurements whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) throws {
    let wanted = Name.allCases.filter { $0.isWanted(prefix) }
    guard !wanted.isEmpty else { return }
    if !peers_lmdb_load() { report.note("LMDB is not installed: not compared") }
    let pictures = try TablePictures()
    try inMemory(wanted, pictures, into: &report)
    for name in wanted {
      switch name {
      case .get, .read, .processes: break
      case .cold: try TableColdBenchmarks(pictures).run(name.rawValue, into: &report)
      case .put: try TableWriteBenchmarks(pictures).put(name.rawValue, into: &report)
      case .durable: try TableWriteBenchmarks(pictures).putDurably(name.rawValue, into: &report)
      case .open: try TableOpenBenchmarks().run(name.rawValue, into: &report)
      }
    }
  }

  /// What reads from one set of filled stores.
  private static func inMemory(
    _ wanted: [Name],
    _ pictures: TablePictures,
    into report: inout Report
  ) throws {
    let isCompared = wanted.contains(.get) || wanted.contains(.read)
    guard isCompared || wanted.contains(.processes) else { return }
    let peers = [peers_memory, peers_lmdb, peers_sqlite, peers_raw, peers_png]
    let stores = try TableStores(pictures, peers: isCompared ? peers : [])
    let reads = TableReadBenchmarks(stores)
    if wanted.contains(.get) { try reads.get(Name.get.rawValue, into: &report) }
    if wanted.contains(.read) { try reads.read(Name.read.rawValue, into: &report) }
    if wanted.contains(.processes) {
      try TableProcessBenchmarks().run(Name.processes.rawValue, stores, into: &report)
    }
  }
}
