import Support
import Testing

/// Every line of code in these articles stands in the test of the same name, which compiles it.
@Suite(.timeLimit(.minutes(10)))
struct ArticleTests {
  @Test(arguments: ["APITour", "AnimatedImages", "DeepZoom", "TestingYourApp"])
  func everyLineOfCodeIsCompiled(_ name: String) throws {
    let article = Article(name)
    #expect(try article.lines().count > 15)
    for line in try article.lines(missingIn: "IkranTests/Documentation/\(name)Tests") {
      Issue.record("\(article.name).md shows a line that no test compiles: \(line)")
    }
  }
}
