import Support
import Testing

@testable import IkranStores

@Suite(.timeLimit(.minutes(10))) struct BlobTableTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { "\(directory.path)/folder/blobs.sqlite" }

  @Test(arguments: [0, 1, 5000, 2_000_000])
  func whatIsPutIsGot(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try BlobTable(path: path).put(bytes, for: "key")
    let table = try BlobTable(path: path)
    #expect(try table.get("key") == bytes)
    #expect(try table.get("other") == nil)
    #expect(Files.permissions(path) == 0o600)
  }

  @Test func bytesAreReplacedAndRemoved() throws {
    let table = try BlobTable(path: path)
    try table.put([1], for: "key")
    try table.put([2, 3], for: "key")
    #expect(try table.get("key") == [2, 3])
    #expect(try table.remove("key"))
    #expect(try !table.remove("key"))
    #expect(try table.get("key") == nil)
  }

  @Test func damagedBytesThrow() throws {
    let pattern = [UInt8](repeating: 0xA5, count: 3000)
    do { try BlobTable(path: path).put(pattern, for: "key") }
    var file = try Files.read(path)
    let place = try #require(file.firstRange(of: pattern.prefix(100))?.lowerBound)
    file[place + 1000] ^= 1
    try Files.writeAtomically(file, to: path)
    let error = #expect(throws: DiskCacheError.self) { try BlobTable(path: path).get("key") }
    guard case .corrupt = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func aFileThatIsNoDatabaseIsReportedAndNotChanged() throws {
    try Files.createDirectories("\(directory.path)/folder")
    let text = Array("This is no database, and it is nobody's business to remove it.".utf8)
    try Files.create(path, text)
    #expect(throws: DiskCacheError.self) { try BlobTable(path: path) }
    #expect(try Files.read(path) == text)
  }

  // MARK: - A full disk

  /// Lets the next change of a table have no room for what connections share.
  private func fillDisk() throws {
    try FullFile.replace(#require(FullFile.descriptors(of: "\(path)-shared").first))
  }

  @Test func aChangeWithoutRoomForWhatConnectionsShareIsMadeAlone() throws {
    let table = try BlobTable(path: path)
    try table.put([1], for: "key")
    try table.put([2], for: "other")
    try fillDisk()
    #expect(try table.remove("key"))
    // Opening it alone is refused while a connection is left.
    #expect(try SQLiteHandle.open(path, busyMilliseconds: 0, isPrivate: true).version() == 0)
    #expect(try table.get("key") == nil)
    #expect(try table.get("other") == [2])
    try table.put([3], for: "key")
    #expect(try BlobTable(path: path).get("key") == [3])
  }

  @Test func aPutThatOthersDoNotSeeThrows() throws {
    let table = try BlobTable(path: path)
    try table.put([1], for: "key")
    try fillDisk()
    let other = try BlobTable(path: path)
    #expect(try other.get("key") == [1])
    #expect(throws: DiskCacheError.self) { try table.put([2], for: "key") }
    #expect(try other.get("key") == [1])
    try table.put([3], for: "key")
    #expect(try table.get("key") == [3])
    #expect(try other.get("key") == [3])
  }
}
