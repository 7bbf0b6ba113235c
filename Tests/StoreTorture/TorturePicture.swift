import Glibc
package import IkranPixels
package import IkranStores

/// Pictures that contain their id and version, and from which damage can be detected.
///
/// Their bytes, row after row without padding: the id's number and the version's (8 bytes each,
/// little-endian), then SplitMix64 seeded with both.
package enum TorturePicture {
  /// The contents of an undamaged picture.
  package struct Name: Hashable, Sendable {
    /// The number of the id it was put under.
    package let id: UInt64
    /// The number of the version it was put under.
    package let version: UInt64

    /// Makes the name of the picture of an id and a version.
    package init(id: UInt64, version: UInt64) {
      self.id = id
      self.version = version
    }
  }

  /// The picture of an id and a version: the same every time.
  package static func make(
    id: UInt64,
    version: UInt64,
    format: TableFormat
  ) throws(BitmapError) -> Bitmap {
    var canvas = try Canvas(size: format.size, format: format.pixels)
    draw(id: id, version: version, on: &canvas)
    return canvas.finish()
  }

  /// Draws the picture on a canvas.
  package static func draw(id: UInt64, version: UInt64, on canvas: inout Canvas) {
    let row = canvas.size.width * canvas.format.bytesPerPixel
    let (stride, height) = (canvas.bytesPerRow, canvas.size.height)
    let bytes = payload(id: id, version: version, count: row * height)
    canvas.withUnsafeMutableBytes { target in
      bytes.withUnsafeBytes { source in
        guard let to = target.baseAddress, let from = source.baseAddress else { return }
        for y in 0..<height {
          (to + y * stride).copyMemory(from: from + y * row, byteCount: row)
        }
      }
    }
  }

  /// The id and version in the picture; nil when any of its bytes, or of the padding between its
  /// rows, is not as it was drawn.
  package static func read(_ image: Bitmap) -> Name? {
    let row = image.width * image.format.bytesPerPixel
    guard row * image.height >= 16 else { return nil }
    let start = (0..<min(16, image.height)).flatMap { y in
      image.withUnsafeBytes { $0[y * image.bytesPerRow..<y * image.bytesPerRow + min(row, 16)] }
    }
    let name = Name(id: word(start, 0), version: word(start, 8))
    let pixels = payload(id: name.id, version: name.version, count: row * image.height)
    let padding = [UInt8](repeating: 0, count: image.bytesPerRow - row)
    var expected: [UInt8] = []
    expected.reserveCapacity(image.byteCount)
    for y in 0..<image.height { expected += pixels[y * row..<(y + 1) * row] + padding }
    // The padding after the last row is not part of the bitmap.
    let isWhole = image.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memcmp($0, expected, bytes.count) == 0 } ?? false
    }
    return isWhole ? name : nil
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }

  private static func payload(id: UInt64, version: UInt64, count: Int) -> [UInt8] {
    var words = [id.littleEndian, version.littleEndian]
    words.reserveCapacity(count / 8 + 1)
    var state = id &* 0x9E37_79B9_7F4A_7C15 ^ version
    while words.count * 8 < count {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      words.append((z ^ (z >> 31)).littleEndian)
    }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
  }
}

extension TableID {
  /// The id for a number; many ids differ in few bits, so that their hashes collide.
  package init(id number: UInt64) {
    self = number % 2 == 0 ? Self(high: number, low: 7) : Self(high: 7, low: number << 40)
  }

  /// The version for a number.
  package init(version number: UInt64) { self.init(high: 0x5EED, low: number) }

  /// The number of an id.
  package var idNumber: UInt64 { low == 7 ? high : low >> 40 }
}
