import Glibc
import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// Look-ups while another process holds the writer's lock and does not continue.
@Suite(.timeLimit(.minutes(10))) struct TableWaitingTests {
  private let folder: TableFolder
  private let table: ImageTable

  init() throws {
    folder = try TableFolder()
    table = try folder.table()
    for id in 0..<10 as Range<UInt64> { try table.put(id) }
  }

  /// Another open file that holds the writer's lock, as a stopped process does; it dies with the value.
  private final class Lock {
    private let mapped: MappedFile

    init(_ path: String) throws {
      let opened = try MappedFile.open(path) { _, _ in (4096, 4096) }
      mapped = try #require(opened)
      let number = TableHeader.processCount - 1
      let isLocked = try mapped.tryLock(TableHeader.processLocks.lowerBound + number)
      try #require(isLocked)
      try TableLock(mapped, process: number).lock(until: .now)
    }
  }

  @Test func aLookUpDuringARebuildOfAStoppedProcessFindsNothing() throws {
    let lock = try Lock(table.path)
    table.file.header.directoryEpoch.value |= 1
    #expect(table.get(99) == nil)
    #expect(!table.contains(TableID(id: 99)))
    #expect(table.version(5) == 1)
    withExtendedLifetime(lock) {}
  }

  @Test func aDamagedPictureIsNotRetrievedWhileTheEntryCannotBeRemoved() throws {
    let slot = try #require(table.file.slot(of: TableID(id: 3)))
    // Not verified in this session.
    table.file.record(slot).state.value ^= 1 << 40
    table.file.drawing(slot)[40] ^= 1
    do {
      let lock = try Lock(table.path)
      #expect(table.get(3) == nil)
      #expect(table.contains(TableID(id: 3)))
      withExtendedLifetime(lock) {}
    }
    #expect(table.get(3) == nil)
    #expect(!table.contains(TableID(id: 3)))
  }

  @Test func aReplacedFileWhoseSuccessorIsLockedGivesNothing() throws {
    // Another instance would be the same file of this process.
    let moved = "\(folder.path)/moved"
    try Files.rename(table.path, to: moved)
    _ = try ImageTable(at: folder.path, format: .small())
    table.file.header.isReplaced.value = 1
    let lock = try Lock(table.path)
    #expect(table.get(1) == nil)
    #expect(!table.contains(TableID(id: 1)))
    _ = consume lock
    #expect(table.get(1) == nil)
    try table.put(1, version: 2)
    #expect(table.version(1) == 2)
  }

  /// A thread of this process waits for the lock, and holds the process's own.
  @Test func aLookUpDoesNotWaitForAWriterThatWaits() throws {
    let table = table
    let done = ThreadLatch()
    do {
      let lock = try Lock(table.path)
      let started = BackgroundThread.start(name: "writer") {
        _ = try? table.remove(TableID(id: 1))
        done.open()
      }
      try #require(started)
      // Until the writer has the lock of this process.
      while table.file.writer.withLockIfAvailable({ _ in true }) != nil { BackgroundThread.yield() }
      table.file.header.directoryEpoch.value |= 1
      #expect(table.get(99) == nil)
      #expect(table.version(5) == 1)
      withExtendedLifetime(lock) {}
    }
    done.wait()
    #expect(table.get(1) == nil)
  }

  /// Threads share the lock under which a look-up begins: it must not read pages there.
  @Test func aNewPictureIsNotReadUnderALock() throws {
    let copy = "\(folder.path)/copy"
    try Files.createDirectories(copy)
    try Files.create("\(copy)/small.table", try Files.read(table.path))
    let table = try ImageTable(at: copy, format: .small())
    let (file, id) = (table.file, TableID(id: 5))
    guard case .cold = file.retrieve(id, nil, nil, uses: .init(limit: 1), onlyWarm: true) else {
      Issue.record("a picture that was never read is not cold")
      return
    }
    file.adviseWillNeed(try #require(file.slot(of: id)))
    guard case .cold = file.retrieve(id, nil, nil, uses: .init(limit: 1), onlyWarm: true) else {
      Issue.record("a picture that was not verified is not cold")
      return
    }
    #expect(try table.entries().allSatisfy { !$0.isHeld })
    #expect(table.version(5) == 1)
    guard case .picture = file.retrieve(id, nil, nil, uses: .init(limit: 1), onlyWarm: true) else {
      Issue.record("a picture that was verified is cold")
      return
    }
    #expect(table.statistics.hits == 1)
    #expect(table.statistics.misses == 0)
  }
}
