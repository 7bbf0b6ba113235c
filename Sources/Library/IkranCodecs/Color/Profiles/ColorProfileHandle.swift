#if CLibraries
import CLittleCMS

/// A profile that LittleCMS has read, in a context of its own: it shares nothing with other threads
/// and prints nothing.
struct ColorProfileHandle: ~Copyable {
  private let context: OpaquePointer
  private let profile: cmsHPROFILE

  /// Why ``init(icc:)`` makes none.
  static let refusal = ColorFault.malformed(reason: "it cannot be read")

  /// `cmsOpenProfileFromMemTHR`, which copies the bytes; nil when it refuses them.
  init?(icc bytes: [UInt8]) {
    guard let context = Self.makeContext() else { return nil }
    guard let size = cmsUInt32Number(exactly: bytes.count),
      let profile = cmsOpenProfileFromMemTHR(context, bytes, size)
    else {
      cmsDeleteContext(context)
      return nil
    }
    (self.context, self.profile) = (context, profile)
  }

  /// `cmsCreateRGBProfileTHR` with curves that change nothing; nil when the colours are impossible.
  init?(linear colors: Chromaticities) {
    guard let context = Self.makeContext() else { return nil }
    guard let profile = Self.makeLinear(colors, context) else {
      cmsDeleteContext(context)
      return nil
    }
    (self.context, self.profile) = (context, profile)
  }

  deinit {
    cmsCloseProfile(profile)
    cmsDeleteContext(context)
  }

  /// The columns of the matrix from the profile's linear light to that of sRGB: what red, green and
  /// blue add to red, green and blue; nil when the profile has none.
  func columns() -> [Double]? {
    let tags = [cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag]
    var colorants: [Double] = []
    for tag in tags {
      guard let place = cmsReadTag(profile, tag) else { return nil }
      // LittleCMS owns it, as long as the profile.
      let color = place.assumingMemoryBound(to: cmsCIEXYZ.self).pointee
      colorants += [color.X, color.Y, color.Z]
    }
    guard let light = Self.light else { return nil }
    return (0..<9).map { index in
      let (color, target) = (index / 3, index % 3)
      return (0..<3).reduce(0) { $0 + colorants[color * 3 + $1] * light[$1 * 3 + target] }
    }
  }

  /// The light of sRGB for X, Y and Z, three numbers each, as LittleCMS has it.
  ///
  /// It takes half a millisecond, once for the process.
  private static let light: [Double]? = {
    guard let context = makeContext() else { return nil }
    defer { cmsDeleteContext(context) }
    guard let xyz = cmsCreateXYZProfileTHR(context) else { return nil }
    defer { cmsCloseProfile(xyz) }
    guard let target = makeLinear(.sRGB, context) else { return nil }
    defer { cmsCloseProfile(target) }
    var numbers = [Double](repeating: 0, count: 9)
    let isDone = run(
      context,
      from: (xyz, format(PT_XYZ, channels: 3, bytes: 0)),
      to: (target, format(PT_RGB, channels: 3, bytes: 0))
    ) { cmsDoTransform($0, [1, 0, 0, 0, 1, 0, 0, 0, 1] as [Double], &numbers, 3) }
    return isDone ? numbers : nil
  }()

  /// What a curve makes of numbers of 0…1: that of red, green, blue or gray; nil when the profile
  /// has none.
  func curve(_ channel: Channel, of values: [Float]) -> [Float]? {
    guard let place = cmsReadTag(profile, channel.tag) else { return nil }
    let curve = OpaquePointer(place)
    return values.map { cmsEvalToneCurveFloat(curve, $0) }
  }

  /// The colours in sRGB of samples – one, three or four numbers of 0…1 for each colour –, relative
  /// colorimetric and without compensation of black: three numbers each, 0…1 and beyond.
  func colors(of samples: [Float], _ model: ColorModel) -> [Float]? {
    guard let target = cmsCreate_sRGBProfileTHR(context) else { return nil }
    defer { cmsCloseProfile(target) }
    let count = samples.count / model.channels
    var colors = [Float](repeating: 0, count: count * 3)
    // Inks are in percent there.
    let source = model == .cmyk ? samples.map { $0 * 100 } : samples
    let isDone = Self.run(
      context,
      from: (profile, Self.format(model.kind, channels: model.channels, bytes: 4)),
      to: (target, Self.format(PT_RGB, channels: 3, bytes: 4))
    ) { cmsDoTransform($0, source, &colors, cmsUInt32Number(count)) }
    return isDone ? colors : nil
  }

  /// A channel that has a curve.
  enum Channel: CaseIterable {
    case red, green, blue, gray

    fileprivate var tag: cmsTagSignature {
      switch self {
      case .red: cmsSigRedTRCTag
      case .green: cmsSigGreenTRCTag
      case .blue: cmsSigBlueTRCTag
      case .gray: cmsSigGrayTRCTag
      }
    }
  }

  /// `cmsCreateTransformTHR` between two profiles; false when it refuses them.
  private static func run(
    _ context: OpaquePointer,
    from source: (profile: cmsHPROFILE, format: cmsUInt32Number),
    to target: (profile: cmsHPROFILE, format: cmsUInt32Number),
    _ body: (cmsHTRANSFORM) -> Void
  ) -> Bool {
    let flags = cmsUInt32Number(cmsFLAGS_NOOPTIMIZE | cmsFLAGS_NOCACHE)
    guard
      let transform = cmsCreateTransformTHR(
        context,
        source.profile,
        source.format,
        target.profile,
        target.format,
        cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC),
        flags
      )
    else { return false }
    defer { cmsDeleteTransform(transform) }
    body(transform)
    return true
  }

  private static func makeContext() -> OpaquePointer? {
    guard let context = cmsCreateContext(nil, nil) else { return nil }
    cmsSetLogErrorHandlerTHR(context) { _, _, _ in }
    return context
  }

  private static func makeLinear(
    _ colors: Chromaticities,
    _ context: OpaquePointer
  ) -> cmsHPROFILE? {
    guard let line = cmsBuildGamma(context, 1) else { return nil }
    defer { cmsFreeToneCurve(line) }
    var white = colors.white.xyY
    var primaries = cmsCIExyYTRIPLE(
      Red: colors.red.xyY,
      Green: colors.green.xyY,
      Blue: colors.blue.xyY
    )
    return cmsCreateRGBProfileTHR(context, &white, &primaries, [line, line, line])
  }

  /// Floating point; 0 bytes stand for 8.
  private static func format(_ kind: Int32, channels: Int, bytes: Int) -> cmsUInt32Number {
    1 << 22 | cmsUInt32Number(kind) << 16 | cmsUInt32Number(channels << 3 | bytes)
  }
}

extension ColorModel {
  fileprivate var kind: Int32 {
    switch self {
    case .gray: PT_GRAY
    case .rgb: PT_RGB
    case .cmyk: PT_CMYK
    }
  }
}

extension Chromaticities.Point {
  fileprivate var xyY: cmsCIExyY { cmsCIExyY(x: x, y: y, Y: 1) }
}
#endif
