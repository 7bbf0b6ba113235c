import Glibc
import IkranPixels
import IkranStores

/// What other processes do while one has suspended its table.
extension TableTorture {
  /// Exits with an error if any process has a lock of a file: for a process that has opened none.
  ///
  /// It asks for the whole file, as the system would that ends a suspended program.
  static func findNoLock(_ path: String) throws {
    if let byte = try firstLock(path) {
      throw Failure(description: "\(path) is locked from byte \(byte)")
    }
  }

  /// The first byte of a file that any opening has locked; nil when there is none.
  static func firstLock(_ path: String) throws -> Int? {
    let file = open(path, O_RDWR)
    guard file >= 0 else { throw Failure(description: "\(path) cannot be opened") }
    defer { close(file) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    // F_OFD_GETLK.
    guard fcntl(file, 36, &lock) == 0 else { throw Failure(description: "\(path): errno \(errno)") }
    return Int32(lock.l_type) == F_UNLCK ? nil : Int(lock.l_start)
  }

  /// Has the process run out of mappings while held pictures are copied, and uses the table.
  static func failToSuspend(_ folder: String) throws {
    var table = try ImageTable(at: folder, format: format)
    let other = try ImageTable(opening: table.path)
    try fill(&table, in: folder)
    var held = try holdSome(of: table)
    try expectFailure(to: table)
    try checkUnchanged(held)
    held = []
    for version in 2..<6 as Range<UInt64> {
      for id in 0..<20 as Range<UInt64> {
        try apply(.put(id: id, version: version), to: &table, in: folder)
        let image = try checked(table.get(TableID(id: id)), id: id)
        guard image.flatMap({ TorturePicture.read($0) })?.version == version else {
          throw Failure(description: "an old picture of id \(id)")
        }
      }
    }
    // What was suspended before stays so.
    try table.reset()
    try fill(&table, in: folder)
    try table.suspend()
    held = try holdSome(of: other)
    try expectFailure(to: table)
    guard table.get(TableID(id: 1)) == nil else { throw Failure(description: "it is in use") }
    // The next attempt copies what the last one has not.
    try table.suspend()
    try findNoLock(table.path)
    try checkUnchanged(held)
    held = []
    table.resume()
    guard try table.verify().dropped == 0 else { throw Failure(description: "pictures were lost") }
  }

  /// Puts pictures into an empty table: in the order of the slots.
  private static func fill(_ table: inout ImageTable, in folder: String) throws {
    for id in 0..<20 as Range<UInt64> {
      try apply(.put(id: id, version: 1), to: &table, in: folder)
    }
  }

  /// Pictures in every second slot: copies next to each other could be one mapping.
  private static func holdSome(
    of table: ImageTable
  ) throws -> [(name: TorturePicture.Name, image: Bitmap)] {
    try stride(from: 0, to: 20 as UInt64, by: 2).map { id in
      guard let image = try checked(table.get(TableID(id: id)), id: id),
        let name = TorturePicture.read(image)
      else { throw Failure(description: "no picture of id \(id)") }
      return (name, image)
    }
  }

  private static func checkUnchanged(
    _ held: [(name: TorturePicture.Name, image: Bitmap)]
  ) throws {
    for (name, image) in held where TorturePicture.read(image) != name {
      throw Failure(description: "a held picture of id \(name.id) changed")
    }
  }

  private static func expectFailure(to table: ImageTable) throws {
    var hasFailed = false
    try withFewMappings {
      do throws(TableError) { try table.suspend() } catch { hasFailed = true }
    }
    guard hasFailed else { throw Failure(description: "there was room for all copies") }
  }

  /// Takes all mappings but six that the system lets a process have, until `body` returns.
  private static func withFewMappings(_ body: () -> Void) throws {
    let page = sysconf(CInt(_SC_PAGESIZE))
    let byteCount = 300_000 * page
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let start = mmap(nil, byteCount, PROT_NONE, flags, -1, 0), start != MAP_FAILED else {
      throw Failure(description: "no addresses")
    }
    defer { munmap(start, byteCount) }
    // Each page that differs from its neighbours is a mapping, and makes one of what follows.
    var offset = page
    while mprotect(start + offset, page, PROT_READ) == 0 {
      offset += 2 * page
      guard offset < byteCount else { throw Failure(description: "mappings have no limit") }
    }
    for number in 1...3 { mprotect(start + offset - number * 2 * page, page, PROT_NONE) }
    body()
  }

  /// Replaces every picture by one of another version, adds as many as fit, and closes the table.
  static func changeAll(_ folder: String, version: UInt64) throws {
    var table = try ImageTable(at: folder, format: format)
    let present = try table.entries().map(\.id.idNumber)
    for id in present + (1000..<1100) {
      try apply(.put(id: id, version: version), to: &table, in: folder)
    }
    for id in present { try apply(.put(id: id, version: version), to: &table, in: folder) }
  }
}
