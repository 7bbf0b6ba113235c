import Glibc
import IkranPixels
import IkranStores

/// Tables whose bytes are taken away while they are in use: nothing ends with a signal.
extension TableTorture {
  /// Uses a table while the disk becomes full, and afterwards.
  ///
  /// A file system that copies on write needs room for each store after a page was written back: there
  /// pictures are copies for as long as the disk is full, and nothing is changed.
  static func useWhileTheDiskFills(_ folder: String) throws {
    try fillAroundTable(folder)
    do throws(TableError) {
      try expectAll(10, in: ImageTable(at: folder, format: format))
    } catch {
      guard case .full = error else { throw error }
    }
    try Files.remove("\(folder)/filler")
    sync()
    let table = try ImageTable(at: folder, format: format)
    try expectAll(10, in: table)
    for id in 10..<24 as Range<UInt64> { try put(id, into: table) }
    try expectAll(24, in: table)
    guard try table.verify().dropped == 0 else { throw Failure(description: "pictures were lost") }
  }

  private static func fillAroundTable(_ folder: String) throws {
    let table = try ImageTable(at: folder, format: format)
    for id in 0..<10 as Range<UInt64> { try put(id, into: table) }
    var held = (0..<4 as Range<UInt64>).compactMap { table.get(TableID(id: $0)) }
    try fillDisk(with: "\(folder)/filler")
    // From now on each page is clean, and the next store into it may need room.
    sync()
    // The process has the file open already, so this opens no file, and writes no limits where it may not.
    try expectAll(10, in: ImageTable(at: folder, format: format))
    for id in 0..<12 as Range<UInt64> {
      do throws(TableError) { try put(id, into: table) } catch {
        guard case .full = error else { throw error }
      }
    }
    _ = try? table.remove(TableID(id: 20))
    for (id, image) in held.enumerated() where TorturePicture.read(image)?.id != UInt64(id) {
      throw Failure(description: "a held picture changed")
    }
    held = []
    try expectAll(10, in: table)
  }

  static func fillDisk(with path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw Failure(description: "no filler") }
    defer { close(descriptor) }
    let block = [UInt8](repeating: 7, count: 4096)
    while Glibc.write(descriptor, block, block.count) > 0 {}
    guard fsync(descriptor) == 0 || errno == ENOSPC else { throw Failure(description: "no fsync") }
  }

  /// Uses a table that another program makes shorter: first by some chunks, then to less than its
  /// header.
  static func useShortened(_ folder: String) throws {
    var large = format
    large.maximumCount = 300
    do {
      let table = try ImageTable(at: folder, format: large)
      for id in 0..<200 as Range<UInt64> { try put(id, into: table) }
    }
    let table = try ImageTable(at: folder, format: large)
    guard try checked(table.get(TableID(id: 0)), id: 0) != nil,
      let whole = Files.size(table.path), truncate(table.path, whole / 2) == 0
    else { throw Failure(description: "no table to make shorter") }
    // Pictures of chunks that are gone were never touched by this process.
    var found = 0
    for id in 0..<200 as Range<UInt64> where try checked(table.get(TableID(id: id)), id: id) != nil
    {
      found += 1
    }
    let report = try table.verify()
    // Of a chunk that was cut in two all pictures leave.
    guard found < 190, 10...found ~= report.checked, report.dropped == 0,
      try table.entries().count == report.checked
    else { throw Failure(description: "\(found) of 200 pictures were found, \(report)") }
    for id in 200..<300 as Range<UInt64> {
      try put(id, into: table)
      guard try checked(table.get(TableID(id: id)), id: id) != nil else {
        throw Failure(description: "\(id) was lost")
      }
    }
    try table.synchronize()
    try useWithoutHeader(table)
  }

  /// Waits, with many free slots, until another process has dropped chunks that were cut off; a byte on
  /// standard output says when, and SIGUSR1 that it is done.
  static func useAfterACut(_ folder: String) throws {
    blockSignal()
    var large = format
    large.maximumCount = 300
    let table = try ImageTable(at: folder, format: large)
    for id in 0..<200 as Range<UInt64> { try put(id, into: table) }
    for id in 20..<200 as Range<UInt64> { _ = try table.remove(TableID(id: id)) }
    StoreTorture.report(".", end: "")
    waitForSignal()
    for id in 200..<300 as Range<UInt64> {
      try put(id, into: table)
      guard try checked(table.get(TableID(id: id)), id: id) != nil else {
        throw Failure(description: "\(id) was lost")
      }
    }
  }

  private static func useWithoutHeader(_ table: ImageTable) throws {
    guard truncate(table.path, 100) == 0 else { throw Failure(description: "no truncation") }
    // Puts look at the file's length once in 16 ms, the other changes each time.
    let changes: [() throws -> Void] = [
      { _ = try table.remove(TableID(id: 1)) }, { try put(1, into: table) },
      { _ = try table.verify() }, { _ = try table.entries() }, { try table.synchronize() },
      { try table.compact() }, { try table.reset() },
    ]
    for (number, change) in changes.enumerated() {
      do {
        try change()
        throw Failure(description: "change \(number) succeeded without a header")
      } catch let error as TableError {
        guard case .damaged = error else { throw error }
      }
    }
    guard (try? ImageTable(opening: table.path)) == nil else {
      throw Failure(description: "a table without a header was opened")
    }
  }

  private static func expectAll(_ count: Int, in table: ImageTable) throws(TableError) {
    for id in 0..<UInt64(count) {
      let image = table.get(TableID(id: id))
      guard let image, TorturePicture.read(image)?.id == id else {
        throw .damaged(path: table.path, reason: "picture \(id) of \(count) is missing or wrong")
      }
    }
  }
}
