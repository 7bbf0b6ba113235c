#if TIFF
import CTIFF
import IkranPixels

/// Makes pixels of the samples of a row, of 1 to 64 bits each.
///
/// The whole range of an unsigned or signed integer goes from black to white, as does 0…1 of a
/// floating-point number.
struct TIFFSamples {
  /// What the samples of a pixel are.
  enum Model {
    /// Light, or where it is inverted the lack of it.
    case gray(isInverted: Bool)
    case rgb
    /// A number in a table of colours.
    case palette
    /// Cyan, magenta, yellow and black, full ink as the largest number.
    case inks
    case lab(TIFFLab)
  }

  /// Numbers of a row at which a sample lies.
  struct Place {
    let row: UnsafePointer<UInt8>
    /// The bit of the first, and from one to the next.
    let first, step: Int
  }

  let model: Model
  let layout: ikran_tiff_layout
  /// The pixel for each number of gray or of a table of colours; empty for others.
  let table: [UInt32]
  /// What samples of more than 8 bits become; nil for their high byte, rounded.
  let levels: SampleLevels?
  /// The way from inks to sRGB; nil where they multiply.
  let inks: ColorConversion?
  /// Whether rows of inks are wanted, not of pixels.
  let keepsInks: Bool
  let usesSIMD: Bool

