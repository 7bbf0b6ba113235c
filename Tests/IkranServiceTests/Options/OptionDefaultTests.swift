import Testing

@testable import IkranService

/// What a URL without options asks for.
@Suite("Defaults of options")
struct OptionDefaultTests {
  @Test func withoutOptionsAPictureKeepsItsSize() {
    let options = ProcessingOptions()
    #expect(options.resizing == Resizing())
    #expect(options.resizing.width == 0 && options.resizing.height == 0)
  }
}
