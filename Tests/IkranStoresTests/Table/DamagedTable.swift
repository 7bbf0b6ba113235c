import Glibc
import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

/// The bytes of a small table with twenty pictures, for damaged copies.
struct DamagedTable {
  static let ids: Range<UInt64> = 0..<20
  static let format = TableFormat.small("victim", maximumCount: 30)
  /// The offset of the records of the only chunk of slots: after the header and the directory.
  static let records = 4096 + 4096 + 64 * 4096
  /// The number of pages of the file that are not all zeros.
  let bytes: [UInt8]
  let folder: TableFolder
  private var path: String { "\(folder.path)/copy" }
  var file: String { "\(path)/victim.table" }

  init() throws {
    folder = try TableFolder()
    let original = "\(folder.path)/original"
    do {
      let table = try ImageTable(at: original, format: Self.format)
      for id in Self.ids { try table.put(id, version: id * 3) }
    }
    bytes = try Files.read("\(original)/victim.table")
    // The offsets that the tests use are right.
    try #require(bytes.count == Self.records + 4096 + 64 * 4096)
    for id in Self.ids { try #require(bytes[Self.records + Int(id) * 64] == 2) }
  }

  /// Writes a copy with other bytes.
  func write(_ damaged: [UInt8]) throws {
    try Files.removeTree(path)
    try Files.createDirectories(path)
    try Files.create(file, damaged)
  }

  /// Writes other bytes, opens the table and uses it in every way: no picture may be wrong.
  ///
  /// - Returns: The ids whose pictures were still there.
  @discardableResult
  func survivors(of damaged: [UInt8], _ what: @autoclosure () -> String = "") throws -> Set<UInt64>
  {
    try write(damaged)
    return try useFile(what())
  }

  /// Opens the present file and uses the table in every way.
  func useFile(_ what: @autoclosure () -> String = "") throws -> Set<UInt64> {
    let table: ImageTable
    do {
      table = try ImageTable(at: path, format: Self.format)
    } catch {
      Issue.record("\(what()): \(error)")
      return []
    }
    var found: Set<UInt64> = []
    for id in Self.ids {
      guard let name = table.name(id) else { continue }
      #expect(name == .init(id: id, version: id * 3), "\(what())")
      found.insert(id)
    }
    let listed = try table.entries()
    #expect(listed.count <= 64, "\(what())")
    _ = try table.verify()
    for entry in try table.entries() {
      let image = table.get(entry.id, version: entry.version)
      #expect(image.flatMap { TorturePicture.read($0) } != nil, "\(what())")
    }
    for id in Self.ids where table.version(id) == nil {
      #expect(!found.contains(id), "\(what()): picture \(id) was lost by looking")
    }
    let report = try table.verify()
    #expect(report.dropped == 0, "\(what())")
    #expect(!report.directoryWasRebuilt, "\(what())")
    // More new pictures than the limit, so that every old one is evicted.
    for id in 100..<135 as Range<UInt64> { try table.put(id, version: 1) }
    #expect(try table.ids == (105..<135).reversed(), "\(what())")
    for id in 131..<135 as Range<UInt64> { #expect(table.version(id) == 1, "\(what())") }
    #expect(try table.remove(TableID(id: 134)), "\(what())")
    return found
  }

  /// Opens the present file without replacing it: an error, or no wrong picture.
  func openFile(_ what: @autoclosure () -> String = "") throws {
    guard let table = try? ImageTable(opening: file) else { return }
    for id in Self.ids {
      guard let name = table.name(id) else { continue }
      #expect(name == .init(id: id, version: id * 3), "\(what())")
    }
  }

  /// The bytes with a changed header that has a matching checksum.
  func withHeader(_ offset: Int, _ value: UInt32) -> [UInt8] {
    var changed = bytes
    for byte in 0..<4 { changed[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
    let sum = Checksum.of(Array(changed[..<504]))
    for byte in 0..<8 { changed[504 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
    return changed
  }

  /// Changes words of the present file in place, and restores its time of change.
  func overwriteUnnoticed(_ words: [(offset: Int, value: UInt64)]) throws {
    var status = stat()
    try #require(stat(file, &status) == 0)
    for (offset, value) in words {
      try overwrite(withUnsafeBytes(of: value, Array.init), at: offset)
    }
    #expect(utimensat(AT_FDCWD, file, [status.st_atim, status.st_mtim], 0) == 0)
  }

  /// Changes bytes of the present file in place.
  func overwrite(_ new: [UInt8], at offset: Int) throws {
    let descriptor = open(file, O_WRONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    #expect(pwrite(descriptor, new, new.count, offset) == new.count)
  }
}
