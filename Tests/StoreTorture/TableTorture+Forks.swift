import Glibc
import IkranPixels
import IkranStores

/// A server that opens its tables, forks and uses them from all processes.
extension TableTorture {
  private typealias Held = (name: TorturePicture.Name, image: Bitmap)
  private typealias Fork = @convention(c) () -> pid_t

  static func useFromForks(_ folder: String) throws {
    // Swift declares `fork` unavailable, as it is unsafe in a program with several threads.
    guard let symbol = dlsym(nil, "fork") else { exit(77) }
    let fork = unsafeBitCast(symbol, to: Fork.self)
    let table = try ImageTable(at: folder, format: format)
    for id in 0..<24 as Range<UInt64> { try put(id, 1, into: table) }
    var inherited: [Held] = []
    for id in 0..<4 as Range<UInt64> { inherited.append(try hold(id, table)) }
    var children: [(pid_t, toChild: CInt, fromChild: CInt)] = []
    for number in 0..<3 as Range<UInt64> {
      let (down, up) = (try makePipe(), try makePipe())
      let process = fork()
      if process == 0 {
        close(down.write)
        close(up.read)
        inherited = []
        _exit(workAsChild(table, number, down.read, up.write))
      }
      close(down.read)
      close(up.write)
      children.append((process, down.write, up.read))
    }
    // The children have released what they inherited, and hold pictures of their own.
    for child in children { try wait(child.fromChild) }
    for round in 2..<6 as Range<UInt64> {
      for id in 0..<60 as Range<UInt64> { try put(id, round, into: table) }
    }
    for child in children { close(child.toChild) }
    for (process, _, _) in children {
      var status: CInt = 0
      guard waitpid(process, &status, 0) == process, status == 0 else {
        throw Failure(description: "a fork ended with status \(status)")
      }
    }
    try checkUnchanged(inherited)
    inherited = []
    guard try table.entries().allSatisfy({ !$0.isHeld }), try table.verify().dropped == 0 else {
      throw Failure(description: "pictures are still held")
    }
  }

  /// Forks while the table is suspended; then both processes use it.
  static func forkWhileSuspended(_ folder: String) throws {
    guard let symbol = dlsym(nil, "fork") else { exit(77) }
    let fork = unsafeBitCast(symbol, to: Fork.self)
    let table = try ImageTable(at: folder, format: format)
    for id in 0..<24 as Range<UInt64> { try put(id, 1, into: table) }
    var held: [Held] = []
    for id in 0..<4 as Range<UInt64> { held.append(try hold(id, table)) }
    try table.suspend()
    let (down, up) = (try makePipe(), try makePipe())
    let process = fork()
    if process == 0 {
      close(down.write)
      close(up.read)
      table.resume()
      let code = workAsChild(table, 0, down.read, up.write)
      guard (try? checkUnchanged(held)) != nil else { _exit(4) }
      _exit(code)
    }
    close(down.read)
    close(up.write)
    try wait(up.read)
    guard try firstLock(table.path) != nil else {
      throw Failure(description: "the fork uses the table without a lock")
    }
    table.resume()
    for round in 2..<6 as Range<UInt64> {
      for id in 0..<60 as Range<UInt64> { try put(id, round, into: table) }
    }
    close(down.write)
    var status: CInt = 0
    guard waitpid(process, &status, 0) == process, status == 0 else {
      throw Failure(description: "the fork ended with status \(status)")
    }
    try checkUnchanged(held)
    held = []
    guard try table.entries().allSatisfy({ !$0.isHeld }), try table.verify().dropped == 0 else {
      throw Failure(description: "pictures are still held")
    }
  }

  /// Holds pictures while the parent replaces them; returns the exit code.
  private static func workAsChild(
    _ table: ImageTable,
    _ number: UInt64,
    _ fromParent: CInt,
    _ toParent: CInt
  ) -> CInt {
    do {
      var held: [Held] = []
      for id in 4..<12 as Range<UInt64> { held.append(try hold(id, table)) }
      var byte: UInt8 = 1
      guard Glibc.write(toParent, &byte, 1) == 1 else { return 3 }
      while Glibc.read(fromParent, &byte, 1) > 0 {}
      try checkUnchanged(held)
      held = []
      for id in 0..<60 as Range<UInt64> { try put(id, 100 + number, into: table) }
      for id in 0..<60 as Range<UInt64> { _ = try checked(table.get(TableID(id: id)), id: id) }
      return 0
    } catch {
      StoreTorture.report("\(error)")
      return 1
    }
  }

  private static func hold(_ id: UInt64, _ table: ImageTable) throws -> Held {
    // A look-up waits some milliseconds at most, and a fork opens the table at its first.
    let end = ContinuousClock.now + .seconds(60)
    repeat {
      if let image = try checked(table.get(TableID(id: id)), id: id),
        let name = TorturePicture.read(image)
      {
        return (name, image)
      }
      sched_yield()
    } while ContinuousClock.now < end
    throw Failure(description: "no picture of id \(id)")
  }

  private static func checkUnchanged(_ held: [Held]) throws {
    for (name, image) in held where TorturePicture.read(image) != name {
      throw Failure(description: "a held picture of id \(name.id) changed")
    }
  }

  private static func put(_ id: UInt64, _ version: UInt64, into table: ImageTable) throws {
    let image = try TorturePicture.make(id: id, version: version, format: table.format)
    try table.put(TableID(id: id), version: TableID(version: version), image)
  }

  private static func makePipe() throws -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
    return (ends[0], ends[1])
  }

  private static func wait(_ descriptor: CInt) throws {
    var byte: UInt8 = 0
    guard Glibc.read(descriptor, &byte, 1) == 1 else { throw Failure(description: "a fork ended") }
  }
}
