import IkranCodecs
import Testing

@testable import IkranService

/// Sources of paths, plain and in base64, and what is repaired before.
@Suite("Paths")
struct PathTests {
  @Test(arguments: [
    ("plain/https://a.test/b.png", "https://a.test/b.png"),
    ("plain/https:/a.test/b.png", "https://a.test/b.png"),
    ("w:5/plain/https:/a.test/b.png", "https://a.test/b.png"),
    ("plain/http://h/a:/b", "http://h/a://b"),
    ("plain/a b:/c:/d", "a b:/c:/d"),
    ("plain/:/a", ":/a"),
    ("plain/x:/", "x:/"),
    ("plain/local:///a/b", "local:///a/b"),
    ("plain/local:/a/b", "local:///a/b"),
    ("plain/local%3A///a", "local:///a"),
    ("plain/s3:/bucket/key", "s3://bucket/key"),
    ("plain/plain/http:/a", "plain/http://a"),
    ("plain/http://a.test/plain/b", "http://a.test/plain/b"),
    ("plain/http://a.test/caf%C3%A9", "http://a.test/café"),
    ("plain/http://a.test/caf%E9", "http://a.test/caf%E9"),
    ("plain/a%40webp", "a@webp"), ("plain/a%2Fb+c", "a/b+c"), ("plain/a%253Fb%2526", "a%3Fb%26"),
    ("plain/HTTP://A/b", "HTTP://A/b"), ("plain/a@", "a"), ("plain/a?k=v", "a"),
    ("/plain/a", "a"), ("plain//a", "/a"), ("plain/a//b/", "a//b/"),
  ])
  func aPlainSourceIsRepairedAndDecodedOnce(path: String, url: String) throws {
    #expect(try source(path) == url)
  }

  @Test(arguments: [
    ("aHR0cDovL2EudGVzdC9iLnBuZw", "http://a.test/b.png"),
    ("aHR0cDovL2EudGVzdC9iLnBuZw==", "http://a.test/b.png"),
    ("aHR0cDov/L2EudGVz/dC9iLnBuZw.webp", "http://a.test/b.png"),
    ("w:5/aHR0cDovL2EudGVzdC9iLnBuZw=.", "http://a.test/b.png"),
    ("aHR0/cDovL2Eu/dGVzdC9j/JTIwYg", "http://a.test/c%20b"),
    ("Pz8_fn5-", "???~~~"),
  ])
  func aSourceInBase64MayBeDivided(path: String, url: String) throws {
    #expect(try source(path) == url)
  }

  @Test func theLastPartOfASourceInBase64MayBeAName() throws {
    let environment = ["IMGPROXY_BASE64_URL_INCLUDES_FILENAME": "true"]
    #expect(try source("aHR0cDov/L2EvYg/nice.name.jpg", environment) == "http://a/b")
    #expect(try source("aHR0cDovL2EvYg.jpg", environment) == "http://a/b")
    #expect(try source("plain/http://a/b", environment) == "http://a/b")
  }

  @Test(arguments: [
    ("plain/a@webp", "webp"), ("plain/a@jpg", "jpeg"), ("YQ.avif", "avif"), ("f:png/YQ.jxl", "jxl"),
    ("f:png/plain/a@", "png"), ("f:png/plain/a%40webp", "png"), ("ext:tiff/YQ", "tiff"),
    ("plain/a@svg", "svg"), ("plain/a@ico", "ico"), ("plain/a@heic", "heic"),
  ])
  func theEndingIsTheFormatAndBeatsTheOption(path: String, format: String) throws {
    #expect(try request("/_/" + path).options.output.format?.rawValue == format)
  }

  @Test func theEndingOfARawSourceIsIgnored() throws {
    #expect(try request("/_/raw:1/plain/a@nothing").options.output.format == nil)
    #expect(try fault("/_/raw:0/plain/a@nothing")?.status == 404)
  }

  @Test(arguments: [
    "", "/", "//", "///", "/_", "/_/", "/_//", "/_/?plain/a", "?", "/?a/b/c", "//plain/a", "_",
    "/_/plain", "/_/plain/", "/_/plain/@", "/_/plain/@png", "/_/plain/a@png@png", "/_/plain/a@JPG",
    "/_/plain/a@best", "/_/plain/%", "/_/plain/%4", "/_/plain/%zz", "/_/plain/a%", "/_/plain/a%00",
    "/_/plain/a%0A", "/_/plain/a\0", "/_/AAAA", "/_/w:1",
    "/_/w:1/", "/_/w:1//plain/http://a", "/_/a", "/_/YQ.png.png", "/_/YQ.JPG", "/_/.png",
    "/_/YQ%3D",
    "/_/Y+Q", "/_/Pz8/fn5+", "/_/=", "/_/YWJjZ", "/_/fit/4/4/no/1/YQ", "/_/fill-down/plain/a",
    "/_/auto/YQ", "/_/w%3a5/plain/a", "/_/W:5/plain/a", "/_/w:%35/plain/a",
  ])
  func aPathWithoutASourceIsAnInvalidURL(target: String) throws {
    let error = try fault(target)
    #expect(error?.status == 404 && error?.message == "Invalid URL", "\(target)")
    #expect(error?.details.isEmpty == false)
  }

  @Test(arguments: [
    ("thumb/plain/http://a.test/b.c.png", "a preset has “pr:” before its name"),
    ("w:8/thumb/plain/http://a.test/b.png", "no option"),
    ("http://a.test/b.png", "write plain/http:"), ("w:8/https:/a.test/b.c", "write plain/https:"),
    ("w:8/s3://bucket/key", "write plain/s3:"), ("Y!Q", "is not base64url"),
    ("www.a.test/x@y.png", "is not base64url"), ("YQ.png.png", "two endings in base64url"),
    ("plain/a@png@png", "write an @ in it as %40"),
  ])
  func aFaultSaysWhatIsMeant(path: String, words: String) throws {
    let details = try fault("/_/" + path)?.details ?? ""
    #expect(details.contains(words), "\(details)")
  }

  @Test(arguments: ["/img", "img/", "/img/?x", "img#x"])
  func thePrefixIsBeforeTheSignature(prefix: String) throws {
    let environment = ["IMGPROXY_PATH_PREFIX": prefix]
    #expect(try request("/img/_/plain/a", environment).source == "a")
    for target in ["/_/plain/a", "/imgs/_/plain/a", "/img", "/img/", "/img/_", ""] {
      #expect(try fault(target, environment)?.status == 404, "\(target)")
    }
  }

  @Test func colonsOfOptionsMayBeEncodedInCapitals() throws {
    #expect(try options("rs%3Afill%3A4%3A5").resizing.height == 5)
    #expect(try request("/_/w%3A4/YQ").options.resizing.width == 4)
  }

  @Test func argumentsMayHaveAnotherSeparator() throws {
    let environment = ["IMGPROXY_ARGUMENTS_SEPARATOR": ",,"]
    #expect(try options("rs,,fill,,4,,5/q,,7", environment).resizing.height == 5)
    #expect(try fault("/_/w:4/plain/a", environment)?.status == 404)
    #expect(settingsFault(["IMGPROXY_ARGUMENTS_SEPARATOR": "/"]) != nil)
  }

  @Test(arguments: [
    ("http://a", "http://base/", "http://base/http://a"),
    ("x/y", "http://base/", "http://base/x/y"),
    ("http://base/x", "http://base/", "http://base/x"),
  ])
  func theBaseIsBeforeSourcesWithoutIt(path: String, base: String, url: String) throws {
    #expect(try source("plain/" + path, ["IMGPROXY_BASE_URL": base]) == url)
  }
}
