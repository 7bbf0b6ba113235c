import IkranPixels
import Testing

/// Chains of filters with an operator.
@Suite struct FilterOperatorTests {
  @Test func aBitmapIsFilteredFromLeftToRight() throws {
    let image = try noise(12, 9, .bgra)
    let chained = try image |> .posterize(levels: 3) |> .blur(radius: 1)
    let oneByOne = try image.filtered([.posterize(levels: 3)]).filtered([.blur(radius: 1)])
    #expect(chained.pixels == oneByOne.pixels)
  }

  @Test func aStyleGetsTheFilterAfterThoseItHas() {
    let style = Style.circle(48) |> .saturation(0) |> .vignette()
    #expect(style == Style.circle(48).filtered([.saturation(0), .vignette()]))
  }

  @Test func whatAFilterThrowsIsThrown() throws {
    let image = try noise(3, 2, .bgra)
    let error = FilterError.notFinite(filter: "gamma", parameter: "exponent")
    #expect(throws: error) { try image |> .grayed() |> .gamma(.nan) }
  }

  @Test func itBindsTighterThanComparisonsAndLessThanDefaults() throws {
    let none: Style? = nil
    #expect(none ?? .circle(9) |> .grayed() == Style.circle(9).filtered([.grayed()]))
  }

  @Test func bitsAreStillJoined() {
    let (low, high): (UInt32, UInt32) = (1, 2)
    #expect(low | high << 8 | low << 16 | high << 24 == 0x0201_0201)
  }
}
