import IkranCodecs

/// What a client says of itself in the fields of a request.
struct ClientWishes: Sendable, Hashable {
  /// Formats to write where the URL names none, from the best.
  var preferred: [ImageFormat] = []
  /// Formats to write in any case, from the best.
  var enforced: [ImageFormat] = []
  /// Pixels of the screen for each of the page.
  var dpr: Double?
  /// In pixels of the page.
  var width: Int?

  /// No wishes.
  init() {}

  /// Reads fields of HTTP, as far as the service minds them.
  init(_ settings: NegotiationSettings, field: (String) -> String?) {
    let accepted = field("Accept") ?? ""
    for format in [ImageFormat.jpegXL, .avif, .webp]
    where accepted.contains("image/\(format.rawValue)") {
      let isEnforced = settings.enforced.contains(format)
      if isEnforced { enforced.append(format) }
      if isEnforced || settings.automatic.contains(format) { preferred.append(format) }
    }
    guard settings.usesClientHints else { return }
    dpr = (field("Sec-CH-DPR") ?? field("DPR")).flatMap { Double($0) }
    if let factor = dpr, !(OptionArguments.factors.lowerBound...8).contains(factor) { dpr = nil }
    if let text = field("Sec-CH-Width") ?? field("Width"), let wide = Int(text),
      OptionArguments.sizes.contains(wide), wide > 0
    {
      // A dpr near zero makes it larger than any picture.
      let quotient = (Double(wide) / (dpr ?? 1)).rounded()
      width = Int(min(quotient, Double(OptionArguments.sizes.upperBound)))
    }
  }
}
