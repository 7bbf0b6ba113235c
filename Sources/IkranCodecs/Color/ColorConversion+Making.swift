import IkranPixels

extension ColorConversion {
  /// The way from a file's colours to sRGB: relative colorimetric, without compensation of black.
  ///
  /// The last profiles of a workspace cost a digest of their bytes. Others take up to 0.2 ms with a
  /// matrix, and 10 to 30 with a table.
  ///
  /// - Returns: No conversion where the colours are those of sRGB, or cannot be read; why they
  ///   cannot.
  static func make(
    _ source: ColorSource?,
    _ model: ColorModel,
    workspace: Workspace
  ) -> (conversion: ColorConversion?, ignored: ColorFault?) {
    guard let source, source != .sRGB else { return (nil, nil) }
    return ColorMemory.of(workspace).conversion(source, model)
  }

  /// Makes a conversion from the start; nil where nothing would change.
  init?(_ source: ColorSource, _ model: ColorModel) throws(ColorFault) {
    let colors: PlainColors
    switch source {
    case .icc(let bytes):
      self = try Self.reading(bytes, model)
      if isIdentity { return nil }
      return
    case .sRGB: return nil
    case .adobeRGB: colors = .adobeRGB
    case .gammaAndPrimaries(let gamma, let primaries):
      colors = try PlainColors(gamma: gamma, primaries: primaries)
    case .cicp(let primaries, let transfer, let matrix, let isFullRange):
      colors = try PlainColors(
        primaries: primaries,
        transfer: transfer,
        matrix: matrix,
        isFullRange: isFullRange
      )
    }
    if colors == .sRGB { return nil }
    let light = colors.light(of: Self.samples(256))
    switch model {
    case .gray: self.init(grays: light.flatMap { [$0, $0, $0].map(Self.encoded) })
    case .rgb: self.init(curves: [light, light, light], columns: try Self.columns(colors.colors))
    case .cmyk: throw .wrongColors(profile: "RGB")
    }
    if isIdentity { return nil }
  }

  private static func reading(
    _ bytes: [UInt8],
    _ model: ColorModel
  ) throws(ColorFault) -> ColorConversion {
    let header = try ProfileHeader(bytes, model)
    guard let profile = ColorProfileHandle(icc: header.bytes) else {
      throw .malformed(reason: "it cannot be read")
    }
    switch (model, header.hasTable) {
    case (.gray, _):
      guard let colors = profile.colors(of: samples(256), .gray) else { break }
      return ColorConversion(grays: colors)
    case (.rgb, false):
      let curves = [ColorProfileHandle.Channel.red, .green, .blue].compactMap {
        profile.curve($0, of: samples(256))
      }
      guard curves.count == 3, let columns = profile.columns() else { break }
      return ColorConversion(curves: curves, columns: columns)
    default:
      guard let grid = ColorGrid(of: profile, model) else { break }
      return ColorConversion(method: model == .rgb ? .grid(grid) : .inks(grid))
    }
    throw .malformed(reason: "it stands for no colours")
  }

  /// A curve: colours of sRGB for each gray.
  private init(grays colors: [Float]) {
    let pixels = (0..<256).map { gray in
      (0..<3).reduce(UInt32(0)) { pixel, channel in
        let byte = SRGBLevels.byte(ofSample: Double(colors[gray * 3 + channel]))
        return pixel << 8 | UInt32(byte)
      }
    }
    self.init(method: .curve(pixels))
  }

  /// Curves of red, green and blue to light, and what each adds to that of sRGB.
  private init(curves: [[Float]], columns: [Double]) {
    let full = Double(16383 << 12)
    var light: [Int32] = []
    light.reserveCapacity(3072)
    for channel in [2, 1, 0] {
      for value in curves[channel] {
        for target in [2, 1, 0] {
          // Three of these fit 32 bits; no number is 0.
          let part = Double(value) * columns[channel * 3 + target]
          let bounded = part > -8 ? min(part, 8) : part <= -8 ? -8 : 0
          // The last one rounds the sum.
          light.append(Int32(bounded * full) + (channel == 0 ? 1 << 11 : 0))
        }
        light.append(0)
      }
    }
    self.init(method: .matrix(light))
  }

  private static func columns(_ colors: Chromaticities) throws(ColorFault) -> [Double] {
    guard colors.arePossible, let profile = ColorProfileHandle(linear: colors),
      let columns = profile.columns(), columns.allSatisfy({ abs($0) < 100 })
    else { throw .impossibleColors }
    return columns
  }

  private static func encoded(_ light: Float) -> Float {
    Float(SRGBLevels.byte(of: Double(light))) / 255
  }

  /// Numbers from 0 to 1.
  static func samples(_ count: Int) -> [Float] {
    (0..<count).map { Float($0) / Float(count - 1) }
  }

  /// Whether grays and colours all over the cube stay as they are, but for a step of 255.
  private var isIdentity: Bool {
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

extension ColorGrid {
  /// The grid of a profile of three or four samples.
  init?(of profile: borrowing ColorProfileHandle, _ model: ColorModel) {
    let side = model == .cmyk ? 17 : 33
    let even = (0..<side).map { Float($0) / Float(side - 1) }
    var samples: [Float] = []
    let count = (0..<model.channels).reduce(1) { product, _ in product * side }
    samples.reserveCapacity(count * model.channels)
    for node in 0..<count {
      var rest = node
      var color: [Float] = []
      for _ in 0..<model.channels {
        color.append(even[rest % side])
        rest /= side
      }
      // The first byte of a pixel is blue.
      samples += model == .rgb ? color.reversed() : color
    }
    guard let colors = profile.colors(of: samples, model) else { return nil }
    let line = (0..<256).map { Double($0) / 255 }
    self.init(
      colors,
      side: side,
      positions: [[Double]](repeating: line, count: model.channels)
    )
  }
}
