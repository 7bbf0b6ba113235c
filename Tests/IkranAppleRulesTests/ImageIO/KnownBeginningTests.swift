import IkranImageIO
import Testing

@Suite struct KnownBeginningTests {
  private let heic = Array("....ftypheic".utf8)

  @Test func theLastFileIsKnown() {
    var known = KnownBeginning()
    #expect(known.type(of: heic) == nil)
    known.remember("public.heic", of: heic)
    #expect(known.type(of: heic) == .some("public.heic"))
    #expect(known.type(of: heic + [0]) == nil)
    known.remember("public.jpeg", of: [0xFF, 0xD8])
    #expect(known.type(of: heic) == nil)
  }

  @Test func aFileOfNoTypeIsKnownToHaveNone() throws {
    var known = KnownBeginning()
    known.remember(nil, of: [1, 2, 3])
    let type = try #require(known.type(of: [1, 2, 3]))
    #expect(type == nil)
  }

  @Test func noBytesAreNeverKnown() { #expect(KnownBeginning().type(of: []) == nil) }
}
