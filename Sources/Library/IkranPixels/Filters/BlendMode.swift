/// How a colour is mixed with the one below it.
///
/// The formulas are those of CSS compositing (W3C, 2015) where it has the mode, else Photoshop's.
public enum BlendMode: String, Sendable, Hashable, CaseIterable {
  case add, alpha, color, colorBurn, colorDodge, darken, darkerColor, difference, dissolve, divide
  case exclusion, hardLight, hardMix, hue, lighten, lighterColor, linearBurn, linearLight
  case luminosity, mask, multiply, normal, overlay, pinLight, saturation, screen, softLight
  case sourceOver, subtract, vividLight
}
