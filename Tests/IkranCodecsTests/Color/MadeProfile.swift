import CLittleCMS

@testable import IkranCodecs

/// Profiles that LittleCMS makes for tests.
enum MadeProfile: String, CaseIterable {
  case displayP3, adobeRGB, proPhoto, linearRec2020, sRGB
  case gray18, gray22, linearGray
  case table, linearTable, composedTable
  case inks, composedInks

  var model: ColorModel {
    switch self {
    case .gray18, .gray22, .linearGray: .gray
    case .inks, .composedInks: .cmyk
    default: .rgb
    }
  }

  /// The bytes of the profile.
  var bytes: [UInt8] {
    switch self {
    case .displayP3: Self.matrix(.displayP3, Self.sRGBCurve)
    case .adobeRGB: Self.matrix(.adobeRGB, cmsBuildGamma(nil, 563 / 256.0))
    case .proPhoto: Self.matrix(.proPhoto, cmsBuildGamma(nil, 1.8))
    case .linearRec2020: Self.matrix(.rec2020, cmsBuildGamma(nil, 1))
    case .sRGB: Self.matrix(.sRGB, Self.sRGBCurve)
    case .gray18: Self.gray(1.8)
    case .gray22: Self.gray(2.2)
    case .linearGray: Self.gray(1)
    case .table: Self.table(.adobeRGB, gamma: 2.2, version: 2.1)
    case .linearTable: Self.table(.sRGB, gamma: 1, version: 2.1)
    case .composedTable: Self.table(.proPhoto, gamma: 1.8, version: 4.3)
    case .inks: Self.inks(version: 2.1)
    case .composedInks: Self.inks(version: 4.3)
    }
  }

  /// A profile of three curves and a matrix.
  static func matrix(_ colors: Chromaticities, _ curve: OpaquePointer?) -> [UInt8] {
    var white = colors.white.xyY
    var primaries = cmsCIExyYTRIPLE(
      Red: colors.red.xyY,
      Green: colors.green.xyY,
      Blue: colors.blue.xyY
    )
    defer { cmsFreeToneCurve(curve) }
    return saved(cmsCreateRGBProfile(&white, &primaries, [curve, curve, curve]))
  }

  static func gray(_ gamma: Double) -> [UInt8] {
    saved(gray: cmsBuildGamma(nil, gamma))
  }

  /// A profile of a curve, which is freed.
  static func saved(gray curve: OpaquePointer?) -> [UInt8] {
    defer { cmsFreeToneCurve(curve) }
    return saved(cmsCreateGrayProfile(cmsD50_xyY(), curve))
  }

  static var sRGBCurve: OpaquePointer? {
    cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
  }

  /// A profile that tests close, and its bytes.
  static func saved(_ profile: cmsHPROFILE?) -> [UInt8] {
    defer { cmsCloseProfile(profile) }
    var count: cmsUInt32Number = 0
    cmsSaveProfileToMem(profile, nil, &count)
    var bytes = [UInt8](repeating: 0, count: Int(count))
    cmsSaveProfileToMem(profile, &bytes, &count)
    return bytes
  }

  /// A table of 17³ colours of L*a*b*, sampled from a matrix.
  private static func table(_ colors: Chromaticities, gamma: Double, version: Double) -> [UInt8] {
    let source = matrix(colors, cmsBuildGamma(nil, gamma))
    let profile = cmsOpenProfileFromMem(source, cmsUInt32Number(source.count))
    let lab = cmsCreateLab4Profile(nil)
    defer {
      cmsCloseProfile(profile)
      cmsCloseProfile(lab)
    }
    let transform = cmsCreateTransform(
      profile,
      Format.rgb.word(bytes: 2),
      lab,
      Format.lab.word(bytes: 2),
      1,
      UInt32(cmsFLAGS_NOOPTIMIZE)
    )
    defer { cmsDeleteTransform(transform) }
    return sampled(3, nodes: 17, cmsSigRgbData, version: version, transform) { input, output, own in
      cmsDoTransform(own, input, output, 1)
      return 1
    }
  }

