import IkranPixels

/// What light a sample of 0…1 stands for; 1 is white.
enum TransferCurve: Sendable, Hashable {
  /// Light is the sample to this power.
  case exponent(Double)
  /// IEC 61966-2-1.
  case sRGB
  /// ITU-R BT.709, BT.601 and BT.2020, as the camera has it.
  case bt709
  /// SMPTE ST 240.
  case st240
  /// SMPTE ST 2084, of a picture as bright as 1,000 cd/m², see ``shown(_:)``.
  case pq
  /// The hybrid log-gamma of ITU-R BT.2100 on a display of 1,000 cd/m², see ``shown(_:)``.
  case hlg

  /// The light of a sample, 0…1.
  func light(of sample: Double) -> Double {
    // As the sum of light from three channels has room for a few times white, and so that samples
    // of 8 bits and of 16 become equal colours, what is brighter than white is cut off here.
    min(unboundedLight(of: sample), 1)
  }

  private func unboundedLight(of sample: Double) -> Double {
    let value = min(max(sample, 0), 1)
    return switch self {
    case .exponent(let exponent): power(value, exponent)
    case .sRGB: value <= 0.04045 ? value / 12.92 : power((value + 0.055) / 1.055, 2.4)
    case .bt709: value < 0.081 ? value / 4.5 : power((value + 0.099) / 1.099, 1 / 0.45)
    case .st240: value < 0.0912 ? value / 4 : power((value + 0.1115) / 1.1115, 1 / 0.45)
    case .pq: Self.shown(value)
    case .hlg: Self.shown(Self.sample(ofQuantized: power(Self.scene(value), 1.2) / 10))
    }
  }

  /// The samples of 1,000 and of 203 cd/m², the second as a part of the first, and where it bends.
  private static let brightest = sample(ofQuantized: 0.1)
  private static let most = sample(ofQuantized: 0.0203) / brightest
  private static let knee = 1.5 * most - 0.5

  /// The light that a display whose white is 203 cd/m² shows for a sample of SMPTE ST 2084: up to
  /// 88 cd/m² as it is, then less and less until 1,000 cd/m² are white.
  ///
  /// ITU-R BT.2390, section 5.4.1, for each channel, with the numbers of BT.2408.
  private static func shown(_ value: Double) -> Double {
    let place = min(value / brightest, 1)
    if place < knee { return quantized(value) * 10_000 / 203 }
    let t = (place - knee) / (1 - knee)
    let (square, cube) = (t * t, t * t * t)
    let bent =
      (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee)
      + (3 * square - 2 * cube) * most
    return quantized(bent * brightest) * 10_000 / 203
  }

  /// The sample of SMPTE ST 2084 for light, of which 1 is 10,000 cd/m².
  private static func sample(ofQuantized light: Double) -> Double {
    let base = power(light, 2610 / 16384.0)
    return power((0.8359375 + 18.8515625 * base) / (1 + 18.6875 * base), 2523 / 32.0)
  }

  private static func quantized(_ value: Double) -> Double {
    let base = power(value, 32 / 2523.0)
    let part = max(base - 0.8359375, 0) / (18.8515625 - 18.6875 * base)
    return power(part, 16384 / 2610.0)
  }

  private static func scene(_ value: Double) -> Double {
    if value <= 0.5 { return value * value / 3 }
    return (power(2.718281828459045, (value - 0.55991073) / 0.17883277) + 0.28466892) / 12
  }
}

/// Bytes of sRGB for light.
enum SRGBLevels {
  /// The byte of each of ``ColorConversion/levelCount`` levels of light.
  static let bytes: [UInt8] = (0..<ColorConversion.levelCount).map { byte(of: Double($0) / last) }
  private static let last = Double(ColorConversion.levelCount - 1)

  /// The byte of a light, 0…1.
  static func byte(of light: Double) -> UInt8 { byte(ofSample: sample(of: light)) }

  /// The byte of a light, 0…1, off by at most a fiftieth of a step, and faster.
  static func nearByte(of light: Double) -> UInt8 {
    light > 0.05 ? bytes[Int((min(light, 1) * last).rounded())] : byte(of: light)
  }

  /// The sample of a light, 0…1.
  static func sample(of light: Double) -> Double {
    light > 0.0031308 ? 1.055 * power(light, 1 / 2.4) - 0.055 : light * 12.92
  }

  /// The byte of a sample, 0…1; what is less or no number is 0.
  static func byte(ofSample sample: Double) -> UInt8 {
    sample > 0 ? UInt8(min(sample, 1) * 255 + 0.5) : 0
  }
}
