import Ikran

/// A picture of four colours, each in a quarter of it.
struct Quarters: Sendable {
  /// Colours of which no channel may be taken for another; palettes of 256 have them.
  static let mixed = Quarters(colors: [[255, 0, 0], [0, 175, 95], [0, 95, 215], [255, 215, 0]])
  /// Colours that palettes of sixteen have.
  static let pure = Quarters(colors: [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]])
  /// Black and white.
  static let plain = Quarters(
    colors: [[0, 0, 0], [255, 255, 255], [255, 255, 255], [0, 0, 0]]
  )

  /// At the top left, the top right, the bottom left and the bottom right.
  let colors: [Drawing.Color]

  /// What the picture is in negative.
  var inverted: Quarters { Quarters(colors: colors.map { Drawing.Color(repeating: 255) &- $0 }) }

  /// The picture in a file.
  func png(_ size: PixelSize) throws -> [UInt8] {
    var canvas = try Canvas(size: size, format: .bgrx)
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let wanted = color(x: x, y: y, in: size)
          let start = y * bytesPerRow + x * 4
          for channel in 0..<3 { bytes[start + channel] = UInt8(wanted[2 - channel]) }
          bytes[start + 3] = 255
        }
      }
    }
    return try canvas.finish().encoded(as: .png)
  }

  /// The places of a drawing that have other colours than the picture, up to five of them.
  ///
  /// - Parameters:
  ///   - drawing: Of the picture at its top left, and clear around it.
  ///   - size: Of the picture there, in cells or pixels.
  ///   - margin: How far colours of two quarters may mix.
  ///   - tolerance: The difference of a channel that does not count.
  /// - Returns: A phrase for each.
  func faults(
    in drawing: Drawing,
    size: PixelSize,
    margin: Int = 0,
    tolerance: Int = 0
  ) -> [String] {
    var faults: [String] = []
    for y in 0..<drawing.height {
      for x in 0..<drawing.width where faults.count < 5 {
        let seen = drawing[x, y]
        let isOutside = x >= size.width || y >= size.height
        if isOutside, !seen.isEmpty { faults.append("\(x), \(y): \(seen), not clear") }
        let fromMiddle = min(abs(2 * x + 1 - size.width), abs(2 * y + 1 - size.height))
        if isOutside || fromMiddle < 2 * margin { continue }
        let wanted = color(x: x, y: y, in: size)
        if seen.isEmpty || seen.contains(where: { $0.distance(to: wanted) > tolerance }) {
          faults.append("\(x), \(y): \(seen), not \(wanted)")
        }
      }
    }
    return faults
  }

  /// The colour of a place when the picture has that size.
  func color(x: Int, y: Int, in size: PixelSize) -> Drawing.Color {
    colors[(2 * y < size.height ? 0 : 2) + (2 * x < size.width ? 0 : 1)]
  }
}

extension Drawing.Color {
  /// The difference of the channel that differs most.
  func distance(to other: Self) -> Int { (0..<3).map { abs(self[$0] - other[$0]) }.max() ?? 0 }
}
