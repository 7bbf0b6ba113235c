/// A colour in sRGB with straight (not premultiplied) alpha, eight bits per channel.
public struct Color: Sendable, Hashable {
  /// Red, 0…255.
  public let red: UInt8
  /// Green, 0…255.
  public let green: UInt8
  /// Blue, 0…255.
  public let blue: UInt8
  /// Alpha, 0 (clear) … 255 (opaque).
  public let alpha: UInt8

  /// Creates a colour.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Opaque white.
  public static let white = Color(red: 255, green: 255, blue: 255)
  /// Opaque black.
  public static let black = Color(red: 0, green: 0, blue: 0)
}

extension Color {
  /// `#RRGGBB`, or `#RRGGBBAA` unless it is opaque.
  package var hexadecimal: String {
    let channels = [red, green, blue] + (alpha == 255 ? [] : [alpha])
    return "#"
      + channels.map { String(UInt($0) + 256, radix: 16, uppercase: true).dropFirst() }.joined()
  }

  /// Reads `#RRGGBB` or `#RRGGBBAA`, in capitals or not; nil for anything else.
  package init?(hexadecimal text: Substring) {
    guard text.first == "#", text.utf8.count == 7 || text.utf8.count == 9,
      text.dropFirst().utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let bits = UInt32(text.dropFirst(), radix: 16)
    else { return nil }
    let rgba = text.utf8.count == 7 ? bits << 8 | 255 : bits
    self.init(
      red: UInt8(truncatingIfNeeded: rgba >> 24),
      green: UInt8(truncatingIfNeeded: rgba >> 16),
      blue: UInt8(truncatingIfNeeded: rgba >> 8),
      alpha: UInt8(truncatingIfNeeded: rgba)
    )
  }
}
