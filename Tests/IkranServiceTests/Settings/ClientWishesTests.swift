import IkranCodecs
import Testing

@testable import IkranService

/// What clients say of formats and screens.
@Suite("Wishes of clients")
struct ClientWishesTests {
  private func wishes(
    _ fields: [String: String],
    _ environment: [String: String]
  ) throws -> ClientWishes {
    let settings = try ServiceSettings(environment: environment)
    return ClientWishes(settings.formats.negotiation) { fields[$0] }
  }

  @Test func acceptedFormatsAreWantedWhereTheyAreSwitchedOn() throws {
    let fields = ["Accept": "text/html,image/avif,image/webp,image/jxl;q=0,*/*"]
    #expect(try wishes(fields, [:]) == ClientWishes())
    let environment = ["IMGPROXY_AUTO_WEBP": "1", "IMGPROXY_ENFORCE_AVIF": "1"]
    let wishes = try wishes(fields, environment)
    #expect(wishes.preferred == [.avif, .webp] && wishes.enforced == [.avif])
    #expect(try self.wishes(["Accept": "image/*,*/*"], environment) == ClientWishes())
  }

  @Test(
    arguments: [
      (["Sec-CH-DPR": "2", "DPR": "3"], 2.0, nil), (["DPR": "8"], 8, nil),
      (["DPR": "8.1"], nil, nil),
      (["DPR": "0"], nil, nil), (["DPR": "nan"], nil, nil), (["Width": "301"], nil, 301),
      (["Sec-CH-Width": "301", "DPR": "2"], 2, 151), (["Width": "-1"], nil, nil),
      (["Width": "1000000000", "DPR": "1e-300"], nil, 1_000_000_000),
    ] as [([String: String], Double?, Int?)]
  )
  func screensCountWhereTheyAreSwitchedOn(
    fields: [String: String],
    dpr: Double?,
    width: Int?
  ) throws {
    let wishes = try wishes(fields, ["IMGPROXY_ENABLE_CLIENT_HINTS": "1"])
    #expect(wishes.dpr == dpr && wishes.width == width)
    #expect(try self.wishes(fields, [:]) == ClientWishes())
  }

  @Test func theURLOverridesTheScreen() throws {
    let environment = ["IMGPROXY_PRESETS": "default=dpr:3"]
    let reader = try RequestReader(ServiceSettings(environment: environment))
    var wishes = ClientWishes()
    (wishes.dpr, wishes.width) = (2, 100)
    let first = try reader.read(target: "/_/plain/a", wishes: wishes, now: 0).options.resizing
    #expect(first.dpr == 3 && first.width == 100)
    let second = try reader.read(target: "/_/w:5/plain/a", wishes: wishes, now: 0).options.resizing
    #expect(second.width == 5)
  }
}
