import Glibc
import IkranPixels
import IkranStores

extension TableTorture {
  /// Creates tables under file size limits from nothing to all they need, in `limits` steps, which
  /// fails like a full disk; each in a new folder.
  ///
  /// With `ignoring` the signal that the kernel sends is ignored; without, it would end the
  /// process.
  static func fill(_ folder: String, ignoring: Bool, limits: Int) throws {
    // Set in both cases: the parent process may have changed it.
    signal(SIGXFSZ, ignoring ? SIG_IGN : SIG_DFL)
    let whole = "\(folder)/whole"
    try Files.createDirectories(whole)
    do {
      let table = try ImageTable(at: whole, format: format)
      for id in 0..<24 { try put(UInt64(id), into: table) }
    }
    try fillBelow(whole)
    let size = try Files.list(whole).compactMap { Files.size("\(whole)/\($0)") }.max() ?? 0
    var reached: Set<Int> = []
    for step in 0...limits {
      let path = "\(folder)/\(step)"
      try Files.createDirectories(path)
      StoreTorture.setFileSizeLimit(rlim_t(size * step / limits))
      reached.insert(try fillTable(path))
      StoreTorture.setFileSizeLimit(nil)
      try recover(path)
      try Files.removeTree(path)
    }
    guard reached.contains(0), reached.contains(24) else {
      throw Failure(description: "the limits let in \(reached.sorted()) pictures")
    }
  }

  /// Uses a table that is already larger than the file size limit.
  private static func fillBelow(_ path: String) throws {
    for limit in [0, 100, 4096, 8192, 270_000, 300_000] as [rlim_t] {
      let table = try ImageTable(at: path, format: format)
      StoreTorture.setFileSizeLimit(limit)
      defer { StoreTorture.setFileSizeLimit(nil) }
      try keepAll(24, in: table)
      for id in 0..<24 as Range<UInt64> {
        do throws(TableError) { try put(id, into: table) } catch { try expectFull(error) }
      }
      try keepAll(24, in: table)
      for step in [table.compact, table.reset] {
        do throws(TableError) { try step() } catch { try expectFull(error) }
        guard try table.entries().isEmpty else { continue }
        StoreTorture.setFileSizeLimit(nil)
        for id in 0..<24 as Range<UInt64> { try put(id, into: table) }
      }
      try keepAll(24, in: table)
    }
  }

  /// Fills a table up to its count or the limit; returns how many pictures it took.
  private static func fillTable(_ path: String) throws -> Int {
    var table: ImageTable
    do throws(TableError) {
      table = try ImageTable(at: path, format: format)
    } catch {
      try expectFull(error)
      return 0
    }
    var count = 0
    do throws(TableError) {
      while count < 24 {
        try put(UInt64(count), into: table)
        count += 1
      }
    } catch {
      try expectFull(error)
      // The next put fails too, and no entry is lost.
      do throws(TableError) {
        try put(100, into: table)
        throw .damaged(path: path, reason: "it was full only once")
      } catch {
        try expectFull(error)
      }
      for step in [table.compact, table.reset] where count > 0 {
        try keepAll(count, in: table)
        do throws(TableError) { try step() } catch { try expectFull(error) }
        if try table.entries().isEmpty { return count }
      }
    }
    try keepAll(count, in: table)
    return count
  }

  /// Fills a whole disk: the folder must be on a separate small disk.
  static func fillDisk(_ folder: String) throws {
    var large = format
    large.maximumCount = 1_000_000
    let room = Files.freeByteCount(at: folder)
    let table = try ImageTable(at: folder, format: large)
    var count = 0
    do throws(TableError) {
      while count < 1_000_000 {
        try put(UInt64(count), into: table)
        count += 1
      }
    } catch {
      try expectFull(error)
    }
    // The rest is the directory, the records, and a remainder too small for a picture.
    guard count * table.slotByteCount > room / 10 * 9 else {
      throw Failure(description: "only \(count) pictures fitted")
    }
    try keepAll(count, in: table)
    do throws(TableError) { try table.reset() } catch { try expectFull(error) }
    if try table.entries().count == count {
      // A freed slot can be used for the next picture.
      try table.remove(TableID(id: 0))
      try put(0, into: table)
      try keepAll(count, in: table)
    }
    guard try table.verify().dropped == 0 else { throw Failure(description: "pictures were lost") }
  }

  /// Creates a table of ten pictures.
  static func make(_ folder: String) throws {
    let table = try ImageTable(at: folder, format: format)
    for id in 0..<10 as Range<UInt64> { try put(id, into: table) }
  }

  /// Uses that table on a disk that has been filled since.
  static func useFilledDisk(_ folder: String) throws {
    let table = try ImageTable(at: folder, format: format)
    try keepAll(10, in: table)
    do throws(TableError) {
      _ = try ImageTable(at: "\(folder)/more", format: format)
      throw .damaged(path: folder, reason: "a table was made on a full disk")
    } catch {
      try expectFull(error)
    }
    // The table's disk space stays allocated: new pictures fit into it repeatedly.
    for round in 0..<10 as Range<UInt64> {
      for id in 0..<10 as Range<UInt64> {
        try put(id, into: table)
        if round % 3 == 0 { try table.remove(TableID(id: id)) }
        try put(id, into: table)
      }
    }
    do throws(TableError) {
      for id in 10..<24 as Range<UInt64> { try put(id, into: table) }
    } catch {
      try expectFull(error)
    }
    try keepAll(10, in: table)
    guard try table.verify().dropped == 0 else { throw Failure(description: "pictures were lost") }
  }

