import Dispatch
import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// Tables whose process must hold no lock for a while.
@Suite(.timeLimit(.minutes(5))) struct TableSuspendingTests {
  private let folder: TableFolder
  private let table: ImageTable

  init() throws {
    folder = try TableFolder()
    table = try ImageTable(at: folder.path, format: TableTorture.format)
    for id in 0..<10 as Range<UInt64> { try table.put(id) }
  }

  /// Runs the torture program to its end.
  private func run(_ words: String..., location: SourceLocation = #_sourceLocation) throws {
    let end = try ChildProcess(words).finish()
    #expect(end.code == 0, "\(end.output)", sourceLocation: location)
  }

  private func findNoLock(_ location: SourceLocation = #_sourceLocation) throws {
    try run("find-no-lock", table.path, location: location)
  }

  @Test func anOpenTableHasALock() throws {
    let end = try ChildProcess(["find-no-lock", table.path]).finish()
    #expect(end.code == 1, "\(end.output)")
  }

  @Test func anotherProcessFindsNoLockOfASuspendedTable() throws {
    try table.suspend()
    try findNoLock()
    table.resume()
    #expect(table.version(3) == 1)
    #expect(try ChildProcess(["find-no-lock", table.path]).finish().code == 1)
  }

  @Test func heldPicturesKeepNoLockAndStayAsTheyAre() throws {
    let held = try (0..<10 as Range<UInt64>).map { try HeldPicture(table, $0) }
    try table.suspend()
    try findNoLock()
    try run("table-change-all", folder.path, "7")
    for picture in held { #expect(picture.isUnchanged) }
    table.resume()
    for id in 0..<10 as Range<UInt64> { #expect(table.version(id) == 7) }
    for picture in held { #expect(picture.isUnchanged) }
    #expect(try table.isClean())
  }

  @Test func picturesInFilesThatWereReplacedKeepNoLock() throws {
    let held = try HeldPicture(table, 4)
    try table.compact()
    let newer = try HeldPicture(table, 5)
    try table.suspend()
    try findNoLock()
    #expect(OpenTableFiles.locked(at: table.path) == 0)
    #expect(held.isUnchanged && newer.isUnchanged)
  }

  @Test func nothingThatWasPutIsLost() throws {
    try table.suspend()
    table.resume()
    for id in 0..<10 as Range<UInt64> { #expect(table.version(id) == 1) }
    #expect(try table.isClean())
  }

  @Test func aSuspensionIsACleanEndOfUse() throws {
    try table.suspend()
    let mapped = try #require(try MappedFile.open(table.path) { _, _ in (4096, 4096) })
    let header = TableHeader(start: mapped.start)
    #expect(header.processes.value == 0)
    #expect(header.lastShutdown(try mapped.status(), isKept: true) == .clean)
  }

  @Test func lookUpsFindNothingUntilItResumes() throws {
    try table.suspend()
    #expect(table.get(3) == nil)
    #expect(!table.contains(TableID(id: 3)))
    table.prefetch([TableID(id: 3)])
    try findNoLock()
    table.resume()
    #expect(table.contains(TableID(id: 3)))
    #expect(table.version(3) == 1)
  }

  @Test func changesAreRefusedUntilItResumes() throws {
    try table.suspend()
    let error = TableError.suspended(path: table.path)
    #expect(throws: error) { try table.put(20) }
    #expect(throws: error) {
      try table.put(TableID(id: 20), version: TableID(version: 1)) { _ in }
    }
    #expect(throws: error) { try table.remove(TableID(id: 3)) }
    #expect(throws: error) { try table.compact() }
    #expect(throws: error) { try table.reset() }
    #expect(throws: error) { try table.synchronize() }
    try findNoLock()
    table.resume()
    try table.put(20)
    #expect(table.version(20) == 1)
    #expect(table.version(3) == 1)
  }

  @Test func itMaySuspendTwiceAndResumeWithoutThat() throws {
    table.resume()
    #expect(table.version(3) == 1)
    try table.suspend()
    try table.suspend()
    try findNoLock()
    table.resume()
    #expect(table.version(3) == 1)
    table.resume()
    try table.put(3, version: 2)
    #expect(table.version(3) == 2)
  }

  @Test func aPutThatRunsEndsBeforeTheLocksAreReleased() throws {
    let (drawing, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let ended = DispatchGroup()
    DispatchQueue.global().async(group: ended) { [table] in
      try? table.put(TableID(id: 3), version: TableID(version: 2)) { canvas in
        drawing.signal()
        gate.wait()
        TorturePicture.draw(id: 3, version: 2, on: &canvas)
      }
    }
    drawing.wait()
    DispatchQueue.global().async(group: ended) { [table] in try? table.suspend() }
    gate.signal()
    ended.wait()
    try findNoLock()
    table.resume()
    #expect(table.version(3) == 2)
    #expect(try table.isClean())
  }

  @Test func anotherTableOfTheSameFileGoesOn() throws {
    let other = try ImageTable(at: folder.path, format: TableTorture.format)
    let held = try HeldPicture(other, 2)
    try table.suspend()
    #expect(other.version(3) == 1)
    try other.put(2, version: 5)
    #expect(held.isUnchanged)
    try other.suspend()
    try findNoLock()
    other.resume()
    table.resume()
    #expect(table.version(2) == 5)
  }

  @Test func picturesOfClosedTablesKeepNoLock() throws {
    var closed: ImageTable? = try folder.table("closed")
    try closed?.put(1)
    let path = try #require(closed?.path)
    let held = try HeldPicture(try #require(closed), 1)
    closed = nil
    try ImageTable.releaseLocks(inFolder: folder.path)
    try run("find-no-lock", path)
    #expect(held.isUnchanged)
  }

  @Test func slotsOfPicturesThatAreHeldAreFreeForOthers() throws {
    let held = try (0..<10 as Range<UInt64>).map { try HeldPicture(table, $0) }
    for id in 0..<10 as Range<UInt64> { try table.put(id, version: 2) }
    #expect(table.statistics.held == 10)
    try table.suspend()
    table.resume()
    try table.put(10)
    #expect(table.statistics.held == 0)
    for picture in held { #expect(picture.isUnchanged) }
  }

  @Test func aSecondSuspensionCopiesWhatIsHeldOfTheNewOpening() throws {
    let first = try HeldPicture(table, 1)
    try table.suspend()
    table.resume()
    let second = try HeldPicture(table, 2)
    try table.suspend()
    try run("table-change-all", folder.path, "9")
    #expect(first.isUnchanged && second.isUnchanged)
    table.resume()
    #expect(table.version(1) == 9)
  }

  @Test func aLookUpThatHasBegunGetsNoPictureOfAnotherEntity() throws {
    let held = try (0..<10 as Range<UInt64>).map { try HeldPicture(table, $0) }
    // What a look-up has read before the suspension.
    let (file, uses) = (table.file, TableFile.UseCounting(limit: 24))
    try table.suspend()
    try run("table-change-all", folder.path, "7")
    for id in Array(0..<10 as Range<UInt64>) + Array(1000..<1100) {
      if case .picture = file.retrieve(TableID(id: id), nil, nil, uses: uses) {
        Issue.record("a picture under id \(id) of a file that was left")
      }
    }
    for picture in held { #expect(picture.isUnchanged) }
  }

  /// Draws a picture and keeps it, in place of which the table gets a clear one.
  private func keepDrawing(_ id: UInt64, then work: () throws -> Void = {}) throws -> HeldPicture {
    var kept: Bitmap?
    try table.put(TableID(id: id), version: TableID(version: 2)) { canvas in
      TorturePicture.draw(id: id, version: 2, on: &canvas)
      let other = try Canvas(size: table.format.size, format: table.format.pixels)
      kept = canvas.finish()
      canvas = other
      try work()
    }
    let image = try #require(kept)
    return HeldPicture(name: try #require(TorturePicture.read(image)), image: image)
  }

  @Test func aPictureThatADrawingKeptStaysAsItIs() throws {
    let kept = try keepDrawing(3)
    try table.suspend()
    try findNoLock()
    try run("table-change-all", folder.path, "7")
    #expect(kept.isUnchanged)
    table.resume()
    #expect(table.version(3) == 7)
    #expect(kept.isUnchanged)
    #expect(try table.isClean())
  }

  @Test func aPictureKeptInASlotThatCouldNotBeGivenBackDoesNotHoldUpTheSuspension() throws {
    // The slot stays reserved in the file that was replaced.
    let kept = try keepDrawing(3) { [table] in try table.compact() }
    try table.suspend()
    try findNoLock()
    try run("table-change-all", folder.path, "7")
    #expect(kept.isUnchanged)
    table.resume()
    #expect(table.version(3) == 7)
  }

  @Test(
    .enabled(if: mappings < 290_000, "too many mappings to take them all (vm.max_map_count)"),
    .disabled(if: Sanitizer.isOn, "a part of the memory stage: sanitizers need mappings")
  )
  func aSuspensionThatFailsHalfWayLeavesNoOldPictures() throws {
    try run("table-fail-to-suspend", "\(folder.path)/mappings")
  }

  /// How many mappings the system lets a process have.
  private static let mappings: Int = {
    let bytes = (try? Files.read("/proc/sys/vm/max_map_count")) ?? []
    return Int(String(decoding: bytes, as: UTF8.self).filter(\.isNumber)) ?? .max
  }()

  @Test(.disabled(if: Sanitizer.watchesThreads, "ThreadSanitizer has a thread of its own"))
  func aForkOfASuspendedProcessOpensTheFileAgain() throws {
    try run("table-fork-suspended", "\(folder.path)/forks")
  }

  @Test func threadsThatReadAndWriteMeetAnyNumberOfSuspensions() throws {
    let stop = Guarded(false)
    let wrong = Guarded(0)
    let ended = DispatchGroup()
    for thread in 0..<3 {
      DispatchQueue.global().async(group: ended) { [table] in
        var held: [HeldPicture] = []
        var round = UInt64(thread)
        while !stop.withLock({ $0 }) {
          round += 1
          if thread == 0 { try? table.put(round % 10, version: round) }
          guard let image = table.get(round % 10) else { continue }
          guard let name = TorturePicture.read(image), name.id == round % 10 else {
            wrong.withLock { $0 += 1 }
            continue
          }
          held.append(HeldPicture(name: name, image: image))
          if held.count > 4, !held.removeFirst().isUnchanged { wrong.withLock { $0 += 1 } }
        }
        for picture in held where !picture.isUnchanged { wrong.withLock { $0 += 1 } }
      }
    }
    for round in 0..<UInt64(Rounds.fewer(200, atLeast: 20, concurrent: true)) {
      try table.suspend()
      #expect(OpenTableFiles.locked(at: table.path) == 0)
      if round % 10 == 0 { try run("table-change-all", folder.path, "\(round)") }
      table.resume()
      _ = table.get(round % 10)
    }
    stop.withLock { $0 = true }
    ended.wait()
    #expect(wrong.withLock { $0 } == 0)
    #expect(try table.isClean())
  }
}

extension OpenTableFiles {
  /// The files of a path that this process may have locked.
  fileprivate static func locked(at path: String) -> Int {
    open.count { $0.mapped.path == path && !$0.hasLeft }
  }
}