  /// A table of 9⁴ colours: inks take light away, each some of the other's.
  private static func inks(version: Double) -> [UInt8] {
    sampled(4, nodes: 9, cmsSigCmykData, version: version, nil) { input, output, _ in
      guard let input, let output else { return 0 }
      let ink = (0..<4).map { Double(input[$0]) / 65535 }
      let black = 1 - 0.95 * ink[3]
      let red = (1 - 0.9 * ink[0]) * (1 - 0.1 * ink[1]) * black
      let green = (1 - 0.4 * ink[0]) * (1 - 0.85 * ink[1]) * (1 - 0.1 * ink[2]) * black
      let blue = (1 - 0.2 * ink[0]) * (1 - 0.4 * ink[1]) * (1 - 0.9 * ink[2]) * black
      var xyz = cmsCIEXYZ(
        X: 0.4361 * red + 0.3851 * green + 0.1431 * blue,
        Y: 0.2225 * red + 0.7169 * green + 0.0606 * blue,
        Z: 0.0139 * red + 0.0971 * green + 0.7141 * blue
      )
      var lab = cmsCIELab()
      cmsXYZ2Lab(cmsD50_XYZ(), &lab, &xyz)
      cmsFloat2LabEncoded(output, &lab)
      return 1
    }
  }

  /// A profile with a table that is filled by a function; of version 2 it is one of 16 bits, of version
  /// 4 a composed one with curves.
  private static func sampled(
    _ inputs: UInt32,
    nodes: UInt32,
    _ space: cmsColorSpaceSignature,
    version: Double,
    _ own: UnsafeMutableRawPointer?,
    _ fill:
      @convention(c) (
        UnsafePointer<UInt16>?, UnsafeMutablePointer<UInt16>?, UnsafeMutableRawPointer?
      ) -> Int32
  ) -> [UInt8] {
    let profile = cmsCreateProfilePlaceholder(nil)
    cmsSetProfileVersion(profile, version)
    cmsSetDeviceClass(profile, inputs == 4 ? cmsSigOutputClass : cmsSigInputClass)
    cmsSetColorSpace(profile, space)
    cmsSetPCS(profile, cmsSigLabData)
    let pipeline = cmsPipelineAlloc(nil, inputs, 3)
    defer { cmsPipelineFree(pipeline) }
    let grid = cmsStageAllocCLut16bit(nil, nodes, inputs, 3, nil)
    cmsStageSampleCLut16bit(grid, fill, own, 0)
    let line = cmsBuildGamma(nil, 1)
    defer { cmsFreeToneCurve(line) }
    let lines = [OpaquePointer?](repeating: line, count: 4)
    cmsPipelineInsertStage(pipeline, cmsAT_BEGIN, cmsStageAllocToneCurves(nil, inputs, lines))
    cmsPipelineInsertStage(pipeline, cmsAT_END, grid)
    cmsPipelineInsertStage(pipeline, cmsAT_END, cmsStageAllocToneCurves(nil, 3, lines))
    cmsWriteTag(profile, cmsSigAToB0Tag, UnsafeRawPointer(pipeline))
    return saved(profile)
  }
}

extension Chromaticities {
  static let displayP3 = Chromaticities(
    white: .d65,
    red: Point(x: 0.68, y: 0.32),
    green: Point(x: 0.265, y: 0.69),
    blue: Point(x: 0.15, y: 0.06)
  )
  static let proPhoto = Chromaticities(
    white: Point(x: 0.3457, y: 0.3585),
    red: Point(x: 0.7347, y: 0.2653),
    green: Point(x: 0.1596, y: 0.8404),
    blue: Point(x: 0.0366, y: 0.0001)
  )
  static let rec2020 = Chromaticities(
    white: .d65,
    red: Point(x: 0.708, y: 0.292),
    green: Point(x: 0.17, y: 0.797),
    blue: Point(x: 0.131, y: 0.046)
  )
}

extension Chromaticities.Point {
  fileprivate var xyY: cmsCIExyY { cmsCIExyY(x: x, y: y, Y: 1) }
}
