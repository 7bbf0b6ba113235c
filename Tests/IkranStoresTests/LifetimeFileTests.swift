import IkranStores
import Support
import Testing

@Suite("Lifetimes on disk")
struct LifetimeFileTests {
  private let folder: TemporaryDirectory
  private var path: String { folder.path + "/deep/lifetimes" }

  init() throws { folder = try TemporaryDirectory() }

  private func id(_ number: Int) -> TableID { TableID("\(number)") }

  /// Without a wait for the disk: nothing here outlives the machine.
  private func replace(with bytes: [UInt8]) throws {
    _ = try Files.remove(path)
    try Files.create(path, bytes)
  }

  @Test func whatWasNotedIsFoundByAnother() {
    LifetimeFile(path).note(5..<9, of: id(1))
    let file = LifetimeFile(path)
    #expect(file.lifetime(of: id(1)) == 5..<9)
    #expect(file.lifetime(of: id(2)) == nil)
  }

  @Test func lookingMakesNoFile() {
    #expect(LifetimeFile(path).lifetime(of: id(1)) == nil)
    LifetimeFile(path).note(nil, of: id(1))
    #expect(!Files.exists(folder.path + "/deep"))
  }

  @Test func theLastNoteCounts() {
    let file = LifetimeFile(path)
    file.note(5..<9, of: id(1))
    file.note(7..<8, of: id(1))
    #expect(file.lifetime(of: id(1)) == 7..<8)
    file.note(nil, of: id(1))
    #expect(file.lifetime(of: id(1)) == nil)
    file.note(5..<9, of: id(1))
    file.note(9..<9, of: id(1))
    #expect(file.lifetime(of: id(1)) == nil)
  }

  @Test func ofThreeInOnePlaceTheOneThatEndsFirstIsForgotten() {
    let file = LifetimeFile(path)
    let ids = (1...3).map { TableID(high: UInt64($0), low: 77) }
    for (id, end) in zip(ids, [30, 20, 40] as [Int64]) { file.note(0..<end, of: id) }
    #expect(ids.map { file.lifetime(of: $0) } == [0..<30, nil, 0..<40])
  }

  @Test func manyAreKept() {
    let file = LifetimeFile(path)
    for number in 0..<4000 { file.note(0..<Int64(number + 1), of: id(number)) }
    let kept = (0..<4000).count { file.lifetime(of: id($0)) == 0..<Int64($0 + 1) }
    #expect(kept > 3800)
  }

  @Test func whatIsDamagedIsNotFound() throws {
    let ids = (1...2).map { TableID(high: UInt64($0), low: 0) }
    let file = LifetimeFile(path)
    for id in ids { file.note(1_000..<9_000, of: id) }
    let whole = try Files.read(path, maximumBytes: 1 << 20)
    #expect(whole.count == 64)
    for bit in 0..<(whole.count * 8) {
      var bytes = whole
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try replace(with: bytes)
      let found = ids.map { LifetimeFile(path).lifetime(of: $0) }
      #expect(found[bit / 256] == nil && found[1 - bit / 256] == 1_000..<9_000, "bit \(bit)")
    }
  }

  @Test func aFileThatIsCutOffHasWhatIsWhole() throws {
    let ids = (1...2).map { TableID(high: UInt64($0), low: 0) }
    for id in ids { LifetimeFile(path).note(1_000..<9_000, of: id) }
    let whole = try Files.read(path, maximumBytes: 1 << 20)
    for count in 0..<64 {
      try replace(with: Array(whole.prefix(count)))
      let file = LifetimeFile(path)
      #expect(file.lifetime(of: ids[0]) == (count < 32 ? nil : 1_000..<9_000))
      #expect(file.lifetime(of: ids[1]) == nil)
    }
  }

  @Test func whatIsNoFileIsPassedBy() throws {
    try Files.createDirectories(path)
    let file = LifetimeFile(path)
    file.note(0..<1, of: id(1))
    #expect(file.lifetime(of: id(1)) == nil)
  }
}
