import Testing

@testable import IkranService

/// Beginnings of URLs with stars, and what is written in their place.
@Suite("Patterns of sources")
struct WildcardPatternTests {
  @Test(arguments: [
    ("http://a.test/", "http://a.test/b", true), ("http://a.test/", "http://a.test.evil/", false),
    ("http://*.test/", "http://a.b.test/c", true), ("http://*.test/", "http://a/b.test/", false),
    ("http://good", "http://good@evil/", true), ("local://", "local:///a", true),
    ("*", "anything", true), ("*", "", true), ("http://a*b*c/", "http://axbxbcxc/", true),
    ("http://a*b*c/", "http://axbx/c/", false), ("**a", "bca", true), ("a.b", "axb", false),
  ])
  func aPatternIsTheBeginningOfURLs(pattern: String, url: String, isMatched: Bool) throws {
    let settings = try ServiceSettings(environment: ["IMGPROXY_ALLOWED_SOURCES": pattern])
    #expect(settings.sources.allows(url) == isMatched)
  }

  @Test func withoutPatternsAllSourcesAreAllowed() throws {
    #expect(try ServiceSettings(environment: [:]).sources.allows("http://a"))
    let settings = try ServiceSettings(environment: ["IMGPROXY_ALLOWED_SOURCES": "s3://,http://a/"])
    #expect(settings.sources.allows("s3://b/c") && settings.sources.allows("http://a/b"))
    #expect(!settings.sources.allows("http://b/"))
  }

  @Test(arguments: [
    ("mys3://=s3://bucket/", "mys3://k/l", "s3://bucket/k/l"),
    ("pic://*/*=http://${2}.test/${1}", "pic://a/b/c", "http://b.test/a/c"),
    ("a*c=$1-$$-${0}-${9}-$x.", "abbcd", "bb-$-abbc--.d"), ("a=b=c", "ax", "b=cx"),
    ("a=$", "a", "$"), ("a=${1", "a", "${1"), ("nothing=x", "a", "a"),
    ("a=b;b=c", "ax", "cx"), ("b=c;a=b", "ax", "bx"), ("a*b*=${1}|$2", "axbyb", "xby|"),
  ])
  func replacementsAreMadeInTheirOrder(rules: String, path: String, url: String) throws {
    #expect(try source("plain/" + path, ["IMGPROXY_URL_REPLACEMENTS": rules]) == url)
  }

  @Test func aReplacementWithoutAnEqualsSignIsRefused() {
    let error = settingsFault(["IMGPROXY_URL_REPLACEMENTS": "a=b;c"])
    #expect(error?.variable == "IMGPROXY_URL_REPLACEMENTS" && error?.value == "a=b;c")
  }

  @Test func aPatternOfManyStarsIsSoonDone() {
    let pattern = WildcardPattern(String(repeating: "*a", count: 20) + "*b")
    #expect(pattern.match(of: [UInt8](repeating: UInt8(ascii: "a"), count: 2000)) == nil)
  }
}
