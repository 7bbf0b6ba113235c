import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct TableIDTests {
  @Test func equalTextsAndBytesGiveOneID() {
    let text = "https://example.org/ä.png"
    #expect(TableID(text) == TableID(text))
    #expect(TableID(text) == TableID(bytes: Array(text.utf8)))
    #expect(TableID(text) == TableID(text[...]))
  }

  /// Texts that are no UUID: FastImageCache read uninitialised memory for them and mixed pictures
  /// up.
  @Test func differentTextsGiveDifferentIDs() {
    var texts = (0..<20_000).map { "member-\($0)" }
    texts += (0..<200).map { String(repeating: "a", count: $0) }
    texts += ["A", "ä", "a\u{308}", "\0", "\0\0", "0", "g", "not-a-uuid", "NOT-A-UUID"]
    let distinct = Set(texts.map { Array($0.utf8) })
    #expect(Set(texts.map { TableID($0) }).count == distinct.count)
    #expect(Set(texts.map { TableID($0).low }).count == distinct.count)
    #expect(Set(texts.map { TableID($0).high }).count == distinct.count)
  }

  /// From the reference code's vectors for 128 bits: key 00…0f, input 00…(n - 1).
  @Test(arguments: [
    (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
    (2, "8177228da4a45dc7fca38bdef60affe4"),
  ])
  func theHashIsSipHash24(count: UInt8, expected: String) {
    let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
    let id = Array(0..<count).withUnsafeBytes { SipHash.hash($0, key: key) }
    #expect(id.description == expected)
  }

  @Test func bytesOfEveryLengthAndEveryBitCount() {
    var generator = SeededGenerator(seed: 3)
    for length in 0...33 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      var seen: Set<TableID> = [TableID(bytes: bytes), TableID(bytes: bytes + [0])]
      for bit in 0..<length * 8 {
        var changed = bytes
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        seen.insert(TableID(bytes: changed))
      }
      #expect(seen.count == length * 8 + 2)
    }
  }

  @Test func hexadecimalIsReadInEitherCaseWithOrWithoutDashes() throws {
    let id = TableID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    for text in [
      "0123456789abcdeffedcba9876543210", "0123456789ABCDEFFEDCBA9876543210",
      "01234567-89ab-cdef-fedc-ba9876543210", "01234567-89AB-cdef-FEDC-BA9876543210",
    ] {
      #expect(TableID(hexadecimal: text) == id)
    }
    #expect(id.description == "0123456789abcdeffedcba9876543210")
    #expect(TableID(high: 0, low: 10).description == "0000000000000000000000000000000a")
    #expect(TableID(hexadecimal: "\(id)") == id)
  }

  @Test(arguments: [
    "", "0", "0123456789abcdeffedcba987654321", "0123456789abcdeffedcba98765432100",
    "0123456789abcdeffedcba987654321g", "+123456789abcdef+edcba9876543210",
    "-------------------------------", "0x23456789abcdeffedcba9876543210",
    " 123456789abcdeffedcba9876543210", "0123456789abcdeffedcba987654321０",
  ])
  func otherTextsAreNotHexadecimalIDs(text: String) {
    #expect(TableID(hexadecimal: text) == nil)
  }

  @Test func aTextOfHexadecimalDigitsIsHashedLikeAnyOther() {
    let digits = "0123456789abcdeffedcba9876543210"
    #expect(TableID(digits) != TableID(hexadecimal: digits))
    #expect(TableID(digits) != TableID(digits.uppercased()))
  }

  /// Ids with the same hash in the directory; `docs/table-format.md` has the hash.
  @Test func idsWithOneHashAreDistinguished() throws {
    let folder = try TableFolder()
    let table = try folder.table(maximumCount: 40)
    let ids = (0..<60 as Range<UInt64>).map { number in
      TableID(high: 12_345 ^ (number &* 0x9E37_79B9_7F4A_7C15), low: number)
    }
    func version(_ id: TableID) -> UInt64? {
      table.get(id).flatMap { TorturePicture.read($0) }?.version
    }
    func put(_ id: TableID, _ version: UInt64) throws {
      try table.put(id, version: TableID(version: version)) { canvas in
        TorturePicture.draw(id: id.low, version: version, on: &canvas)
      }
    }
    for id in ids[..<40] { try put(id, id.low) }
    for id in ids { #expect(version(id) == (id.low < 40 ? id.low : nil)) }
    for id in ids[10..<20] { #expect(try table.remove(id)) }
    for id in ids { #expect(table.contains(id) == (id.low < 10 || 20..<40 ~= id.low)) }
    for id in ids[..<5] { try put(id, 100) }
    for id in ids[40...] { try put(id, id.low) }
    // Ten used the slots of removed entries, ten those of the least recently used ones.
    #expect(try table.entries().map(\.id.low).sorted() == Array(0..<5) + Array(25..<60))
    for id in ids[25...] { #expect(version(id) == id.low) }
    #expect(try table.isClean())
    #expect(try folder.table(maximumCount: 40).contains(ids[59]))
  }
}
