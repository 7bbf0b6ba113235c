import CPeers
import Glibc
import Ikran
import IkranStores

/// Opening a store of small pictures: it should not matter how many there are.
struct TableOpenBenchmarks {
  /// 8 × 8 gray pixels fill one page of a table; the peers get the 64 bytes alone.
  private static let size = PixelSize(width: 8, height: 8)
  private static let peerByteCount = 64 * 2
  private let version = TableID("1")

  /// Opens stores of 10,000 and of 1,000,000 pictures.
  func run(_ name: String, into report: inout Report) throws {
    try run("\(name).10k", count: 10_000, into: &report)
    try run("\(name).1M", count: 1_000_000, into: &report)
  }

  private func run(_ name: String, count: Int, into report: inout Report) throws {
    let folder = try TemporaryFolder()
    // The table's pages, the peers', and as much again for other programs.
    let needed = UInt64(count) * (4096 + 64 + 512) * 2
    guard folder.freeByteCount > needed else {
      report.note("\(name): \(needed >> 20) MB are not free in \(folder.path), not measured")
      return
    }
    let place = folder.subfolder("table")
    try fill(place, count)
    var openings = [table(place, count, name: "Ikran")]
    for kind in [peers_lmdb, peers_sqlite] {
      let place = folder.subfolder("\(kind.rawValue)")
      guard let peer = PeerStore(kind, in: place, size: Self.peerByteCount) else { continue }
      try fill(peer, count)
      openings.append(self.peer(kind, place, count))
    }
    // Pending writes would run during the measurement.
    peers_write_out(folder.path)
    let file = "\(place)/\(format(count).fileName())"
    let bare = Contender("open, mmap, close") {
      guard peers_open_and_map(file) else { throw StoreFailed(name: file) }
    }
    let alone = openings.map(\.alone) + [bare]
    report.add(name, try Harness.measure(alone), unit: "µs", scale: 1e-3)
    report.add("\(name).get", try Harness.measure(openings.map(\.andGet)), unit: "µs", scale: 1e-3)
    report.add(
      "\(name).memory",
      value: Double(try grownBytes(openings[0])) / 1024,
      unit: "KB"
    )
  }

  // MARK: - Filling

  private func fill(_ folder: String, _ count: Int) throws {
    let table = try ImageTable(at: folder, format: format(count))
    var canvas = try Canvas(size: Self.size, format: .gray)
    canvas.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index) }
    }
    let picture = canvas.finish()
    for index in 0..<count {
      try table.put(PictureIDs.table(index), version: version, picture)
    }
  }

  private func fill(_ peer: PeerStore, _ count: Int) throws {
    let batch = 10_000
    let pixels = [UInt8](repeating: 1, count: batch * Self.peerByteCount)
    for first in stride(from: 0, to: count, by: batch) {
      let ids = (first..<first + batch).map(PictureIDs.peer)
      try pixels.withUnsafeBufferPointer { pixels in
        guard let start = pixels.baseAddress else { return }
        try peer.put(ids[...], start)
      }
    }
  }

  private func format(_ count: Int) -> TableFormat {
    TableFormat("small", size: Self.size, pixels: .gray, maximumCount: count)
  }

  // MARK: - Opening

  /// Opens a store and keeps it open, and gets a picture of it.
  private struct Opening {
    let name: String
    let open: () throws -> AnyObject
    let get: (AnyObject, Int) throws -> Void

    /// Only the opening is timed, not the closing.
    var alone: Contender { contender { _, _ in } }
    /// The opening and the first picture.
    var andGet: Contender { contender(get) }

    private func contender(_ then: @escaping (AnyObject, Int) throws -> Void) -> Contender {
      Contender(name) { count in
        var time: UInt64 = 0
        for index in 0..<count {
          let began = peers_nanoseconds()
          let store = try open()
          try then(store, index)
          time += peers_nanoseconds() - began
          withExtendedLifetime(store) {}
        }
        return Double(time)
      }
    }
  }

  private func table(_ folder: String, _ count: Int, name: String) -> Opening {
    let format = format(count)
    return Opening(
      name: name,
      open: { try ImageTable(at: folder, format: format) },
      get: { store, index in
        guard let table = store as? ImageTable,
          let image = table.get(PictureIDs.table(index &* 7919 % count))
        else { throw StoreFailed(name: name) }
        image.withRow(0) { row in withUnsafePointer(to: row[0]) { peers_consume($0) } }
      }
    )
  }

  private func peer(_ kind: peers_kind, _ folder: String, _ count: Int) -> Opening {
    let name = PeerStore.name(kind)
    return Opening(
      name: name,
      open: {
        guard let peer = PeerStore(kind, in: folder, size: Self.peerByteCount) else {
          throw StoreFailed(name: name)
        }
        return peer
      },
      get: { store, index in
        guard let peer = store as? PeerStore else { throw StoreFailed(name: name) }
        let id = PictureIDs.peer(index &* 7919 % count)
        _ = try peer.get([id], reading: true)
      }
    )
  }

  /// How much more memory is in use with the store open.
  private func grownBytes(_ opening: Opening) throws -> Int {
    let before = Int(peers_resident_bytes())
    let store = try opening.open()
    let after = Int(peers_resident_bytes())
    withExtendedLifetime(store) {}
    return after - before
  }
}
