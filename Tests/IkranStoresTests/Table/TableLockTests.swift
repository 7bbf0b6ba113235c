import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// The writer's lock, a word of the file: who holds it, and what frees it.
@Suite(.timeLimit(.minutes(10))) struct TableLockTests {
  private let folder: TableFolder
  private let table: ImageTable

  init() throws {
    folder = try TableFolder()
    table = try folder.table()
    for id in 0..<10 as Range<UInt64> { try table.put(id) }
  }

  private var header: TableHeader { table.file.header }

  /// An open file with its own process number, as another process has it.
  private func open(number: Int) throws -> (mapped: MappedFile, lock: TableLock) {
    let opened = try MappedFile.open(table.path) { _, _ in (4096, 4096) }
    let mapped = try #require(opened)
    let isLocked = try mapped.tryLock(TableHeader.processLocks.lowerBound + number)
    try #require(isLocked)
    return (mapped, TableLock(mapped, process: number))
  }

  private func isLocked(by lock: TableLock) -> Bool { header.writer.value == lock.word }

  @Test func aChangeLeavesTheLockFree() throws {
    #expect(header.writer.value == 0)
    try table.put(1, version: 2)
    #expect(header.writer.value == 0)
    #expect(throws: TableTorture.Interrupted.self) {
      try table.put(TableID(id: 1), version: TableID(version: 3)) { _ in
        throw TableTorture.Interrupted()
      }
    }
    #expect(header.writer.value == 0)
  }

  @Test func aLivingHolderKeepsOthersOut() throws {
    let other = try open(number: 40)
    try other.lock.lock(until: nil)
    let own = try #require(table.file.lock)
    #expect(throws: SystemError.self) { try own.lock(until: .now) }
    #expect(isLocked(by: other.lock))
    other.lock.unlock()
    try own.lock(until: .now)
    #expect(isLocked(by: own))
    own.unlock()
    #expect(header.writer.value == 0)
  }

  @Test func aDeadHoldersLockIsFree() throws {
    do { try open(number: 40).lock.lock(until: nil) }
    #expect(header.writer.value & 0xFF == 41)
    try table.put(1, version: 2)
    #expect(table.version(1) == 2)
    #expect(header.writer.value == 0)
  }

  /// The number of a dead holder belongs to a process that does not hold the lock.
  @Test func aNewProcessIsNotTakenForADeadHolderOfItsNumber() throws {
    do { try open(number: 40).lock.lock(until: nil) }
    let next = try open(number: 40)
    try table.put(1, version: 2)
    #expect(table.version(1) == 2)
    try next.lock.lock(until: .now)
    #expect(isLocked(by: next.lock))
  }

  @Test(arguments: [1, 41, 64, 65, 255, 1 << 40 | 7, .max, 0xFFFF_FF00] as [UInt64])
  func aDamagedLockIsFree(word: UInt64) throws {
    let other = try open(number: 40)
    header.writer.value = word
    try table.put(1, version: 2)
    #expect(table.version(1) == 2)
    #expect(header.writer.value == 0)
    withExtendedLifetime(other) {}
  }

  /// Its word without a change in progress: damage, or a copy made during one.
  @Test func aProcessThatFindsItsOwnWordTakesTheLock() throws {
    let own = try #require(table.file.lock)
    header.writer.value = own.word
    try table.put(1, version: 2)
    #expect(table.version(1) == 2)
    #expect(header.writer.value == 0)
  }

  @Test func aHolderThatLostTheLockDoesNotReleaseAnothers() throws {
    let other = try open(number: 40)
    let own = try #require(table.file.lock)
    try own.lock(until: .now)
    header.writer.value = 0
    try other.lock.lock(until: .now)
    own.unlock()
    #expect(isLocked(by: other.lock))
  }

  @Test func aFileThatNoProcessHasOpenIsNotLocked() throws {
    let copy = "\(folder.path)/copy"
    try Files.createDirectories(copy)
    header.writer.value = try #require(table.file.lock).word
    try Files.create("\(copy)/small.table", try Files.read(table.path))
    header.writer.value = 0
    let opened = try ImageTable(at: copy, format: .small())
    try opened.put(1, version: 2)
    #expect(opened.version(1) == 2)
  }

  /// Each holder adds one to a word without atomic operations: two at once would lose some.
  @Test func onlyOneOfManyHoldsTheLock() throws {
    let locks = try (20..<26).map { try open(number: $0) }
    let (rounds, table) = (Rounds.fewer(4000, atLeast: 400, concurrent: true), table)
    let clock = header.clock.relaxed
    onThreads(locks.count) { number in
      for _ in 0..<rounds {
        do { try locks[number].lock.lock(until: nil) } catch { return }
        let clock = table.file.header.clock
        clock.relaxed = clock.relaxed &+ 1
        locks[number].lock.unlock()
      }
    }
    #expect(header.clock.relaxed == clock + UInt64(rounds * locks.count))
  }
}
