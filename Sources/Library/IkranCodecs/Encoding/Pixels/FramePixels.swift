import IkranPixels

/// The straight pixels of a frame: for each a word of red, green, blue and alpha (little-endian).
struct FramePixels {
  let size: PixelSize
  var words: [UInt32]

  /// A clear frame.
  init(clear size: PixelSize) {
    self.size = size
    words = [UInt32](repeating: 0, count: size.pixelCount ?? 0)
  }

  /// The pixels of a bitmap.
  init(_ bitmap: Bitmap) throws(EncodeError) {
    let bytes: [UInt8]
    do throws(BitmapError) { bytes = try bitmap.straightRGBA() } catch { throw .bitmap(error) }
    size = bitmap.size
    words = [UInt32](unsafeUninitializedCapacity: bytes.count / 4) { target, count in
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(target).copyMemory(from: $0) }
      count = bytes.count / 4
    }
  }

  /// The whole canvas; nil when it has no pixel.
  var area: FrameArea? { FrameArea(left: 0, top: 0, size: size, on: size) }

  /// The bytes of an area, without padding: `channels` of red, green, blue and alpha.
  func bytes(of area: FrameArea, channels: Int) -> [UInt8] {
    let count = area.width * area.height * channels
    return [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      var place = 0
      for y in area.top..<area.top + area.height {
        for x in area.left..<area.left + area.width {
          let word = words[y * size.width + x]
          for channel in 0..<channels {
            target[place] = UInt8(truncatingIfNeeded: word >> UInt32(channel * 8))
            place += 1
          }
        }
      }
      filled = place
    }
  }

  /// The smallest area that holds every pixel that differs in `other`, of the same size; nil when
  /// none does.
  func difference(from other: FramePixels) -> FrameArea? {
    bounds(with: other) { own, others, count in
      var different: UInt32 = 0
      for x in 0..<count { different |= own[x] ^ others[x] }
      return different != 0
    } differs: {
      $0 != $1
    }
  }

  /// The smallest area that holds every pixel that is clear in `next` only; nil when none is.
  func pixelsCleared(in next: FramePixels) -> FrameArea? {
    bounds(with: next) { own, others, count in
      var isCleared = false
      for x in 0..<count where own[x] != 0 && others[x] == 0 { isCleared = true }
      return isCleared
    } differs: {
      $0 != 0 && $1 == 0
    }
  }

  /// The smallest area that holds all pixels for which `differs` is true; `hasAny` says for a row
  /// whether it has one, faster.
  private func bounds(
    with other: FramePixels,
    _ hasAny: (UnsafePointer<UInt32>, UnsafePointer<UInt32>, Int) -> Bool,
    differs: (UInt32, UInt32) -> Bool
  ) -> FrameArea? {
    guard words.count == other.words.count else { return area }
    let width = size.width
    var (top, bottom, left, right) = (-1, 0, width, 0)
    words.withUnsafeBufferPointer { words in
      other.words.withUnsafeBufferPointer { others in
        guard let first = words.baseAddress, let second = others.baseAddress else { return }
        for y in 0..<size.height {
          let (own, other) = (first + y * width, second + y * width)
          guard hasAny(own, other, width) else { continue }
          if top < 0 { top = y }
          bottom = y + 1
          var x = 0
          while x < left, !differs(own[x], other[x]) { x += 1 }
          left = x
          x = width
          while x > right, !differs(own[x - 1], other[x - 1]) { x -= 1 }
          right = x
        }
      }
    }
    let bounds = PixelSize(width: right - left, height: bottom - top)
    return top < 0 ? nil : FrameArea(left: left, top: top, size: bounds, on: size)
  }
}

extension FrameArea {
  /// The smallest area with the pixels of both.
  func union(_ other: FrameArea?, on canvas: PixelSize) -> FrameArea {
    guard let other else { return self }
    let (left, top) = (min(left, other.left), min(top, other.top))
    let right = max(self.left + width, other.left + other.width)
    let bottom = max(self.top + height, other.top + other.height)
    let size = PixelSize(width: right - left, height: bottom - top)
    return FrameArea(left: left, top: top, size: size, on: canvas) ?? self
  }
}
