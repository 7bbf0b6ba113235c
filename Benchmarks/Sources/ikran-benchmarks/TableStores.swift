import CPeers
import Glibc
import Ikran
import IkranStores

/// The table and its peers in one folder, all with the same pictures.
final class TableStores {
  /// PNG is slower to write: it gets fewer pictures, which are read as often.
  static let pngCount = 1_000
  let pictures: TablePictures
  let folder: TemporaryFolder
  let table: ImageTable
  private(set) var peers: [PeerStore] = []
  private let version = TableID("1")

  /// The format of the table.
  static func format(count: Int = TablePictures.count) -> TableFormat {
    TableFormat("bench", size: TablePictures.size, pixels: .bgra, maximumCount: count)
  }

  /// Fills the table and every peer that is installed, and writes all to the disk.
  init(_ pictures: TablePictures, peers kinds: [peers_kind]) throws {
    self.pictures = pictures
    folder = try TemporaryFolder()
    table = try ImageTable(at: folder.subfolder("table"), format: Self.format())
    for index in 0..<TablePictures.count {
      try table.put(PictureIDs.table(index), version: version, try pictures.bitmap(index))
    }
    try table.synchronize()
    for kind in kinds {
      guard let peer = PeerStore(kind, in: folder.subfolder("\(kind.rawValue)")) else { continue }
      try peer.put(ids[..<Self.count(kind)], pictures.pixels)
      peers.append(peer)
    }
    _ = peers_drop_pages(folder.path)
    try check()
  }

  /// How many pictures a peer gets.
  static func count(_ kind: peers_kind) -> Int {
    kind == peers_png ? pngCount : TablePictures.count
  }

  /// The random order for a peer: over the pictures it has.
  func order(for peer: PeerStore? = nil) -> RandomOrder {
    RandomOrder(of: peer.map { Self.count($0.kind) } ?? TablePictures.count, seed: 1)
  }

  /// The ids of all pictures: plain memory points to them.
  private let ids = (0..<TablePictures.count).map(PictureIDs.peer)

  /// Reads everything once, which loads it into memory and verifies that all are equal.
  private func check() throws {
    for index in 0..<TablePictures.count {
      let image = table.get(PictureIDs.table(index))
      guard let image, TableCalls.sum(image) == pictures.sum(index) else {
        throw StoreFailed(name: "the table")
      }
    }
    for peer in peers {
      for index in 0..<Self.count(peer.kind) {
        guard try peer.get([PictureIDs.peer(index)], reading: true) == pictures.sum(index) else {
          throw StoreFailed(name: peer.name)
        }
      }
    }
  }
}

/// The repeated operations on a table.
enum TableCalls {
  /// Gets pictures and releases each before the next; nil when one is missing.
  @inline(never)
  static func get(_ table: ImageTable, _ ids: [TableID], _ range: Range<Int>) -> Int? {
    let ready = ids.span
    var pixels = 0
    for index in range {
      guard let image = table.get(ready[index]) else { return nil }
      pixels &+= image.width
    }
    return pixels
  }

  /// The same, and reads every byte.
  @inline(never)
  static func read(_ table: ImageTable, _ ids: [TableID], _ range: Range<Int>) -> UInt64? {
    let ready = ids.span
    var sum: UInt64 = 0
    for index in range {
      guard let image = table.get(ready[index]) else { return nil }
      sum &+= self.sum(image)
    }
    return sum
  }

  /// The sum of every byte of an image.
  static func sum(_ image: Bitmap) -> UInt64 {
    image.withBytes { bytes in
      bytes.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { peers_sum($0, buffer.count) } ?? 0
      }
    }
  }

  /// A contender that gets, and perhaps reads, a batch of pictures.
  static func contender(
    _ name: String,
    _ table: ImageTable,
    _ order: RandomOrder,
    reading: Bool
  ) -> Contender {
    var order = order
    return Contender(name) { count in
      let ids = order.tableIDs
      var isWhole = true
      let began = peers_nanoseconds()
      order.advance(count) { range in
        let found = reading ? read(table, ids, range) != nil : get(table, ids, range) != nil
        isWhole = isWhole && found
      }
      let time = Double(peers_nanoseconds() - began)
      guard isWhole else { throw StoreFailed(name: name) }
      return time
    }
  }

  /// The same for a peer.
  static func contender(
    _ name: String,
    _ peer: PeerStore,
    _ order: RandomOrder,
    reading: Bool,
    sharing: Bool = true
  ) -> Contender {
    var order = order
    return Contender(name) { count in
      peer.shareReads(sharing)
      let ids = order.peerIDs
      var sum: UInt64 = 0
      let began = peers_nanoseconds()
      try order.advance(count) { sum &+= try peer.get(ids[$0], reading: reading) }
      let time = Double(peers_nanoseconds() - began)
      withUnsafePointer(to: sum) { peers_consume($0) }
      return time
    }
  }
}
