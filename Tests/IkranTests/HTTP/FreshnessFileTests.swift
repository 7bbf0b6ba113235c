import Ikran
import IkranStores
import Support
import Testing

@Suite("Freshness file")
struct FreshnessFileTests {
  private let folder: TemporaryDirectory
  private var path: String { folder.path + "/deep/freshness" }

  init() throws { folder = try TemporaryDirectory() }

  private func id(_ number: Int) -> TableID { TableID("\(number)") }

  private func entry(_ fresh: Range<Int64>) -> FreshnessFile.Entry {
    FreshnessFile.Entry(body: TableID("\(fresh)"), fresh: fresh)
  }

  /// Without a wait for the disk: nothing here outlives the machine.
  private func replace(with bytes: [UInt8]) throws {
    _ = try Files.remove(path)
    try Files.create(path, bytes)
  }

  @Test func whatWasNotedIsFoundByAnother() {
    FreshnessFile(path).set(entry(5..<9), for: id(1))
    let file = FreshnessFile(path)
    #expect(file.entry(for: id(1)) == entry(5..<9))
    #expect(file.entry(for: id(2)) == nil)
  }

  @Test func lookingMakesNoFolder() {
    #expect(FreshnessFile(path).entry(for: id(1)) == nil)
    FreshnessFile(path).set(nil, for: id(1))
    #expect(!Files.exists(folder.path + "/deep"))
  }

  @Test func whatAnotherNotesAfterALookUpIsFound() throws {
    try Files.createDirectories(folder.path + "/deep")
    let file = FreshnessFile(path)
    #expect(file.entry(for: id(1)) == nil)
    // So that the next look-up asks for nothing that is not there.
    #expect(Files.exists(path))
    FreshnessFile(path).set(entry(5..<9), for: id(1))
    #expect(file.entry(for: id(1)) == entry(5..<9))
  }

  @Test func theLastNoteCounts() {
    let file = FreshnessFile(path)
    file.set(entry(5..<9), for: id(1))
    file.set(entry(7..<8), for: id(1))
    #expect(file.entry(for: id(1)) == entry(7..<8))
    file.set(nil, for: id(1))
    #expect(file.entry(for: id(1)) == nil)
    file.set(entry(5..<9), for: id(1))
    file.set(entry(9..<9), for: id(1))
    #expect(file.entry(for: id(1)) == entry(9..<9))
  }

  @Test func ofNineInOnePlaceTheOneThatEndsFirstIsForgotten() {
    let file = FreshnessFile(path)
    let ids = (1...9).map { TableID(high: UInt64($0), low: 77) }
    let ends: [Int64] = [30, 40, 50, 60, 20, 70, 80, 90, 100]
    for (id, end) in zip(ids, ends) { file.set(entry(0..<end), for: id) }
    for (id, end) in zip(ids, ends) {
      #expect(file.entry(for: id) == (end == 20 ? nil : entry(0..<end)))
    }
  }

  @Test func manyAreKept() {
    let file = FreshnessFile(path)
    for number in 0..<10_000 { file.set(entry(0..<Int64(number + 1)), for: id(number)) }
    let kept = (0..<10_000).count { file.entry(for: id($0)) == entry(0..<Int64($0 + 1)) }
    #expect(kept >= 9_990)
  }

  @Test func whatIsDamagedIsNotFound() throws {
    let ids = (1...2).map { TableID(high: UInt64($0), low: 0) }
    let file = FreshnessFile(path)
    for id in ids { file.set(entry(1_000..<9_000), for: id) }
    let whole = try Files.read(path, maximumBytes: 1 << 20)
    #expect(whole.count == 96)
    for bit in 0..<(whole.count * 8) {
      var bytes = whole
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try replace(with: bytes)
      let found = ids.map { FreshnessFile(path).entry(for: $0) }
      #expect(found[bit / 384] == nil && found[1 - bit / 384] == entry(1_000..<9_000), "bit \(bit)")
    }
  }

  @Test func aFileThatIsCutOffHasWhatIsWhole() throws {
    let ids = (1...2).map { TableID(high: UInt64($0), low: 0) }
    for id in ids { FreshnessFile(path).set(entry(1_000..<9_000), for: id) }
    let whole = try Files.read(path, maximumBytes: 1 << 20)
    for count in 0..<96 {
      try replace(with: Array(whole.prefix(count)))
      let file = FreshnessFile(path)
      #expect(file.entry(for: ids[0]) == (count < 48 ? nil : entry(1_000..<9_000)))
      #expect(file.entry(for: ids[1]) == nil)
    }
  }

  @Test func whatIsNoFileIsPassedBy() throws {
    try Files.createDirectories(path)
    let file = FreshnessFile(path)
    file.set(entry(0..<1), for: id(1))
    #expect(file.entry(for: id(1)) == nil)
  }
}
