import IkranPixels

extension ColorConversion {
  /// The way from a file's colours to sRGB: relative colorimetric, without compensation of black.
  ///
  /// It costs a digest of the profile's bytes where the workspace had it lately, else up to 0.5 ms
  /// with a matrix and 10 to 40 with a table.
  ///
  /// - Returns: No conversion where the colours are those of sRGB, or cannot be read; and why they
  ///   cannot.
  static func make(
    _ source: ColorSource?,
    _ model: ColorModel,
    workspace: Workspace
  ) -> (conversion: ColorConversion?, ignored: ColorFault?) {
    let (reading, fault) = ColorMemory.of(workspace).reading(source, model, isDeep: false)
    return (reading.conversion, fault)
  }

  /// The way from the colours of a file with 16 bits a sample to sRGB, in two steps: a byte for
  /// each sample when it is read, by its curve and that of sRGB, and a conversion of the finished
  /// pixels.
  ///
  /// - Returns: No levels where the high byte of a sample is to be taken, rounded; no conversion
  ///   where none remains; why the colours cannot be read.
  static func makeDeep(
    _ source: ColorSource?,
    _ model: ColorModel,
    workspace: Workspace
  ) -> (levels: SampleLevels?, conversion: ColorConversion?, ignored: ColorFault?) {
    let (reading, fault) = ColorMemory.of(workspace).reading(source, model, isDeep: true)
    return (reading.levels, reading.conversion, fault)
  }
}

/// A byte for each of 65,536 values of red, green and blue, which are equal for gray.
struct SampleLevels: Sendable {
  let red, green, blue: [UInt8]

  /// The bytes of light of 0…1.
  fileprivate init(light: [[Float]]) {
    let bytes = light.map { $0.map { SRGBLevels.nearByte(of: Double($0)) } }
    (red, green, blue) = (bytes[0], bytes[1], bytes[2])
  }

  /// The bytes of colours in sRGB, three numbers of 0…1 each.
  fileprivate init(colors: [Float]) {
    let bytes = (0..<3).map { channel in
      stride(from: channel, to: colors.count, by: 3)
        .map { SRGBLevels.byte(ofSample: Double(colors[$0])) }
    }
    (red, green, blue) = (bytes[0], bytes[1], bytes[2])
  }
}

/// What has been made of a file's colours.
struct ColorReading: Sendable {
  private(set) var levels: SampleLevels?
  private(set) var conversion: ColorConversion?

  /// Nothing is to be done.
  init() {}

  /// Reads colours from the start; `isDeep` for samples of 16 bits.
  init(_ source: ColorSource, _ model: ColorModel, isDeep: Bool) throws(ColorFault) {
    self.init()
    switch source {
    case .sRGB: return
    case .icc(let bytes): self = try Self(profile: bytes, model, isDeep: isDeep)
    case .adobeRGB: self = try Self(PlainColors.adobeRGB, model, isDeep: isDeep)
    case .gammaAndPrimaries(let gamma, let primaries):
      let colors = try PlainColors(gamma: gamma, primaries: primaries)
      self = try Self(colors, model, isDeep: isDeep)
    case .cicp(let primaries, let transfer, let matrix, let isFullRange):
      let colors = try PlainColors(
        primaries: primaries,
        transfer: transfer,
        matrix: matrix,
        isFullRange: isFullRange
      )
      self = try Self(colors, model, isDeep: isDeep)
    }
    if conversion?.isIdentity == true { conversion = nil }
  }

  private init(_ colors: PlainColors, _ model: ColorModel, isDeep: Bool) throws(ColorFault) {
    self.init()
    if colors == .sRGB { return }
    let light = colors.light(of: Self.samples(isDeep), isDeep: isDeep)
    switch model {
    case .gray:
      let encoded = light.map { Float(SRGBLevels.sample(of: Double($0))) }
      self = Self(grays: encoded.flatMap { [$0, $0, $0] }, isDeep: isDeep)
    case .rgb:
      guard colors.colors.arePossible,
        let profile = ColorProfileHandle(linear: colors.colors),
        let columns = profile.columns()
      else { throw .impossibleColors }
      self = Self(curves: [light, light, light], columns: columns, isDeep: isDeep)
    case .cmyk: throw .wrongColors(profile: "RGB")
    }
  }

