import IkranImageIO
import Testing

@Suite struct RecognizedPrefixTests {
  private let heic = Array("....ftypheic".utf8)

  @Test func theLastFileIsKnown() {
    var recognized = RecognizedPrefix()
    #expect(recognized.type(of: heic) == nil)
    recognized.remember("public.heic", of: heic)
    #expect(recognized.type(of: heic) == .some("public.heic"))
    #expect(recognized.type(of: heic + [0]) == nil)
    recognized.remember("public.jpeg", of: [0xFF, 0xD8])
    #expect(recognized.type(of: heic) == nil)
  }

  @Test func aFileOfNoTypeIsKnownToHaveNone() throws {
    var recognized = RecognizedPrefix()
    recognized.remember(nil, of: [1, 2, 3])
    let type = try #require(recognized.type(of: [1, 2, 3]))
    #expect(type == nil)
  }

  @Test func noBytesAreNeverKnown() { #expect(RecognizedPrefix().type(of: []) == nil) }
}
