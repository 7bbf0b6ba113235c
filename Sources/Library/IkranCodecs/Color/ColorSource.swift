/// What a file says of its colours; a file that says nothing has those of sRGB.
enum ColorSource: Sendable, Hashable {
  /// The bytes of an ICC profile, as they are in the file; at most
  /// ``ColorSource/largestProfile`` are needed to tell that they are too many.
  case icc([UInt8])
  /// Code points of ITU-T H.273.
  case cicp(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool)
  /// PNG's gAMA and cHRM: samples are light to the power of `gamma`, 0.45455 for most; nil stands
  /// for what sRGB has.
  case gammaAndPrimaries(gamma: Double?, primaries: Chromaticities?)
  /// Colours of sRGB (IEC 61966-2-1).
  case sRGB
  /// Colours of Adobe RGB (1998), as EXIF's interoperability index R03 says.
  case adobeRGB

  /// The bytes of the largest profile that is read: as many as a JPEG file's segments can hold.
  static let largestProfile = 16 << 20
}

/// The colours that samples stand for.
enum ColorModel: Sendable, Hashable {
  /// One channel; as pixels, three equal ones.
  case gray
  /// Red, green and blue.
  case rgb
  /// Four inks.
  case cmyk

  /// How many samples a colour has.
  var channels: Int {
    switch self {
    case .gray: 1
    case .rgb: 3
    case .cmyk: 4
    }
  }
}

/// The colours of a white and of three lights, in CIE 1931 x and y.
struct Chromaticities: Sendable, Hashable {
  struct Point: Sendable, Hashable {
    var x, y: Double
  }

  var white, red, green, blue: Point

  static let sRGB = Chromaticities(
    white: .d65,
    red: Point(x: 0.64, y: 0.33),
    green: Point(x: 0.3, y: 0.6),
    blue: Point(x: 0.15, y: 0.06)
  )
  static let adobeRGB = Chromaticities(
    white: .d65,
    red: Point(x: 0.64, y: 0.33),
    green: Point(x: 0.21, y: 0.71),
    blue: Point(x: 0.15, y: 0.06)
  )
}

extension Chromaticities.Point {
  static let d65 = Self(x: 0.3127, y: 0.329)
}
