import IkranCodecs
import TestBasics
import Testing

@testable import IkranIsolation

/// The column *apart* of the article *Formats*, against what is decoded in another process.
@Suite struct FormatsApartTests {
  @Test func theFormatsThatAreMarkedAreThoseThatAreRisky() throws {
    let marked = Set(
      try Article("Formats").rows().filter { $0["apart"] == "yes" }.compactMap { $0["format"] }
    )
    let codecs = CodecList.standard.codecs
    let apart = codecs.filter { IsolatedCodec.isolates($0, .risky) }.map(\.format.rawValue)
    #expect(Set(apart) == marked.intersection(codecs.map(\.format.rawValue)))
  }

  @Test func noneIsNoneAndAllAreAll() {
    let codecs = CodecList.standard.codecs
    #expect(!codecs.contains { IsolatedCodec.isolates($0, .none) })
    #expect(codecs.allSatisfy { IsolatedCodec.isolates($0, .all) })
  }
}
