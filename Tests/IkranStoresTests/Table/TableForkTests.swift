import Glibc
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// Forks that outlive their parents.
@Suite(.timeLimit(.minutes(10))) struct TableForkTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  @Test(.disabled(if: Sanitizer.watchesThreads, "ThreadSanitizer has a thread of its own"))
  func aForkThatDoesNothingDoesNotKeepTheLocksOfItsDeadParent() throws {
    let parent = try ChildProcess(["table-orphan", folder.path])
    try #require(parent.waitForOutput(2), "\(parent.rest())")
    let number = String(decoding: try Files.read("\(folder.path)/fork"), as: UTF8.self)
    let fork = try #require(pid_t(number))
    defer { kill(fork, SIGKILL) }
    parent.kill()
    let path = "\(folder.path)/torture.table"
    let mapped = try MappedFile.open(path) { _, _ in (4096, 4096) }
    // Otherwise to open the table would wait until the fork ends.
    try #require(mapped?.isLockedElsewhere(TableHeader.processLocks) == false)
    let table = try ImageTable(opening: path)
    for id in 10..<20 as Range<UInt64> { try table.put(id) }
    #expect(try table.entries().allSatisfy { !$0.isHeld })
    kill(fork, SIGUSR1)
    #expect(parent.rest() == "right")
  }
}