  /// Converts the first `width` pixels of a row; `planes` has its samples, in one row or in one for
  /// each.
  func convert(
    _ planes: [UnsafePointer<UInt8>],
    width: Int,
    into target: UnsafeMutablePointer<UInt8>
  ) {
    if isBare, let row = planes.first {
      return lookUp(row, width: width, into: target)
    }
    if layout.bits == 8, layout.sample_format == 1, case .rgb = model, let row = planes.first,
      planes.count == 1, layout.alpha < 0 || layout.alpha == 3 && layout.is_associated == 0
    {
      return copy(row, width: width, into: target)
    }
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width * 5) { memory in
      guard let start = memory.baseAddress else { return }
      let numbers = (0..<5).map { start + $0 * width }
      fill(planes, width: width, by: numbers, into: target)
    }
  }

  /// Whether a row has nothing but numbers of the table, of a byte or less.
  private var isBare: Bool {
    !table.isEmpty && layout.alpha < 0 && (layout.samples == 1 || layout.is_separate != 0)
      && [1, 2, 4, 8].contains(layout.bits)
  }

  private func lookUp(
    _ row: UnsafePointer<UInt8>,
    width: Int,
    into target: UnsafeMutablePointer<UInt8>
  ) {
    let bits = Int(layout.bits)
    let (shift, mask) = (8 - bits, 1 << bits - 1)
    table.withUnsafeBufferPointer { table in
      target.withMemoryRebound(to: UInt32.self, capacity: width) { pixels in
        if bits == 8 {
          for x in 0..<width { pixels[x] = table[Int(row[x])] }
        } else {
          for x in 0..<width {
            let bit = x * bits
            pixels[x] = table[Int(row[bit >> 3]) >> (shift - bit & 7) & mask]
          }
        }
      }
    }
  }

  /// Red, green and blue, of a byte each, with straight alpha or without.
  private func copy(
    _ row: UnsafePointer<UInt8>,
    width: Int,
    into target: UnsafeMutablePointer<UInt8>
  ) {
    let step = Int(layout.samples)
    let hasAlpha = layout.alpha == 3
    if step == 3 { return expandRGB(row, width: width, into: target, usesSIMD: usesSIMD) }
    for x in 0..<width {
      let (color, pixel) = (row + x * step, target + x * 4)
      pixel[0] = color[2]
      pixel[1] = color[1]
      pixel[2] = color[0]
      pixel[3] = hasAlpha ? color[3] : 255
    }
    if hasAlpha { premultiply(UnsafeMutableRawBufferPointer(start: target, count: width * 4)) }
  }

  // MARK: - All others

  /// Converts samples by way of numbers of 16 bits: memory for those of four colours and of alpha.
  private func fill(
    _ planes: [UnsafePointer<UInt8>],
    width: Int,
    by numbers: [UnsafeMutablePointer<UInt16>],
    into target: UnsafeMutablePointer<UInt8>
  ) {
    let count = colorCount
    for color in 0..<count { unpack(color, of: planes, width: width, into: numbers[color]) }
    let hasAlpha = layout.alpha >= 0
    if hasAlpha { unpack(Int(layout.alpha), of: planes, width: width, into: numbers[4]) }
    // Levels are of straight colours.
    let isStraightened = hasAlpha && layout.is_associated != 0 && levels != nil
    if isStraightened {
      for color in 0..<count { straighten(numbers[color], by: numbers[4], width: width) }
    }
    switch model {
    case .gray(let isInverted):
      paint(gray: numbers[0], isInverted: isInverted, width: width, into: target)
    case .palette: paint(numbers: numbers[0], width: width, into: target)
    case .rgb:
      paint(red: numbers[0], green: numbers[1], blue: numbers[2], width: width, into: target)
    case .lab(let lab):
      for x in 0..<width {
        let color = lab.color(lightness: numbers[0][x], numbers[1][x], numbers[2][x])
        let pixel = target + x * 4
        (pixel[0], pixel[1], pixel[2], pixel[3]) = (color.blue, color.green, color.red, 255)
      }
    case .inks: paint(inks: numbers, width: width, into: target)
    }
    guard hasAlpha else { return }
    for x in 0..<width { target[x * 4 + 3] = Self.byte(numbers[4][x]) }
    if layout.is_associated != 0, !isStraightened {
      bound(target, width)
    } else {
      premultiply(UnsafeMutableRawBufferPointer(start: target, count: width * 4))
    }
  }

  private var colorCount: Int {
    switch model {
    case .gray, .palette: 1
    case .rgb, .lab: 3
    case .inks: 4
    }
  }

  private func paint(
    gray: UnsafeMutablePointer<UInt16>,
    isInverted: Bool,
    width: Int,
    into target: UnsafeMutablePointer<UInt8>
  ) {
    if isInverted {
      for x in 0..<width { gray[x] = ~gray[x] }
    }
    paint(red: gray, green: gray, blue: gray, width: width, into: target)
  }

  private func paint(
    numbers: UnsafePointer<UInt16>,
    width: Int,
    into target: UnsafeMutablePointer<UInt8>
  ) {
    target.withMemoryRebound(to: UInt32.self, capacity: width) { pixels in
      for x in 0..<width { pixels[x] = table[min(Int(numbers[x]), table.count - 1)] }
    }
  }

  private func paint(
    red: UnsafePointer<UInt16>,
    green: UnsafePointer<UInt16>,
    blue: UnsafePointer<UInt16>,
    width: Int,
    into target: UnsafeMutablePointer<UInt8>
  ) {
    for x in 0..<width {
      let pixel = target + x * 4
      if let levels {
        pixel[0] = levels.blue[Int(blue[x])]
        pixel[1] = levels.green[Int(green[x])]
        pixel[2] = levels.red[Int(red[x])]
      } else {
        pixel[0] = Self.byte(blue[x])
        pixel[1] = Self.byte(green[x])
        pixel[2] = Self.byte(red[x])
      }
      pixel[3] = 255
    }
  }

  private func paint(
    inks numbers: [UnsafeMutablePointer<UInt16>],
    width: Int,
    into target: UnsafeMutablePointer<UInt8>
  ) {
    for ink in 0..<4 {
      for x in 0..<width { target[x * 4 + ink] = Self.byte(numbers[ink][x]) }
    }
    if keepsInks { return }
    let row = UnsafeMutableRawBufferPointer(start: target, count: width * 4)
    if let inks { return inks.convertInks(row, inverted: false, usesSIMD: usesSIMD) }
    for x in 0..<width {
      let pixel = target + x * 4
      let light = (0..<3).map { (255 - UInt32(pixel[$0])) * (255 - UInt32(pixel[3])) }
      for color in 0..<3 { pixel[2 - color] = UInt8((light[color] + 127) / 255) }
      pixel[3] = 255
    }
  }

  private func straighten(
    _ color: UnsafeMutablePointer<UInt16>,
    by alpha: UnsafePointer<UInt16>,
    width: Int
  ) {
    for x in 0..<width where alpha[x] > 0 {
      let full = UInt32(color[x]) * 65_535 / UInt32(alpha[x])
      color[x] = UInt16(min(full, 65_535))
    }
  }

  /// Makes sure that no colour is over its alpha.
  private func bound(_ target: UnsafeMutablePointer<UInt8>, _ width: Int) {
    for x in 0..<width {
      let pixel = target + x * 4
      for color in 0..<3 { pixel[color] = min(pixel[color], pixel[3]) }
    }
  }

  private static func byte(_ number: UInt16) -> UInt8 {
    UInt8((UInt32(number) * 255 + 32_895) >> 16)
  }

  // MARK: - Numbers

  /// Reads a sample of each pixel as a number of 16 bits; of a table of colours as it is.
  private func unpack(
    _ sample: Int,
    of planes: [UnsafePointer<UInt8>],
    width: Int,
    into out: UnsafeMutablePointer<UInt16>
  ) {
    let bits = Int(layout.bits)
    let isSeparate = layout.is_separate != 0
    let place = Place(
      row: planes[isSeparate ? sample : 0],
      first: isSeparate ? 0 : sample * bits,
      step: isSeparate ? bits : Int(layout.samples) * bits
    )
    if case .palette = model, sample == 0 {
      unpackBits(place, width: width, into: out, factor: 1)
    } else if layout.sample_format == 3 {
      unpackFloats(place, width: width, into: out)
    } else {
      unpackIntegers(place, width: width, into: out)
      if layout.sample_format == 2 {
        if case .lab = model { return }
        for x in 0..<width { out[x] ^= 0x8000 }
      }
    }
  }

  private func unpackIntegers(_ place: Place, width: Int, into out: UnsafeMutablePointer<UInt16>) {
    let bits = Int(layout.bits)
    let row = UnsafeRawPointer(place.row + place.first / 8)
    let step = place.step / 8
    switch bits {
    case 8:
      for x in 0..<width {
        out[x] = UInt16(row.load(fromByteOffset: x * step, as: UInt8.self)) * 257
      }
    // The high bytes: libtiff has brought them into the order of this machine.
    case 16, 24, 32, 64:
      let high = row + (bits / 8 - 2)
      for x in 0..<width {
        out[x] = high.loadUnaligned(fromByteOffset: x * step, as: UInt16.self)
      }
    default: unpackBits(place, width: width, into: out, factor: 65_535)
    }
  }

  /// Numbers of 1 to 16 bits, the first bit of each the highest, times `factor` by their largest.
  private func unpackBits(
    _ place: Place,
    width: Int,
    into out: UnsafeMutablePointer<UInt16>,
    factor: UInt32
  ) {
    let bits = Int(layout.bits)
    if bits == 16 {
      let row = UnsafeRawPointer(place.row + place.first / 8)
      for x in 0..<width {
        out[x] = row.loadUnaligned(fromByteOffset: x * place.step / 8, as: UInt16.self)
      }
      return
    }
    let largest = UInt32(1) << UInt32(bits) - 1
    for x in 0..<width {
      let start = place.first + x * place.step
      let last = (start + bits - 1) >> 3
      var number: UInt32 = 0
      for byte in start >> 3...last { number = number << 8 | UInt32(place.row[byte]) }
      number >>= UInt32(last * 8 + 8 - start - bits)
      number &= largest
      out[x] = UInt16(factor == 1 ? number : (number * factor + largest / 2) / largest)
    }
  }

  private func unpackFloats(_ place: Place, width: Int, into out: UnsafeMutablePointer<UInt16>) {
    let row = UnsafeRawPointer(place.row + place.first / 8)
    let step = place.step / 8
    for x in 0..<width {
      let offset = x * step
      let value =
        switch layout.bits {
        case 16:
          Double(Float16(bitPattern: row.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
        case 32: Double(row.loadUnaligned(fromByteOffset: offset, as: Float.self))
        default: row.loadUnaligned(fromByteOffset: offset, as: Double.self)
        }
      // No number is black.
      out[x] = value > 0 ? UInt16(min(value, 1) * 65_535 + 0.5) : 0
    }
  }
}
#endif
