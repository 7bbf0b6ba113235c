import CPeers
import Glibc

/// What Ikran's tables are compared with: a store in C, in a folder of its own.
final class PeerStore: @unchecked Sendable {  // C locks what threads share
  /// How the report calls it.
  let name: String
  /// What it is.
  let kind: peers_kind
  private let handle: OpaquePointer

  /// Opens or makes a store; nil when that fails, because it is not installed for example.
  init?(
    _ kind: peers_kind,
    in folder: String,
    size: Int = TablePictures.byteCount,
    durability: peers_durability = peers_unsynced
  ) {
    mkdir(folder, 0o700)
    guard let handle = peers_store_open(kind, folder, size, durability) else { return nil }
    self.handle = handle
    self.kind = kind
    name = Self.name(kind)
  }

  deinit { peers_store_close(handle) }

  /// Lets LMDB read a whole batch in one transaction, or begin one for each picture.
  func shareReads(_ isShared: Bool) { peers_store_share_reads(handle, isShared) }

  /// Puts pictures that lie one after the other.
  func put(_ ids: ArraySlice<peers_id>, _ pixels: UnsafePointer<UInt8>) throws(StoreFailed) {
    let done = ids.withUnsafeBufferPointer { ids in
      guard let start = ids.baseAddress else { return true }
      return peers_store_put(handle, start, pixels, ids.count)
    }
    guard done else { throw StoreFailed(name: name) }
  }

  /// Gets pictures, and reads every byte of them if that is asked for; returns the sum of them.
  func get(_ ids: ArraySlice<peers_id>, reading: Bool) throws(StoreFailed) -> UInt64 {
    var sum: UInt64 = 0
    let done = ids.withUnsafeBufferPointer { ids in
      guard let start = ids.baseAddress else { return true }
      return reading
        ? peers_store_get(handle, start, ids.count, &sum)
        : peers_store_get(handle, start, ids.count, nil)
    }
    guard done else { throw StoreFailed(name: name) }
    return sum
  }

  /// How the report calls a kind of store.
  static func name(_ kind: peers_kind) -> String {
    switch kind {
    case peers_memory: "plain memory"
    case peers_lmdb: "LMDB \(String(cString: peers_lmdb_version()))"
    case peers_sqlite: "SQLite \(String(cString: peers_sqlite_version()))"
    case peers_raw: "a raw file each"
    case peers_renamed: "a renamed file each"
    default: "a PNG file each"
    }
  }
}

/// A store failed, or gave other pixels than were put.
struct StoreFailed: Error {
  /// The store.
  let name: String
}

/// A folder for one measurement, deleted with its last owner.
final class TemporaryFolder {
  /// Where it is.
  let path: String

  /// Makes a folder under `$TMPDIR`, or under /tmp.
  init() throws(StoreFailed) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/ikran-table-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { template in
      template.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else { throw StoreFailed(name: parent) }
    path = made
    peers_spread_folders(path)
  }

  deinit { peers_delete(path) }

  /// A folder in it whose name no run before has had.
  ///
  /// ext4 places a folder by its name: avoids the blocks that an earlier run has just deleted.
  func subfolder(_ name: String) -> String {
    "\(path)/\(name)-\(path.suffix(6))"
  }

  /// Bytes that may still be written here.
  var freeByteCount: UInt64 { peers_free_bytes(path) }
}

/// The times of single calls.
struct Latencies {
  private var sorted: [Double]

  /// Takes the times in any order.
  init(_ times: [Double]) { sorted = times.sorted() }

  /// The time that a part of the calls, from 0 to 1, stayed under.
  subscript(part: Double) -> Double {
    sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }
}
