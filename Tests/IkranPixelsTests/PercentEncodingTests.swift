import IkranPixels
import Testing

@Suite struct PercentEncodingTests {
  @Test func everyByteButTheKeptOnesIsEncoded() {
    #expect(PercentEncoding.encoded("aZ09-_.~/ ä%", keeping: "-_") == "aZ09-_%2E%7E%2F%20%C3%A4%25")
    #expect(PercentEncoding.encoded("ä/", keeping: "/", uppercase: false) == "%c3%a4/")
    #expect(PercentEncoding.encoded("", keeping: "") == "")
  }
}
