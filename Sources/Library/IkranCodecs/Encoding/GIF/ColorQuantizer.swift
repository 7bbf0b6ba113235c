import IkranPixels

/// Chooses the palette of a frame with too many colours, and maps its pixels.
///
/// Colours are counted in bins of 5, 6 and 5 bits; `ColorCuts` divides them. Pixels are dithered
/// with an ordered pattern, which stays still from frame to frame where error diffusion flickers.
struct ColorQuantizer {
  /// An 8×8 pattern of 0…63 (Bayer), row by row.
  private static let pattern: [Int32] = (0..<64).map { place in
    let (x, y) = (place & 7, place >> 3)
    return (0..<3).reduce(0) { sum, bit in
      let (column, row) = (x >> bit & 1, y >> bit & 1)
      return sum | Int32((column ^ row) << 1 | row) << Int32((2 - bit) * 2)
    }
  }

  private let frame: FramePixels
  private let area: FrameArea
  private let below: FramePixels
  private var nearest: NearestColors
  private let isTransparent: Bool
  /// Added to each channel, by the place in the pattern.
  private let offsets: [SIMD4<Int32>]

  /// Chooses the colours of the pixels in `area` that are neither clear nor as in `below`; one
  /// index is left for such pixels, also where there are none if `isTransparent`.
  init(
    _ frame: FramePixels,
    in area: FrameArea,
    over below: FramePixels,
    isTransparent: Bool
  ) {
    (self.frame, self.area, self.below) = (frame, area, below)
    var bins = [SIMD4<UInt64>](repeating: .zero, count: 1 << 16)
    var isTransparent = isTransparent
    for y in area.top..<area.top + area.height {
      let row = y * frame.size.width
      for place in row + area.left..<row + area.left + area.width {
        let color = frame.words[place]
        if color == 0 || color == below.words[place] {
          isTransparent = true
        } else {
          let channels = SIMD4<UInt64>(
            truncatingIfNeeded: SIMD4<UInt32>(color, color >> 8, color >> 16, 1) & 255
          )
          bins[NearestColors.bin(of: channels)] &+= channels
        }
      }
    }
    self.isTransparent = isTransparent
    var cuts = ColorCuts(bins)
    nearest = NearestColors(cuts.colors(isTransparent ? 255 : 256))
    // Colours that are even steps apart have an error of step / √12: noise of half a step hides it.
    let amplitude = min(24, (3 * cuts.channelVariance).squareRoot())
    offsets = Self.pattern.map { level in
      let offset = Int32((amplitude * (Double(level) - 31.5) / 32).rounded())
      return SIMD4(offset, offset, offset, 0)
    }
  }

  /// The picture in the colours chosen.
  mutating func picture() -> GIFCanvas.Picture {
    var picture = GIFCanvas.Picture(area: area)
    picture.colors = nearest.colors
    picture.transparentIndex = isTransparent ? UInt8(nearest.colors.count) : nil
    picture.indices.reserveCapacity(area.width * area.height)
    for y in area.top..<area.top + area.height {
      let row = y * frame.size.width
      for x in area.left..<area.left + area.width {
        let color = frame.words[row + x]
        if color == 0 || color == below.words[row + x] {
          picture.indices.append(picture.transparentIndex ?? 0)
        } else {
          let channels = SIMD4<Int32>(
            truncatingIfNeeded: SIMD4<UInt32>(color, color >> 8, color >> 16, 0) & 255
          )
          let dithered = channels &+ offsets[(y & 7) << 3 | x & 7]
          let clamped = dithered.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
          picture.indices.append(nearest.index(of: clamped))
        }
      }
    }
    return picture
  }
}

/// The colours of a palette, found by the bin of a colour.
struct NearestColors {
  private static let unknown = UInt16.max

  /// Words of red, green, blue and 255 (little-endian); at most 256.
  let colors: [UInt32]
  /// Sixteen colours each, those that are missing far away.
  private var groups: [(red: SIMD16<Int32>, green: SIMD16<Int32>, blue: SIMD16<Int32>)] = []
  /// By bin: the index of the colour nearest to the bin's middle.
  private var indices = [UInt16](repeating: unknown, count: 1 << 16)

  init(_ colors: [UInt32]) {
    self.colors = colors
    let far = SIMD16<Int32>(repeating: 1_024)
    for start in stride(from: 0, to: colors.count, by: 16) {
      var group = (red: far, green: far, blue: far)
      for (place, color) in colors[start..<min(start + 16, colors.count)].enumerated() {
        group.red[place] = Int32(color & 255)
        group.green[place] = Int32(color >> 8 & 255)
        group.blue[place] = Int32(color >> 16 & 255)
      }
      groups.append(group)
    }
  }

  /// The number of a colour's bin: five, six and five bits.
  static func bin<Channel: FixedWidthInteger>(of color: SIMD4<Channel>) -> Int {
    Int(truncatingIfNeeded: color.x >> 3) << 11 | Int(truncatingIfNeeded: color.y >> 2) << 5
      | Int(truncatingIfNeeded: color.z >> 3)
  }

  /// The index of the colour nearest to the middle of a colour's bin; channels are 0…255.
  mutating func index(of color: SIMD4<Int32>) -> UInt8 {
    let bin = Self.bin(of: color)
    if indices[bin] == Self.unknown {
      indices[bin] = search(red: color.x & ~7 | 4, green: color.y & ~3 | 2, blue: color.z & ~7 | 4)
    }
    return UInt8(truncatingIfNeeded: indices[bin])
  }

  private func search(red: Int32, green: Int32, blue: Int32) -> UInt16 {
    let places = SIMD16<Int32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    var best = SIMD16<Int32>(repeating: .max)
    for (number, group) in groups.enumerated() {
      let (r, g, b) = (group.red &- red, group.green &- green, group.blue &- blue)
      // Below 2²² · 256: the distance, and then the index.
      let distance = r &* r &+ g &* g &+ b &* b
      let keys = distance &<< 8 | (places &+ Int32(number * 16))
      best = pointwiseMin(best, keys)
    }
    return UInt16(truncatingIfNeeded: best.min() & 255)
  }
}
