import IkranImageIO
import Testing

@Suite struct RecentPrefixesTests {
  private let heic = Array("....ftypheic".utf8)

  @Test func aFileIsKnownByAllOfItsPrefix() {
    var recent = RecentPrefixes()
    #expect(recent.type(of: heic.span) == nil)
    recent.remember("public.heic", of: heic)
    #expect(recent.type(of: heic.span) == .some("public.heic"))
    let longer = heic + [0]
    #expect(recent.type(of: longer.span) == nil)
    let other = heic.dropLast() + [0]
    #expect(recent.type(of: other.span) == nil)
  }

  @Test func theFileOfAnotherThreadForgetsNone() {
    var recent = RecentPrefixes()
    recent.remember("public.heic", of: heic)
    let jpeg: [UInt8] = [0xFF, 0xD8]
    recent.remember("public.jpeg", of: jpeg)
    #expect(recent.type(of: heic.span) == .some("public.heic"))
    #expect(recent.type(of: jpeg.span) == .some("public.jpeg"))
  }

  @Test func theOldestFileIsForgotten() {
    var recent = RecentPrefixes()
    for number in 0...RecentPrefixes.mostFiles {
      recent.remember("public.\(number)", of: [UInt8(number)])
    }
    let (oldest, next): ([UInt8], [UInt8]) = ([0], [1])
    #expect(recent.type(of: oldest.span) == nil)
    #expect(recent.type(of: next.span) == .some("public.1"))
  }

  @Test func aFileOfNoTypeIsKnownToHaveNone() throws {
    var recent = RecentPrefixes()
    let bytes: [UInt8] = [1, 2, 3]
    recent.remember(nil, of: bytes)
    let known = recent.type(of: bytes.span)
    let type = try #require(known)
    #expect(type == nil)
  }

  @Test func noBytesAreNeverKnown() {
    var recent = RecentPrefixes()
    recent.remember("public.jpeg", of: [])
    let none: [UInt8] = []
    #expect(recent.type(of: none.span) == nil)
  }
}
