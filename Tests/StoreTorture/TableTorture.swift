import Glibc
import IkranPixels
package import IkranStores

/// What the torture program does to an image table.
package enum TableTorture {
  /// The table under test: two pages a slot, and padding after every row.
  package static let format = TableFormat(
    "torture",
    size: PixelSize(width: 61, height: 31),
    pixels: .bgra,
    maximumCount: 24
  )
  /// How many ids the operations draw from.
  package static let ids: UInt64 = 40

  /// Why a run stopped: the table returned a wrong result.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// A drawing that fails.
  package struct Interrupted: Error {
    /// Makes one.
    package init() {}
  }

  /// Runs the command that the arguments name; exits with 2 when there is none.
  static func run(_ words: [String]) throws {
    let numbers = words.dropFirst(2).compactMap { UInt64($0) }
    switch (words.first, words.count, numbers.count) {
    case ("table-write", 4, 2): try write(to: words[1], seed: numbers[0], count: Int(numbers[1]))
    case ("table-share", 3, 1): try share(words[1], seed: numbers[0])
    case ("table-open", 2, 0): try stay(ImageTable(opening: words[1]))
    case ("table-make", 2, 0): try make(words[1])
    case ("table-filled", 2, 0): try useFilledDisk(words[1])
    case ("table-sparse", 2, 0): try useSparseCopy(words[1])
    case ("table-crowded", 2, 0): try useWhileTheDiskFills(words[1])
    case ("table-lose", 2, 0): try loseDisk(words[1])
    case ("table-lost", 2, 0): try useLostDisk(words[1])
    case ("table-release", 2, 0): try releaseOnFullDisk(words[1])
    case ("table-large", 2, 0): try drawOnFullDisk(words[1])
    case ("table-orphan", 2, 0): try leaveFork(words[1])
    case ("table-shortened", 2, 0): try useShortened(words[1])
    case ("table-cut", 2, 0): try useAfterACut(words[1])
    case ("table-hold", 2, 0): try hold(words[1])
    case ("table-draw", 4, 2): try drawSlowly(words[1], id: numbers[0], version: numbers[1])
    case ("table-full", 4, 2):
      try fill(words[1], ignoring: numbers[0] == 1, limits: Int(numbers[1]))
    case ("table-disk", 2, 0): try fillDisk(words[1])
    case ("table-read-only", 2, 0): try useReadOnly(words[1])
    case ("table-read", 2, 0): try read(words[1])
    case ("table-stored", 2, 0): try showStored(words[1])
    case ("table-behave", 2, 0): try behave(words[1])
    case ("find-no-lock", 2, 0): try findNoLock(words[1])
    case ("table-change-all", 3, 1): try changeAll(words[1], version: numbers[0])
    case ("table-fork", 2, 0): try useFromForks(words[1])
    case ("table-fork-suspended", 2, 0): try forkWhileSuspended(words[1])
    case ("table-fail-to-suspend", 2, 0): try failToSuspend(words[1])
    case ("table-addresses", 3, 0):
      guard let task = GrowthTask(rawValue: words[2]) else { exit(2) }
      try useFewAddresses(words[1], task)
    default: exit(2)
    }
  }

  /// Does one operation, and checks every picture that it gets.
  static func apply(
    _ operation: TableOperation,
    to table: inout ImageTable,
    in folder: String
  ) throws {
    switch operation {
    case .put(let id, let version):
      let image = try TorturePicture.make(id: id, version: version, format: table.format)
      try table.put(TableID(id: id), version: TableID(version: version), image)
    case .draw(let id, let version):
      try table.put(TableID(id: id), version: TableID(version: version)) { canvas in
        TorturePicture.draw(id: id, version: version, on: &canvas)
      }
    case .failToDraw(let id):
      do {
        try table.put(TableID(id: id), version: TableID(version: 1)) { canvas in
          TorturePicture.draw(id: id + 1, version: 1, on: &canvas)
          throw Interrupted()
        }
        throw Failure(description: "a failed drawing was taken")
      } catch is Interrupted {
      }
    case .get(let id): _ = try checked(table.get(TableID(id: id)), id: id)
    case .getStale(let id):
      if table.get(TableID(id: id), version: TableID("stale")) != nil {
        throw Failure(description: "a stale picture of id \(id)")
      }
    case .remove(let id): try table.remove(TableID(id: id))
    case .removeAll(let version): try table.removeAll(version: TableID(version: version))
    case .verify:
      let report = try table.verify()
      if report.dropped > 0 { throw Failure(description: "\(report)") }
    case .compact: try table.compact()
    case .reset: try table.reset()
    case .reopen: table = try ImageTable(at: folder, format: format)
    }
  }

  /// Returns the picture of an id; throws when it is damaged or another id's.
  static func checked(_ image: Bitmap?, id: UInt64) throws -> Bitmap? {
    guard let image else { return nil }
    guard let name = TorturePicture.read(image) else {
      throw Failure(description: "a damaged picture under id \(id)")
    }
    guard name.id == id else {
      throw Failure(description: "the picture of id \(name.id) under id \(id)")
    }
    return image
  }

  /// Writes, reads and removes at random; a byte on standard output after each operation.
  static func write(to folder: String, seed: UInt64, count: Int) throws {
    var table = try ImageTable(at: folder, format: format)
    var operations = TableOperations(seed: seed, ids: ids)
    for _ in 0..<count {
      try apply(operations.next(), to: &table, in: folder)
      StoreTorture.report(".", end: "")
    }
  }

  /// Does the same next to other processes, and holds some pictures for a while.
  ///
  /// A byte on standard output says that it has begun. It ends when there is a file FOLDER.stop.
  static func share(_ folder: String, seed: UInt64) throws {
    var table = try ImageTable(at: folder, format: format)
    var operations = TableOperations(seed: seed, ids: ids)
    var held: [(name: TorturePicture.Name, image: Bitmap)] = []
    var count = 0
    while !Files.exists(folder + ".stop") {
      for _ in 0..<16 {
        let operation = operations.next()
        if case .get(let id) = operation {
          guard let image = try checked(table.get(TableID(id: id)), id: id),
            let name = TorturePicture.read(image)
          else { continue }
          held.append((name, image))
        } else {
          try apply(operation, to: &table, in: folder)
        }
        if held.count > 5 {
          let (name, image) = held.remove(at: Int(operations.random(5)))
          if TorturePicture.read(image) != name {
            throw Failure(description: "a held picture of id \(name.id) changed")
          }
        }
      }
      if count == 0 { StoreTorture.report(".", end: "") }
      count += 1
    }
  }

  /// Keeps a table open until it is killed; writes a byte when it is open.
  static func stay(_ table: ImageTable) throws {
    StoreTorture.report(".", end: "")
    pause()
    withExtendedLifetime(table) {}
  }

  /// Holds all pictures until SIGUSR1, then checks that none has changed; writes a byte when it
  /// holds them.
  static func hold(_ folder: String) throws {
    blockSignal()
    let table = try ImageTable(at: folder, format: format)
    var held: [(name: TorturePicture.Name, image: Bitmap)] = []
    for entry in try table.entries() {
      let image = try checked(table.get(entry.id, version: entry.version), id: entry.id.idNumber)
      guard let image, let name = TorturePicture.read(image) else {
        throw Failure(description: "an entry without a picture")
      }
      held.append((name, image))
    }
    StoreTorture.report(".", end: "")
    waitForSignal()
    for (name, image) in held where TorturePicture.read(image) != name {
      throw Failure(description: "a held picture of id \(name.id) changed")
    }
  }

  /// Stops in the middle of a drawing until SIGUSR1; writes a byte when it gets there.
  static func drawSlowly(_ folder: String, id: UInt64, version: UInt64) throws {
    blockSignal()
    let table = try ImageTable(at: folder, format: format)
    try table.put(TableID(id: id), version: TableID(version: version)) { canvas in
      TorturePicture.draw(id: id + 1, version: version, on: &canvas)
      StoreTorture.report(".", end: "")
      waitForSignal()
      TorturePicture.draw(id: id, version: version, on: &canvas)
    }
  }

  private static func userSignal() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGUSR1)
    return signals
  }

  static func blockSignal() {
    var signals = userSignal()
    sigprocmask(SIG_BLOCK, &signals, nil)
  }

  static func waitForSignal() {
    var signals = userSignal()
    var received: CInt = 0
    sigwait(&signals, &received)
  }
}
