import Support
import Testing

@testable import IkranPixels
@testable import IkranStores

/// The names of files, with labels that a program chooses.
@Suite(.timeLimit(.minutes(10))) struct DiskCacheNamingTests {
  private let directory: TemporaryDirectory
  private let body = [UInt8](repeating: 3, count: 40_000)

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { "\(directory.path)/cache" }

  /// What follows the last slash.
  private static let last = FileNaming(id: "last") { key in
    String(key.split(separator: "/").last ?? "")
  }

  private func open(_ naming: FileNaming? = last, byteLimit: Int = 1 << 30) throws -> DiskCache {
    let options = DiskCacheOptions(byteLimit: byteLimit, naming: naming)
    return try DiskCache(directory: path, options: options)
  }

  private static func always(_ label: String) -> FileNaming {
    FileNaming(id: label) { _ in label }
  }

  /// The files that bodies are in, without their folders.
  private func names() throws -> [String] {
    let folders = try Files.list("\(path)/bodies")
    return try folders.flatMap { try Files.list("\(path)/bodies/\($0)") }.sorted()
  }

  @Test func aFileHasTheLabelThatAProgramGivesItsKey() throws {
    let cache = try open()
    try cache.store(body, for: "https://example.com/a/kiwi.jpg")
    let name = try #require(try names().first)
    #expect(name.hasSuffix("-kiwi.jpg"))
    #expect(name.utf8.count == 33 + "-kiwi.jpg".utf8.count)
    #expect(try cache.body(for: "https://example.com/a/kiwi.jpg") == body)
    #expect(try cache.keys() == ["https://example.com/a/kiwi.jpg"])
  }

  @Test func keysWithOneLabelDoNotMeet() throws {
    let cache = try open()
    let other = [UInt8](repeating: 9, count: 50_000)
    try cache.store(body, for: "one/kiwi.jpg")
    try cache.store(other, for: "two/kiwi.jpg")
    #expect(try names().count == 2)
    #expect(try cache.body(for: "one/kiwi.jpg") == body)
    #expect(try cache.body(for: "two/kiwi.jpg") == other)
  }

  @Test func aCacheThatNamesOtherwiseOrNotAtAllFindsLabelledFiles() throws {
    try open().store(body, for: "a/kiwi.jpg")
    #expect(try open(nil).body(for: "a/kiwi.jpg") == body)
    #expect(try open(Self.always("x")).body(for: "a/kiwi.jpg") == body)
    let reader = DiskCacheOptions(readOnlyDirectories: [path])
    let chained = try DiskCache(directory: "\(directory.path)/second", options: reader)
    #expect(try chained.body(for: "a/kiwi.jpg") == body)
  }

  @Test func aReplacedARemovedAndAnEvictedEntryLeaveNoFile() throws {
    do {
      let cache = try open()
      try cache.store(body, for: "a/replaced.jpg")
      try cache.store(body, for: "a/removed.jpg")
    }
    let cache = try open(nil, byteLimit: 100_000)
    try cache.store(body, for: "a/replaced.jpg")
    try cache.remove("a/removed.jpg")
    try cache.trim()
    #expect(try names().map(\.utf8.count) == [33])
    #expect(try open().verify().orphansRemoved == 0)
    try open().store(body, for: "a/evicted.jpg")
    try cache.trim(toBytes: 0)
    #expect(try names().isEmpty)
  }

  @Test func aSweepKeepsLabelledFilesAndRemovesWhatNoEntryHas() throws {
    let cache = try open()
    try cache.store(body, for: "a/kiwi.jpg")
    let name = try #require(try names().first)
    let orphan = "\(path)/bodies/\(name.prefix(2))/\(name.prefix(17))0000000000000001-kiwi.jpg"
    try Files.create(orphan, body)
    let report = try cache.verify()
    #expect(report.orphansRemoved == 1)
    #expect(report.dropped == 0)
    #expect(try names() == [name])
  }

  @Test func aFileOfACrashedStoreIsSweptThoughItsNumberIsUsed() throws {
    let cache = try open()
    try cache.store(body, for: "a/kiwi.jpg")
    let name = try #require(try names().first)
    let file = "\(path)/bodies/\(name.prefix(2))/\(name)"
    try Files.create(file + "x", body)
    #expect(try cache.verify().orphansRemoved == 1)
    #expect(try names() == [name])
  }

  @Test(
    arguments: [
      ("a/b", "a_b"), ("..", ".."), ("/../../etc/passwd", "_.._.._etc_passwd"),
      ("line\nend\u{7F}\0", "line_end__"), ("größe.jpg", "größe.jpg"), ("-", "-"),
      (String(repeating: "x", count: 300) + ".jpg", String(repeating: "x", count: 96) + ".jpg"),
      // 101 bytes: the first character would be cut.
      ("é" + String(repeating: "x", count: 99), String(repeating: "x", count: 99)),
      ("a.jpg?w=3*\"<>|\\:", "a.jpg_w=3_______"), ("a\u{85}b", "a_b"),
    ]
  )
  func aLabelIsMadeFitForAName(label: String, written: String) throws {
    let cache = try open(Self.always(label))
    try cache.store(body, for: "key")
    #expect(try names().map { String($0.dropFirst(34)) } == [written])
    #expect(try cache.body(for: "key") == body)
    #expect(try cache.verify().orphansRemoved == 0)
  }

  @Test func anEmptyLabelLeavesTheNameAsItIs() throws {
    let cache = try open(Self.always(""))
    try cache.store(body, for: "key")
    #expect(try names().map(\.utf8.count) == [33])
    #expect(try cache.body(for: "key") == body)
  }

  @Test func aSmallBodyIsNotAskedForALabel() throws {
    let cache = try open(FileNaming(id: "none") { _ in fatalError("called") })
    try cache.store([1, 2, 3], for: "key")
    #expect(try cache.body(for: "key") == [1, 2, 3])
    #expect(try names().isEmpty)
  }

  @Test func anEncryptedCacheHasNoLabels() throws {
    let options = DiskCacheOptions(naming: Self.last, encryptionKey: .random())
    let cache = try DiskCache(directory: path, options: options)
    try cache.store(body, for: "a/kiwi.jpg")
    #expect(try names().map(\.utf8.count) == [33])
    #expect(try cache.body(for: "a/kiwi.jpg") == body)
  }

  @Test func aDamagedFileWithALabelIsDroppedWithItsFile() throws {
    let cache = try open()
    try cache.store(body, for: "a/kiwi.jpg")
    let name = try #require(try names().first)
    let file = "\(path)/bodies/\(name.prefix(2))/\(name)"
    try Files.overwrite(file, [UInt8](repeating: 4, count: body.count))
    #expect(try cache.body(for: "a/kiwi.jpg") == nil)
    #expect(try names().isEmpty)
  }

  /// A row may be damaged, or a stranger's.
  @Test(arguments: [
    "../../../victim", "/victim", "a\0b", "", String(repeating: "x", count: 101),
  ])
  func aStoredLabelNeverLeadsElsewhere(label: String) throws {
    let count = UInt8(label.utf8.count)
    #expect(FileLabel(before: [count] + Array(label.utf8) + Array("key".utf8)).bytes.isEmpty)
    #expect(FileLabel(before: [200, 1, 2]).bytes.isEmpty)
    #expect(FileLabel(before: []).bytes.isEmpty)
    #expect(FileLabel.key(in: []).isEmpty)
  }

  @Test func waysOfNamingAreEqualByTheirIds() {
    #expect(FileNaming(id: "a") { $0 } == FileNaming(id: "a") { _ in "" })
    #expect(FileNaming(id: "a") { $0 } != FileNaming(id: "b") { $0 })
  }
}
