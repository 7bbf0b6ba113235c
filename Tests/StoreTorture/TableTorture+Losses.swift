import Glibc
import IkranPixels
import IkranStores

/// Tables whose last writes are lost, or that a program leaves while the disk is full.
extension TableTorture {
  /// Replaces the ten pictures of a table and closes it; then writes its header and records to the disk,
  /// and takes the disk away before it has the pictures.
  static func loseDisk(_ folder: String) throws {
    do {
      let table = try ImageTable(at: folder, format: format)
      for id in 0..<10 as Range<UInt64> {
        let image = try TorturePicture.make(id: id, version: 7, format: format)
        try table.put(TableID(id: id), version: TableID(version: 7), image)
      }
    }
    let descriptor = open("\(folder)/torture.table", O_RDWR)
    guard descriptor >= 0, let size = Files.size("\(folder)/torture.table"),
      let symbol = dlsym(nil, "sync_file_range")
    else { throw Failure(description: "no table") }
    typealias Function = @convention(c) (CInt, Int, Int, CUnsignedInt) -> CInt
    let write = unsafeBitCast(symbol, to: Function.self)
    // Header and directory, then each page that may have records: a slot has two pages, a chunk 64 slots.
    let chunk = 4096 + 64 * 8192
    for start in [0] + stride(from: 4096, to: size, by: chunk) {
      guard write(descriptor, start, 4096, 7) == 0 else { throw Failure(description: "no writes") }
    }
    // EXT4_IOC_SHUTDOWN; what was not written is lost.
    var kind: UInt32 = 2
    guard ioctl(descriptor, 0x8004_587D, &kind) == 0 else {
      throw Failure(description: "the disk stays: \(errno)")
    }
  }

  /// Every picture of that table is missing or whole.
  static func useLostDisk(_ folder: String) throws {
    let table = try ImageTable(at: folder, format: format)
    for id in 0..<10 as Range<UInt64> { _ = try checked(table.get(TableID(id: id)), id: id) }
    for id in 0..<24 as Range<UInt64> { try put(id, into: table) }
    guard try table.entries().count == 24, try table.verify().dropped == 0 else {
      throw Failure(description: "the table did not recover")
    }
  }

  /// Releases pictures while the disk is full, and closes the table when it is not.
  static func releaseOnFullDisk(_ folder: String) throws {
    do {
      let table = try ImageTable(at: folder, format: format)
      for id in 0..<10 as Range<UInt64> { try put(id, into: table) }
      var held = (0..<8 as Range<UInt64>).compactMap { table.get(TableID(id: $0)) }
      guard held.count == 8 else { throw Failure(description: "no pictures to hold") }
      try fillDisk(with: "\(folder)/filler")
      sync()
      while (try? put(10, into: table)) != nil { sched_yield() }
      held = []
      try Files.remove("\(folder)/filler")
      sync()
      while (try? put(10, into: table)) == nil { sched_yield() }
    }
    let table = try ImageTable(at: folder, format: format)
    guard try table.entries().allSatisfy({ !$0.isHeld }) else {
      throw Failure(description: "pictures of a process that has closed the table are held")
    }
  }

  /// Draws a picture that is larger than what the disk has left: an error, and the old one stays.
  static func drawOnFullDisk(_ folder: String) throws {
    let large = TableFormat(
      "large",
      size: PixelSize(width: 4096, height: 2048),
      pixels: .bgra,
      maximumCount: 1
    )
    let table = try ImageTable(at: folder, format: large)
    func draw(_ version: UInt64) throws {
      try table.put(TableID(id: 1), version: TableID(version: version)) { canvas in
        TorturePicture.draw(id: 1, version: version, on: &canvas)
      }
    }
    for version in 1...4 as ClosedRange<UInt64> { try draw(version) }
    sync()
    try fillDisk(with: "\(folder)/filler", leaving: 16 << 20)
    sync()
    var version: UInt64 = 4
    do {
      try draw(5)
      // The file system may find room after all.
      version = 5
    } catch let error as TableError {
      guard case .full = error else { throw error }
    }
    guard let image = try checked(table.get(TableID(id: 1)), id: 1),
      TorturePicture.read(image)?.version == version
    else { throw Failure(description: "the old picture is gone") }
  }

  /// Fills the disk but for this many bytes.
  private static func fillDisk(with path: String, leaving room: Int) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw Failure(description: "no filler") }
    defer { close(descriptor) }
    let block = [UInt8](repeating: 7, count: 1 << 19)
    while Files.freeByteCount(at: path) > room {
      guard Glibc.write(descriptor, block, block.count) > 0, fsync(descriptor) == 0 else { return }
    }
  }

  // MARK: - A fork that does nothing

  /// Forks a process that holds what it inherited and does nothing, and stays in the middle of a change
  /// until it is killed; a byte of each on standard output says so.
  ///
  /// The fork writes its number to FOLDER/fork. At SIGUSR1 it compares what it inherited, uses the table
  /// and writes what it has found.
  static func leaveFork(_ folder: String) throws {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(nil, "fork") else { exit(77) }
    blockSignal()
    let table = try ImageTable(at: folder, format: format)
    for id in 0..<4 as Range<UInt64> { try put(id, into: table) }
    let held = (0..<4 as Range<UInt64>).compactMap { table.get(TableID(id: $0)) }
    let process = unsafeBitCast(symbol, to: Fork.self)()
    if process == 0 {
      StoreTorture.report(".", end: "")
      waitForSignal()
      StoreTorture.report(forkResult(table, held), end: "")
      _exit(0)
    }
    try Files.create("\(folder)/fork", Array("\(process)".utf8))
    // Its own word in the writer's lock, as in the middle of a change.
    let descriptor = open(table.path, O_RDWR)
    var word: UInt64 = 0
    guard pread(descriptor, &word, 8, 2048) == 8, word & 0xFF == 1,
      pwrite(descriptor, &word, 8, 1280) == 8
    else { throw Failure(description: "no word") }
    try stay(table)
  }

  private static func forkResult(_ table: ImageTable, _ held: [Bitmap]) -> String {
    for (id, image) in held.enumerated() where TorturePicture.read(image)?.id != UInt64(id) {
      return "a picture that was inherited changed"
    }
    do { try put(50, into: table) } catch { return "\(error)" }
    return held.count == 4 && table.get(TableID(id: 50)) != nil ? "right" : "no picture"
  }
}