  /// Opens a copy with holes on a full disk, which is an error and no signal; then with room.
  static func useSparseCopy(_ folder: String) throws {
    do throws(TableError) {
      _ = try ImageTable(at: folder, format: format)
      throw .damaged(path: folder, reason: "holes were allocated on a full disk")
    } catch {
      try expectFull(error)
    }
    try Files.remove("\(folder)/filler")
    // Some file systems free its space later.
    sync()
    let table = try ImageTable(at: folder, format: format)
    try keepAll(10, in: table)
    try table.put(TableID(id: 99), version: TableID(version: 1)) { canvas in
      TorturePicture.draw(id: 99, version: 1, on: &canvas)
    }
    guard try table.verify().dropped == 0 else { throw Failure(description: "pictures were lost") }
  }

  /// Reads a table that this process may not write, before and after the test changes all of it.
  ///
  /// Its ten pictures have the version of their ids, and then 7.
  static func read(_ folder: String) throws {
    blockSignal()
    try becomeNobody()
    let table = try ImageTable(at: folder, format: format)
    let second = try ImageTable(opening: table.path)
    var held: [(name: TorturePicture.Name, image: Bitmap)] = []
    for id in 0..<10 as Range<UInt64> {
      guard let image = try checked(table.get(TableID(id: id)), id: id),
        let name = TorturePicture.read(image), table.contains(TableID(id: id)),
        second.get(TableID(id: id), version: TableID(version: 99)) == nil
      else { throw Failure(description: "no picture of id \(id)") }
      held.append((name, image))
    }
    for change in [{ try put(1, into: table) }, { _ = try second.remove(TableID(id: 1)) }] {
      do {
        try change()
        throw Failure(description: "a table was changed by a reader")
      } catch let error as TableError {
        try expectReadOnly(error)
      }
    }
    try suspendReader(table)
    StoreTorture.report(".", end: "")
    waitForSignal()
    for (name, image) in held where TorturePicture.read(image) != name {
      throw Failure(description: "a held picture of id \(name.id) changed")
    }
    for id in 0..<10 as Range<UInt64> {
      let image = try checked(table.get(TableID(id: id)), id: id)
      guard image.flatMap({ TorturePicture.read($0) })?.version == 7 else {
        throw Failure(description: "an old picture of id \(id)")
      }
    }
  }

  private static func suspendReader(_ table: ImageTable) throws {
    try table.suspend()
    guard table.get(TableID(id: 1)) == nil, !table.contains(TableID(id: 1)) else {
      throw Failure(description: "a suspended table finds pictures")
    }
    table.resume()
    guard table.get(TableID(id: 1)) != nil, table.contains(TableID(id: 1)) else {
      throw Failure(description: "a picture is not found again")
    }
  }

  /// Changes to the user `nobody`, as permissions do not apply to root.
  private static func becomeNobody() throws {
    guard geteuid() == 0 else { return }
    guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(77) }
  }

  /// Uses every call on a table in a read-only folder.
  static func useReadOnly(_ folder: String) throws {
    try becomeNobody()
    var other = format
    other.name = "other"
    do throws(TableError) {
      _ = try ImageTable(at: folder, format: other)
      throw .damaged(path: folder, reason: "a table was made in a read-only folder")
    } catch {
      try expectReadOnly(error)
    }
    let table: ImageTable
    do throws(TableError) {
      table = try ImageTable(at: folder, format: format)
    } catch {
      try expectReadOnly(error)
      return
    }
    try keepAll(10, in: table)
    do throws(TableError) {
      try put(1, into: table)
      throw .damaged(path: folder, reason: "a picture was put into a read-only table")
    } catch {
      try expectReadOnly(error)
    }
    try keepAll(10, in: table)
  }

  /// Puts the picture of an id, in the version of the same number.
  static func put(_ id: UInt64, into table: ImageTable) throws(TableError) {
    guard let image = try? TorturePicture.make(id: id, version: id, format: table.format) else {
      throw .invalidFormat(reason: "no memory for the picture")
    }
    try table.put(TableID(id: id), version: TableID(version: id), image)
  }

  private static func keepAll(_ count: Int, in table: ImageTable) throws {
    for id in 0..<UInt64(count) {
      guard try checked(table.get(TableID(id: id)), id: id) != nil else {
        throw Failure(description: "picture \(id) of \(count) was lost")
      }
    }
  }

  private static func recover(_ path: String) throws {
    let table = try ImageTable(at: path, format: format)
    for id in 0..<24 { try put(UInt64(id), into: table) }
    try keepAll(24, in: table)
    let report = try table.verify()
    guard report.checked == 24, report.dropped == 0 else {
      throw Failure(description: "it did not recover: \(report)")
    }
  }

  private static func expectFull(_ error: TableError) throws {
    guard case .full = error else { throw Failure(description: "not full, but: \(error)") }
  }

  private static func expectReadOnly(_ error: TableError) throws {
    guard case .readOnly = error else { throw Failure(description: "not read-only, but: \(error)") }
  }
}
