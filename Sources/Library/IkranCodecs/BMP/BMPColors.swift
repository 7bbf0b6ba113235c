/// What the headers of versions 4 and 5 say of colours (BITMAPV4HEADER, BITMAPV5HEADER).
enum BMPColors {
  /// Offsets in the header.
  enum Field {
    static let space = 56
    static let endpoints = 60
    static let gamma = 96
    static let profileOffset = 112
    static let profileLength = 116
  }
  enum Space {
    static let calibrated = 0
    /// `sRGB`, and `Win ` for the system's own.
    static let sRGB = 0x7352_4742
    static let windows = 0x5769_6E20
    /// `MBED`, an ICC profile in the file; `LINK` stands for one elsewhere.
    static let embedded = 0x4D42_4544
  }

  /// What the header says; nothing in shorter ones, and where it names a profile elsewhere.
  static func read(_ bytes: Span<UInt8>, _ header: BMPHeader) -> FileColors {
    var colors = FileColors()
    guard header.hasColors else { return colors }
    switch bytes.littleEndian32(at: header.start + Field.space) {
    case Space.sRGB, Space.windows: colors.sources = [.sRGB]
    case Space.calibrated: colors.sources = calibrated(bytes, header).map { [$0] } ?? []
    case Space.embedded:
      if let range = profile(bytes, header) {
        colors.sources = [.icc([UInt8](copying: bytes.extracting(range)))]
      } else if hasProfile(bytes, header) {
        colors.fault = .malformed(reason: "it is not wholly in the file")
      }
    default: break
    }
    return colors
  }

  /// Whether the header says that the file has a profile.
  static func hasProfile(_ bytes: Span<UInt8>, _ header: BMPHeader) -> Bool {
    header.length > Field.profileLength
      && bytes.littleEndian32(at: header.start + Field.space) == Space.embedded
  }

  /// Where the profile is; its offset counts from the second header.
  private static func profile(_ bytes: Span<UInt8>, _ header: BMPHeader) -> Range<Int>? {
    guard header.length > Field.profileLength,
      let offset = bytes.littleEndian32(at: header.start + Field.profileOffset),
      let length = bytes.littleEndian32(at: header.start + Field.profileLength)
    else { return nil }
    let start = header.start + offset
    guard start <= bytes.count, length <= bytes.count - start else { return nil }
    return start..<start + min(length, ColorSource.largestProfile + 1)
  }

  /// The colours of the three lights and a gamma; nil where a field is zero, as many writers leave
  /// it.
  ///
  /// The white is D65: there is no field for it.
  private static func calibrated(_ bytes: Span<UInt8>, _ header: BMPHeader) -> ColorSource? {
    func field(_ offset: Int) -> Double {
      Double(bytes.littleEndian32(at: header.start + offset) ?? 0)
    }
    func point(_ index: Int) -> Chromaticities.Point? {
      let axes = (0..<3).map { field(Field.endpoints + index * 12 + $0 * 4) }
      guard axes[0] > 0, axes[1] > 0 else { return nil }
      let sum = axes[0] + axes[1] + axes[2]
      return Chromaticities.Point(x: axes[0] / sum, y: axes[1] / sum)
    }
    // That of green counts for the others.
    let exponent = field(Field.gamma + 4) / 65_536
    guard exponent > 0, let red = point(0), let green = point(1), let blue = point(2) else {
      return nil
    }
    let primaries = Chromaticities(white: .d65, red: red, green: green, blue: blue)
    return .gammaAndPrimaries(gamma: 1 / exponent, primaries: primaries)
  }
}