  private init(profile bytes: [UInt8], _ model: ColorModel, isDeep: Bool) throws(ColorFault) {
    self.init()
    let header = try ProfileHeader(bytes, model)
    guard let profile = ColorProfileHandle(icc: header.bytes) else {
      throw ColorProfileHandle.refusal
    }
    let samples = Self.samples(isDeep)
    if model == .gray, let colors = profile.colors(of: samples, .gray) {
      self = Self(grays: colors, isDeep: isDeep)
    } else if model == .rgb, !header.hasTable, let columns = profile.columns(),
      let red = profile.curve(.red, of: samples), let green = profile.curve(.green, of: samples),
      let blue = profile.curve(.blue, of: samples)
    {
      self = Self(curves: [red, green, blue], columns: columns, isDeep: isDeep)
    } else if model != .gray, header.hasTable, let grid = ColorGrid(of: profile, model) {
      conversion = ColorConversion(method: model == .rgb ? .grid(grid) : .inks(grid))
    } else {
      throw .malformed(reason: "it stands for no colours")
    }
  }

  /// Colours of sRGB for each gray.
  private init(grays colors: [Float], isDeep: Bool) {
    if isDeep {
      levels = SampleLevels(colors: colors)
    } else {
      conversion = ColorConversion(grays: colors)
    }
  }

  /// The light of each red, green and blue, and what full light adds to that of sRGB.
  private init(curves: [[Float]], columns: [Double], isDeep: Bool) {
    guard isDeep else {
      conversion = ColorConversion(curves: curves, columns: columns)
      return
    }
    levels = SampleLevels(light: curves)
    let light = PlainColors.sRGB.light(of: Self.samples(false), isDeep: false)
    conversion = ColorConversion(curves: [light, light, light], columns: columns)
  }

  /// All samples of 8 bits or of 16, as numbers of 0…1.
  private static func samples(_ isDeep: Bool) -> [Float] {
    let last = isDeep ? 65_535 : 255
    return (0...last).map { Float($0) / Float(last) }
  }
}

extension ColorConversion {
  /// A curve: colours of sRGB, three numbers for each of 256 grays.
  fileprivate init(grays colors: [Float]) {
    let pixels = (0..<256).map { gray in
      (0..<3).reduce(UInt32(0)) { pixel, channel in
        let byte = SRGBLevels.byte(ofSample: Double(colors[gray * 3 + channel]))
        return pixel << 8 | UInt32(byte)
      }
    }
    self.init(method: .curve(pixels))
  }

  /// The light of 256 values of red, green and blue, and what full light adds to that of sRGB.
  fileprivate init(curves: [[Float]], columns: [Double]) {
    let full = Double((ColorConversion.levelCount - 1) << ColorConversion.levelShift)
    // Half of the last number of the sum, which it rounds.
    let half = Int32(1) << Int32(ColorConversion.levelShift - 1)
    var light: [Int32] = []
    light.reserveCapacity(3072)
    for channel in [2, 1, 0] {
      for value in curves[channel] {
        for target in [2, 1, 0] {
          // Three of these fit 32 bits; what is no number counts as nothing.
          let part = Double(value) * columns[channel * 3 + target]
          let bounded = part > -8 ? min(part, 8) : part <= -8 ? -8 : 0
          light.append(Int32((bounded * full).rounded()) + (channel == 0 ? half : 0))
        }
        light.append(0)
      }
    }
    self.init(method: .matrix(light))
  }

  /// Whether grays and colours all over the cube stay as they are, but for a step of 255.
  fileprivate var isIdentity: Bool {
    if case .inks = method { return false }
    var pixels: [UInt8] = []
    for gray in UInt8.min ... .max { pixels += [gray, gray, gray, 255] }
    let steps = stride(from: 0, through: 255, by: 15).map(UInt8.init)
    if case .curve = method {
    } else {
      for blue in steps {
        for green in steps {
          for red in steps { pixels += [blue, green, red, 255] }
        }
      }
    }
    return zip(pixels, converted(pixels)).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
  }
}
