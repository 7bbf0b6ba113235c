#if SVG
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Every SVG file of the corpus, bombs included.
@Suite(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"), .timeLimit(.minutes(10)))
struct SVGCorpusTests {
  @Test(arguments: Corpus.files(format: "svg"))
  func aFileIsDrawnOrRefusedInTime(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    for fitting in [Fitting.original, .cover(PixelSize(width: 48, height: 40))] {
      let start = threadTime()
      let result = outcome(of: bytes, fitting)
      #expect(threadTime() - start < .seconds(Sanitizer.isOn ? 20 : 4), "\(file)")
      switch result {
      case .failure(let error):
        if file.expected == "decodes" { Issue.record("\(file): \(error)") }
      case .success(let bitmap):
        if file.expected == "must-fail" { Issue.record("\(file) is \(bitmap.size)") }
      }
    }
  }

  @Test(arguments: Corpus.files(format: "svg").filter { $0.expected == "decodes" })
  func theSizeIsThatOfTheManifest(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    let info = try probe(bytes).get()
    #expect(info.size.width == file.width)
    #expect(info.size.height == file.height)
    #expect(try outcome(of: bytes).get().size == info.size)
  }

  @Test func somethingIsDrawnOfEachFile() throws {
    for file in Corpus.files(format: "svg") where file.expected == "decodes" {
      let bitmap = try outcome(of: file.bytes()).get()
      let isEmpty = bitmap.pixels.joined().allSatisfy { $0.alpha == 0 }
      #expect(isEmpty == file.path.hasSuffix("empty-drawing.svg"), "\(file)")
    }
  }
}
#endif
