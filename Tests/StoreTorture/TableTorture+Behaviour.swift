import Glibc
import IkranPixels
import IkranStores

/// What a table promises, whatever the system can do.
extension TableTorture {
  /// Puts, draws, replaces while pictures are held, evicts, grows, compacts, closes, reopens,
  /// suspends: each with every byte checked.
  static func behave(_ folder: String) throws {
    var table = try ImageTable(at: folder, format: format)
    for id in 0..<20 as Range<UInt64> {
      try apply(.put(id: id, version: 1), to: &table, in: folder)
      try apply(.draw(id: id + 20, version: 1), to: &table, in: folder)
    }
    for ids in [8..<20, 28..<40] as [Range<UInt64>] { try expect(table, ids: ids, version: 1) }
    let held = try hold(table)
    for id in 0..<100 as Range<UInt64> {
      try apply(
        id % 2 == 0 ? .put(id: id, version: 2) : .draw(id: id, version: 2),
        to: &table,
        in: folder
      )
    }
    try apply(.failToDraw(id: 99), to: &table, in: folder)
    try table.synchronize()
    try apply(.verify, to: &table, in: folder)
    try check(held)
    try apply(.compact, to: &table, in: folder)
    let count = try table.entries().count
    guard count > 0, count <= 24 else { throw Failure(description: "\(count) entries") }
    let newer = try hold(table)
    try table.suspend()
    guard table.get(TableID(id: 99)) == nil else { throw Failure(description: "it is in use") }
    try check(held + newer)
    table.resume()
    try expect(table, ids: 99..<100, version: 2)
    try apply(.reopen, to: &table, in: folder)
    try expect(table, ids: 99..<100, version: 2)
    try table.remove(TableID(id: 99))
    try apply(.reset, to: &table, in: folder)
    try apply(.put(id: 5, version: 3), to: &table, in: folder)
    try expect(table, ids: 5..<6, version: 3)
    try check(held + newer)
    try grow(folder)
  }

  private typealias Held = [(name: TorturePicture.Name, image: Bitmap)]

  private static func hold(_ table: ImageTable) throws -> Held {
    try table.entries().map { entry in
      let image = try checked(table.get(entry.id), id: entry.id.idNumber)
      guard let image, let name = TorturePicture.read(image) else {
        throw Failure(description: "an entry without a picture")
      }
      return (name, image)
    }
  }

  private static func check(_ held: Held) throws {
    for (name, image) in held where TorturePicture.read(image) != name {
      throw Failure(description: "a held picture of id \(name.id) changed")
    }
  }

  private static func expect(
    _ table: ImageTable,
    ids: Range<UInt64>,
    version: UInt64
  ) throws {
    for id in ids {
      guard let image = try checked(table.get(TableID(id: id)), id: id),
        let name = TorturePicture.read(image), name.version == version
      else { throw Failure(description: "id \(id) is missing or of another version") }
    }
  }

  /// A table of thousands of pictures, which makes its directory larger several times.
  private static func grow(_ folder: String) throws {
    var large = format
    large.maximumCount = 3000
    let table = try ImageTable(at: "\(folder)/large", format: large)
    for id in 0..<3000 as Range<UInt64> {
      let image = try TorturePicture.make(id: id, version: 1, format: large)
      try table.put(TableID(id: id), version: TableID(version: 1), image)
    }
    try expect(table, ids: 0..<3000, version: 1)
    let report = try table.verify()
    guard report.dropped == 0, report.checked == 3000 else {
      throw Failure(description: "\(report)")
    }
  }

  /// Writes which of a file's bytes are stored first.
  static func showStored(_ path: String) throws {
    let file = try MappedFile.open(path) { _, _ in (4096, 4096) }
    StoreTorture.report("\(try file?.storedBytes(from: 0) ?? 0..<0)")
  }
}
