import CLittleCMS

@testable import IkranCodecs

/// Formats of LittleCMS's pixels; its macros do not reach Swift.
enum Format {
  case gray, rgb, cmyk, lab

  init(_ model: ColorModel) {
    switch model {
    case .gray: self = .gray
    case .rgb: self = .rgb
    case .cmyk: self = .cmyk
    }
  }

  func word(bytes: UInt32) -> UInt32 {
    let (kind, channels): (Int32, UInt32) =
      switch self {
      case .gray: (PT_GRAY, 1)
      case .rgb: (PT_RGB, 3)
      case .cmyk: (PT_CMYK, 4)
      case .lab: (PT_Lab, 3)
      }
    return UInt32(kind) << 16 | channels << 3 | bytes
  }
}

/// LittleCMS's own conversion of samples of 8 bits to sRGB.
enum LittleCMS {
  /// Pixels of blue, green, red and 255 for samples in the order of the file; nil when it refuses the
  /// profile.
  static func converted(_ samples: [UInt8], _ profile: [UInt8], _ model: ColorModel) -> [UInt8]? {
    let context = cmsCreateContext(nil, nil)
    defer { cmsDeleteContext(context) }
    guard let source = cmsOpenProfileFromMemTHR(context, profile, UInt32(profile.count)) else {
      return nil
    }
    defer { cmsCloseProfile(source) }
    let target = cmsCreate_sRGBProfileTHR(context)
    defer { cmsCloseProfile(target) }
    guard
      let transform = cmsCreateTransformTHR(
        context,
        source,
        Format(model).word(bytes: 1),
        target,
        Format.rgb.word(bytes: 1),
        UInt32(INTENT_RELATIVE_COLORIMETRIC),
        0
      )
    else { return nil }
    defer { cmsDeleteTransform(transform) }
    let count = samples.count / model.channels
    var colors = [UInt8](repeating: 0, count: count * 3)
    cmsDoTransform(transform, samples, &colors, UInt32(count))
    return TestColors.pixels(colors, .rgb)
  }
}

/// Colours to compare conversions with: of all brightnesses and saturations, grays and edges.
enum TestColors {
  /// Samples in the order of the file.
  static func samples(_ model: ColorModel, seed: UInt64) -> [UInt8] {
    var random = Numbers(state: seed)
    if model == .gray { return Array(UInt8.min ... .max) }
    let channels = model.channels
    var samples: [UInt8] = []
    for gray in UInt8.min ... .max { samples += [UInt8](repeating: gray, count: channels) }
    for index in 0..<12_000 {
      let limit = [256, 256, 64][index % 3]
      for _ in 0..<channels {
        let value = random.next(below: limit)
        // Full and absent colours are frequent in pictures.
        let edge = random.next(below: 12)
        samples.append(edge == 0 ? 0 : edge == 1 ? UInt8(limit - 1) : UInt8(value))
      }
    }
    return samples
  }

  /// The pixels that a decoder makes of samples; inks stay as they are.
  static func pixels(_ samples: [UInt8], _ model: ColorModel) -> [UInt8] {
    switch model {
    case .gray: samples.flatMap { [$0, $0, $0, 255] }
    case .rgb: opaque(samples)
    case .cmyk: samples
    }
  }

  /// Blue, green, red and 255 for red, green and blue.
  private static func opaque(_ colors: [UInt8]) -> [UInt8] {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(colors.count / 3 * 4)
    for start in stride(from: 0, to: colors.count, by: 3) {
      pixels += [colors[start + 2], colors[start + 1], colors[start], 255]
    }
    return pixels
  }

  private struct Numbers {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
  }
}

extension ColorConversion {
  /// Pixels of blue, green, red and 255 for those that a decoder makes, or inks.
  func result(_ pixels: [UInt8], usesSIMD: Bool = false) -> [UInt8] {
    var pixels = pixels
    pixels.withUnsafeMutableBytes { row in
      if case .inks = method {
        convertInks(row, inverted: false, usesSIMD: usesSIMD)
      } else {
        convertRow(row, usesSIMD: usesSIMD)
      }
    }
    return pixels
  }
}
