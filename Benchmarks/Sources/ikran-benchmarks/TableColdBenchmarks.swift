import CPeers
import Glibc
import Ikran
import IkranStores

/// Random pictures from stores whose pages are not in memory, opened again.
struct TableColdBenchmarks {
  private static let rounds = 31
  /// Pictures per round; no picture occurs twice in one.
  private static let batch = 96
  /// Pictures that are prefetched (`madvise`) before the first of them is read.
  private static let announced = 32
  private let pictures: TablePictures
  private let folder: TemporaryFolder
  private let tableFolder: String
  private let kinds: [peers_kind]

  /// Fills the stores and closes them.
  init(_ pictures: TablePictures) throws {
    let stores = try TableStores(
      pictures,
      peers: [peers_lmdb, peers_sqlite, peers_raw, peers_png]
    )
    self.pictures = pictures
    folder = stores.folder
    tableFolder = folder.subfolder("table")
    kinds = stores.peers.map(\.kind)
  }

  /// The median and the 99th percentile of single pictures, and the rate of prefetched ones.
  func run(_ name: String, into report: inout Report) throws {
    var readers = [table(), floor()]
    readers += kinds.map(peer)
    var times = [[Double]](repeating: [], count: readers.count)
    var announced: [Double] = []
    var resident = 0.0
    for round in 0..<Self.rounds {
      for (index, reader) in readers.enumerated() {
        resident = max(resident, try drop(reader))
        times[index] += try read(reader, round)
      }
      resident = max(resident, try drop(readers[0]))
      announced.append(try readAnnounced(round))
    }
    report.note(
      "\(name): \(Self.rounds) × \(Self.batch) pictures; of the table at most "
        + "\(Int((resident * 1000).rounded())) ‰ was in memory before"
    )
    var slowest: [Measurement] = []
    for (reader, times) in zip(readers, times) {
      slowest.append(Measurement(name: reader.name, samples: [Latencies(times)[0.99]]))
    }
    let middles = zip(readers, times).map { Measurement(name: $0.name, samples: $1) }
    report.add("\(name).p50", middles, unit: "µs", scale: 1e-3)
    report.add("\(name).p99", slowest, unit: "µs", scale: 1e-3)
    let prefetched = Measurement(name: "Ikran", samples: announced)
    report.add("\(name).prefetch", value: 1e9 / prefetched.median, unit: "images/s")
  }

  // MARK: - Readers

  /// Opens a store and returns what reads one of its pictures: the sum of its words.
  private struct Reader {
    let name: String
    let folder: String
    let count: Int
    let open: () throws -> (Int) throws -> UInt64
  }

  private func table() -> Reader {
    Reader(name: "Ikran", folder: tableFolder, count: TablePictures.count) {
      let table = try ImageTable(at: tableFolder, format: TableStores.format())
      return { index in
        guard let image = table.get(PictureIDs.table(index)) else {
          throw StoreFailed(name: "the table")
        }
        return TableCalls.sum(image)
      }
    }
  }

  /// The disk's time for one system call with the offset of the picture.
  private func floor() -> Reader {
    Reader(name: "one pread", folder: tableFolder, count: TablePictures.count) {
      let file = try OpenFile("\(tableFolder)/\(TableStores.format().fileName())")
      return { index in try file.sum(at: index * TablePictures.byteCount) }
    }
  }

  private func peer(_ kind: peers_kind) -> Reader {
    let folder = self.folder.subfolder("\(kind.rawValue)")
    return Reader(name: PeerStore.name(kind), folder: folder, count: TableStores.count(kind)) {
      guard let peer = PeerStore(kind, in: folder) else { throw StoreFailed(name: folder) }
      return { index in try peer.get([PictureIDs.peer(index)], reading: true) }
    }
  }

  // MARK: - Rounds

  /// Drops a store's pages; returns the share of the table's file that stayed in memory.
  private func drop(_ reader: Reader) throws -> Double {
    guard peers_drop_pages(reader.folder) else { throw StoreFailed(name: reader.name) }
    guard reader.folder == tableFolder else { return 0 }
    return peers_resident_part("\(tableFolder)/\(TableStores.format().fileName())")
  }

  private func chosen(_ round: Int, of count: Int) -> ArraySlice<Int> {
    var numbers = SeededNumbers(seed: UInt64(round) &+ 1000)
    return (0..<count).shuffled(using: &numbers).prefix(Self.batch)
  }

  private func read(_ reader: Reader, _ round: Int) throws -> [Double] {
    let readOne = try reader.open()
    return try chosen(round, of: reader.count).map { index in
      let began = peers_nanoseconds()
      let sum = try readOne(index)
      let time = Double(peers_nanoseconds() - began)
      withUnsafePointer(to: sum) { peers_consume($0) }
      return time
    }
  }

  /// The nanoseconds per picture when the next 32 are always prefetched first.
  private func readAnnounced(_ round: Int) throws -> Double {
    let table = try ImageTable(at: tableFolder, format: TableStores.format())
    let indices = chosen(round, of: TablePictures.count)
    let ids = indices.map(PictureIDs.table)
    let began = peers_nanoseconds()
    for first in stride(from: 0, to: ids.count, by: Self.announced) {
      let range = first..<min(first + Self.announced, ids.count)
      table.prefetch(Array(ids[range]))
      guard TableCalls.read(table, ids, range) != nil else {
        throw StoreFailed(name: "the table")
      }
    }
    return Double(peers_nanoseconds() - began) / Double(ids.count)
  }
}

/// A file that is read at single offsets, without read-ahead.
private final class OpenFile {
  private let descriptor: Int32
  private let bytes = UnsafeMutableRawPointer.allocate(
    byteCount: TablePictures.byteCount,
    alignment: 4096
  )

  init(_ path: String) throws(StoreFailed) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreFailed(name: path) }
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM)
  }

  deinit {
    close(descriptor)
    bytes.deallocate()
  }

  func sum(at offset: Int) throws(StoreFailed) -> UInt64 {
    let count = TablePictures.byteCount
    guard pread(descriptor, bytes, count, offset) == count else { throw StoreFailed(name: "pread") }
    return peers_sum(bytes, count)
  }
}
