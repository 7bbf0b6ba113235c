@testable import IkranPixels

/// Blending as CSS compositing (W3C, 2015) and Photoshop's manuals put it, one pixel at a time.
struct BlendReference {
  let mode: BlendMode
  let share: Double
  /// Whether the alpha below stays.
  let keepsAlpha: Bool

  /// `above` over `below`; nil where the mode jumps within 0.0001 of their values, or gives 0 / 0.
  func callAsFunction(_ below: Shade, _ above: Shade) -> Shade? {
    let alpha = above.a * share
    if mode == .mask {
      // As clear as the other picture is dark, or clear itself.
      return Shade(below.r, below.g, below.b, below.a * (1 - share + alpha * above.luma))
    }
    // A clear pixel's own colour does not matter.
    guard let mixed = below.a > 0 ? mixed(below, above) : above else { return nil }
    if keepsAlpha {
      // Source-atop, and the whole mode even where the picture is half clear.
      return below.mixed(with: mixed, alpha)
    }
    // Cs = (1 − αb) · Cs + αb · B(Cb, Cs); co = αs · Cs + (1 − αs) · αb · Cb.
    let result = alpha + below.a * (1 - alpha)
    guard result > 0 else { return Shade(0, 0, 0, 0) }
    func composed(_ c: Double, _ s: Double, _ mix: Double) -> Double {
      (alpha * ((1 - below.a) * s + below.a * mix) + (1 - alpha) * below.a * c) / result
    }
    return Shade(
      composed(below.r, above.r, mixed.r),
      composed(below.g, above.g, mixed.g),
      composed(below.b, above.b, mixed.b),
      result
    )
  }

  private func mixed(_ c: Shade, _ s: Shade) -> Shade? {
    switch mode {
    case .hue: return lit(saturated(s, c.largest - c.smallest), light(c))
    case .saturation: return lit(saturated(c, s.largest - s.smallest), light(c))
    case .color: return lit(s, light(c))
    case .luminosity: return lit(c, light(s))
    case .darkerColor, .lighterColor:
      let isSame = c.r == s.r && c.g == s.g && c.b == s.b
      guard isSame || abs(light(c) - light(s)) > 1e-4 else { return nil }
      return (light(c) < light(s)) == (mode == .darkerColor) ? c : s
    default:
      guard let r = channel(c.r, s.r), let g = channel(c.g, s.g), let b = channel(c.b, s.b) else {
        return nil
      }
      return Shade(r, g, b, c.a)
    }
  }

  private func channel(_ c: Double, _ s: Double) -> Double? {
    switch mode {
    case .add: return min(1, c + s)
    case .alpha, .normal, .sourceOver, .dissolve: return s
    case .colorBurn: return burn(c, s)
    case .colorDodge: return dodge(c, s)
    case .darken: return min(c, s)
    case .difference: return abs(c - s)
    case .divide: return s == 0 ? (c == 0 ? nil : 1) : min(1, c / s)
    case .exclusion: return c + s - 2 * c * s
    case .hardLight: return s <= 0.5 ? 2 * c * s : c + (2 * s - 1) - c * (2 * s - 1)
    case .hardMix:
      // Bytes that add up to 255 lie on the jump exactly and are white.
      if abs(c + s - 1) < 1e-9 { return 1 }
      return abs(c + s - 1) < 0.003 ? nil : c + s > 1 ? 1 : 0
    case .lighten: return max(c, s)
    case .linearBurn: return max(0, c + s - 1)
    case .linearLight: return clamped(c + 2 * s - 1)
    case .multiply: return c * s
    case .overlay: return c <= 0.5 ? 2 * c * s : s + (2 * c - 1) - s * (2 * c - 1)
    case .pinLight: return s <= 0.5 ? min(c, 2 * s) : max(c, 2 * s - 1)
    case .screen: return c + s - c * s
    case .softLight: return soft(c, s)
    case .subtract: return max(0, c - s)
    case .vividLight: return s <= 0.5 ? burn(c, 2 * s) : dodge(c, 2 * s - 1)
    default: return nil
    }
  }

  private func burn(_ c: Double, _ s: Double) -> Double {
    c == 1 ? 1 : s == 0 ? 0 : 1 - min(1, (1 - c) / s)
  }

  private func dodge(_ c: Double, _ s: Double) -> Double {
    c == 0 ? 0 : s == 1 ? 1 : min(1, c / (1 - s))
  }

  private func soft(_ c: Double, _ s: Double) -> Double {
    if s <= 0.5 { return c - (1 - 2 * s) * c * (1 - c) }
    let curve = c <= 0.25 ? ((16 * c - 12) * c + 4) * c : c.squareRoot()
    return c + (2 * s - 1) * (curve - c)
  }

  private func light(_ c: Shade) -> Double { 0.3 * c.r + 0.59 * c.g + 0.11 * c.b }

  /// SetLum and ClipColor.
  private func lit(_ c: Shade, _ light: Double) -> Shade {
    let more = light - self.light(c)
    var channels = [c.r + more, c.g + more, c.b + more]
    let (low, high) = (min(channels[0], channels[1], channels[2]), channels.max() ?? 0)
    if low < 0 { channels = channels.map { light + (($0 - light) * light) / (light - low) } }
    if high > 1 {
      channels = channels.map { light + (($0 - light) * (1 - light)) / (high - light) }
    }
    return Shade(channels[0], channels[1], channels[2], c.a)
  }

  /// SetSat.
  private func saturated(_ c: Shade, _ saturation: Double) -> Shade {
    let (low, span) = (c.smallest, c.largest - c.smallest)
    guard span > 0 else { return Shade(0, 0, 0, c.a) }
    func moved(_ channel: Double) -> Double { (channel - low) / span * saturation }
    return Shade(moved(c.r), moved(c.g), moved(c.b), c.a)
  }
}
