import Testing

@testable import IkranStores

/// What the disk holds is the same wherever it was encrypted: published vectors.
struct SealedTextTests {
  private func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.filter { $0 != " " })
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }

  /// Test case 16 of McGrew and Viega's specification of GCM.
  @Test func textsAreSealedAsThePublishedVectorIs() throws {
    let key = bytes("feffe9928665731c6d6a8f9467308308 feffe9928665731c6d6a8f9467308308")
    let nonce = bytes("cafebabefacedbaddecaf888")
    let context = bytes("feedfacedeadbeeffeedfacedeadbeef abaddad2")
    let text = bytes(
      "d9313225f88406e5a55909c5aff5269a 86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525 b16aedf5aa0de657ba637b39"
    )
    let encrypted = bytes(
      "522dc1f099567d07f47f37a32a84427d 643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838 c5f61e6393ba7a0abcc9f662"
    )
    let tag = bytes("76fc6ece0f4e1768cddf8853bb2d551b")
    let sealed = try SealedText.seal(text, context, key: key, nonce: nonce)
    #expect(sealed == nonce + encrypted + tag)
    #expect(try SealedText.open(sealed, context, key: key) == text)
    #expect(try SealedText.open(sealed, Array(context.dropLast()), key: key) == nil)
  }

  /// RFC 4231, section 4.3.
  @Test func codesAreThoseOfThePublishedVector() throws {
    let code = try SealedText.code(Array("what do ya want for nothing?".utf8), Array("Jefe".utf8))
    #expect(
      code == bytes("5bdcc146bf60754e6a042426089575c7 5a003f089d2739839dec58b964ec3843")
    )
  }
}
