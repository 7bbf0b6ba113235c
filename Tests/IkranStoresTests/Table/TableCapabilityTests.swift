import Glibc
import IkranSystem
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// Tables and disk caches of a system that lacks what Linux has.
@Suite(.timeLimit(.minutes(10))) struct TableCapabilityTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  /// One that is missing, what Darwin lacks, and all.
  static let missing: [UInt8] =
    Platform.Capabilities.allCases.map(\.rawValue) + [0b111, 0b11_1111]

  private func run(_ missing: UInt8, _ words: String...) throws {
    let end = try ChildProcess(["without", "\(missing)"] + words).finish()
    #expect(end.code == 0, "\(end.output)")
  }

  @Test(arguments: missing) func aTableBehavesTheSame(without missing: UInt8) throws {
    try run(missing, "table-behave", folder.path)
  }

  @Test(arguments: missing) func itsFileIsReadWithEveryCapability(without missing: UInt8) throws {
    try run(missing, "table-write", folder.path, "7", "300")
    let table = try ImageTable(at: folder.path, format: TableTorture.format)
    let before = try table.entries().map(\.id)
    #expect(!before.isEmpty)
    #expect(try table.isClean())
    for id in before { #expect(table.version(id.idNumber) != nil) }
    try table.put(1)
    #expect(table.version(1) == 1)
  }

  @Test(arguments: missing) func itSurvivesAnEndAtAnyMoment(without missing: UInt8) throws {
    for round in 0..<Rounds.fewer(10, atLeast: 3, concurrent: true) {
      let child = try ChildProcess(
        ["without", "\(missing)", "table-write", folder.path, "\(round)", "100000"]
      )
      try #require(child.waitForOutput(60 + 37 * round))
      #expect(child.kill())
      // Damaged pictures would end this with an error.
      try run(missing, "table-write", folder.path, "\(round + 1)", "40")
    }
    #expect(try ImageTable(at: folder.path, format: TableTorture.format).isClean())
  }

  @Test(arguments: missing) func processesShareIt(without missing: UInt8) throws {
    let table = try ImageTable(at: folder.path, format: TableTorture.format)
    for id in 0..<24 as Range<UInt64> { try table.put(id) }
    let child = try ChildProcess(["without", "\(missing)", "table-hold", folder.path])
    try #require(child.waitForOutput(1))
    for id in 0..<24 as Range<UInt64> { try table.put(id, version: 2) }
    try table.compact()
    for id in 100..<160 as Range<UInt64> { try table.put(id) }
    child.send(SIGUSR1)
    let end = child.finish()
    #expect(end.code == 0, "\(end.output)")
  }

  @Test(arguments: missing) func aDiskCacheBehavesTheSame(without missing: UInt8) throws {
    try run(missing, "disk-make", folder.path)
    try run(missing, "disk-read", folder.path)
    try run(missing, "disk-trim", folder.path)
    try run(missing, "disk-remove", folder.path)
    try run(missing, "disk-clear", folder.path)
  }

  /// SEEK_DATA that fails for another reason than that nothing follows.
  @Test func withoutHolesToFindEveryByteIsStored() throws {
    try folder.table().put(1)
    let path = "\(folder.path)/small.table"
    let size = try #require(Files.size(path))
    let end = try ChildProcess(["without", "8", "table-stored", path]).finish()
    #expect(end.output == "0..<\(size)\n")
  }

  @Test func aForkOpensNoOtherFileByThePathOfOne() throws {
    let paths = ["one", "two"].map { "\(folder.path)/\($0)" }
    for path in paths { try Files.writeAtomically([1], to: path) }
    let identity = try #require(Files.identity(paths[0]))
    for (path, isSame) in zip(paths, [true, false]) {
      let file = try OpenFile(path, flags: O_RDONLY)
      #expect(InheritedFiles.isOpen(file.number, identity) == isSame)
    }
  }
}
