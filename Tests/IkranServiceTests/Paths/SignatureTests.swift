import IkranCodecs
import Testing

@testable import IkranService

/// Signatures of paths: known ones, rotation of keys, and what is let in without keys.
@Suite("Signatures")
struct SignatureTests {
  private static let first = [
    "IMGPROXY_KEY": "00112233445566778899aabbccddeeff", "IMGPROXY_SALT": "0f1e2d3c4b5a6978",
  ]
  private static let second = ["IMGPROXY_KEY": "a1b2c3d4", "IMGPROXY_SALT": "55aa55aa"]
  private static let both = [
    "IMGPROXY_KEY": "00112233445566778899AABBCCDDEEFF,a1b2c3d4",
    "IMGPROXY_SALT": "0f1e2d3c4b5a6978,55aa55aa",
  ]
  private static let path = "/rs:fill:320:200:1/g:noea/aHR0cHM6Ly9pbWcudGVzdC9jYXQucG5n.webp"
  private static let code = "dIp_deLjUHoRKE6J1r7k6xkZl1CChVND9sexLyj4usA"
  private static let received =
    "/oaS1H22mLGbV1g5ChkzI9WClZmdYq152cS8-Lk7SiRk"
    + "/w%3A64/q%3A70/plain/https:/img.test/a%2520b.jpg@avif"

  @Test func aRightSignatureIsLetIn() throws {
    let request = try request("/" + Self.code + Self.path, Self.first)
    #expect(request.source == "https://img.test/cat.png")
    #expect(request.options.output.format == .webp)
    #expect(request.options.resizing.kind == .fill && request.options.resizing.enlarges)
  }

  @Test func aShorterSignatureNeedsItsSize() throws {
    var environment = Self.first
    let target = "/dIp_deLjUHoRKA" + Self.path
    #expect(try fault(target, environment)?.status == 403)
    environment["IMGPROXY_SIGNATURE_SIZE"] = "10"
    #expect(try fault(target, environment) == nil)
    #expect(try fault("/" + Self.code + Self.path, environment)?.status == 403)
  }

  @Test func theSignatureIsOfTheRepairedPath() throws {
    let request = try request(Self.received, Self.second)
    #expect(request.source == "https://img.test/a%20b.jpg")
    #expect(request.options.resizing.width == 64 && request.options.output.quality == 70)
    #expect(request.options.output.format == .avif)
  }

  @Test func anyPairOfAKeyAndItsSaltMaySign() throws {
    #expect(try fault("/" + Self.code + Self.path, Self.both) == nil)
    #expect(try fault(Self.received, Self.both) == nil)
    var crossed = Self.both
    crossed["IMGPROXY_SALT"] = "55aa55aa,0f1e2d3c4b5a6978"
    #expect(try fault("/" + Self.code + Self.path, crossed)?.status == 403)
  }

  @Test(arguments: [
    "unsafe", "_", "dIp_deLjUHoRKE6J1r7k6xkZl1CChVND9sexLyj4usB",
    "eIp_deLjUHoRKE6J1r7k6xkZl1CChVND9sexLyj4usA",
    "dIp_deLjUHoRKE6J1r7k6xkZl1CChVND9sexLyj4usA=",
    "dIp+deLjUHoRKE6J1r7k6xkZl1CChVND9sexLyj4usA", "dIp_deLjUHoRKA", "%64Ip_", "w:100",
  ])
  func aWrongSignatureIsForbidden(signature: String) throws {
    let target = "/" + signature + Self.path
    // The last digit has two bits that belong to no byte.
    let isTheSame = signature.hasSuffix("usB")
    let error = try fault(target, Self.first)
    #expect(isTheSame ? error == nil : error?.status == 403)
    #expect(isTheSame || error?.message == "Forbidden")
  }

  @Test(arguments: ["/h:64", "/w:64/", "//"]) func aChangedPathIsForbidden(more: String) throws {
    #expect(try fault("/" + Self.code + more + Self.path, Self.first)?.status == 403)
  }

  @Test func trustedSignaturesAreLetInWithAnyPath() throws {
    var environment = Self.first
    environment["IMGPROXY_TRUSTED_SIGNATURES"] = "internal, other"
    #expect(try fault("/internal/plain/a", environment) == nil)
    #expect(try fault("/other/w:5/plain/a", environment) == nil)
    #expect(try fault("/Internal/plain/a", environment)?.status == 403)
  }

  @Test func withoutKeysAnyTextIsASignatureButNoOption() throws {
    #expect(try fault("/unsafe/plain/a") == nil)
    #expect(try fault("/infos/plain/a") == nil)
    #expect(try fault("/info/unsafe/plain/a") == nil)
    #expect(try fault("/info/th:1/plain/a")?.status == 403)
    #expect(try fault("/%%%/plain/a") == nil)
    #expect(try fault("/rs:fit:4:4/plain/a")?.status == 403)
    #expect(try fault("/w:4/plain/a")?.message == "Forbidden")
  }

  @Test func theQueryIsNotSigned() throws {
    #expect(try fault("/" + Self.code + Self.path + "?a=/b", Self.first) == nil)
  }
}
