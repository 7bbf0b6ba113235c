import IkranPixels

/// The directory of an icon or cursor file: one picture in several sizes.
struct IconDirectory: Sendable {
  /// What the directory says of one picture.
  struct Entry: Sendable {
    /// At most 256 pixels a side; larger pictures count as that.
    let size: PixelSize
    /// Bits of a pixel; of cursors, and where a writer has left it out, zero.
    let bitsPerPixel: Int
    let byteCount: Int
    /// Where the picture is.
    let offset: Int

    /// Pixels, then depth, then bytes.
    fileprivate var rank: (Int, Int, Int) { (size.width * size.height, bitsPerPixel, byteCount) }
  }

  private enum Length {
    static let header = 6
    static let entry = 16
  }

  let entries: [Entry]

  /// Reads the directory.
  ///
  /// - Throws: ``DecodeError/truncated(_:offset:)`` when the bytes end before it does;
  ///   ``DecodeError/malformed(_:offset:reason:)`` when it is empty.
  init(_ bytes: Span<UInt8>, _ format: ImageFormat) throws(DecodeError) {
    guard let count = bytes.littleEndian16(at: 4) else {
      throw .truncated(format, offset: bytes.count)
    }
    guard count > 0 else { throw .malformed(format, offset: 4, reason: "it has no pictures") }
    var entries: [Entry] = []
    for index in 0..<count {
      let start = Length.header + index * Length.entry
      guard let width = bytes.byte(at: start), let height = bytes.byte(at: start + 1),
        let depth = bytes.littleEndian16(at: start + 6),
        let byteCount = bytes.littleEndian32(at: start + 8),
        let offset = bytes.littleEndian32(at: start + 12)
      else { throw .truncated(format, offset: bytes.count) }
      let entry = Entry(
        size: PixelSize(width: Self.side(width), height: Self.side(height)),
        // A cursor has the place of its tip there.
        bitsPerPixel: format == .cur ? 0 : depth,
        byteCount: byteCount,
        offset: offset
      )
      entries.append(entry)
    }
    self.entries = entries
  }

  private static func side(_ byte: UInt8) -> Int { byte == 0 ? 256 : Int(byte) }

  /// The picture that suits a fitting best: the smallest that has as many pixels as the result
  /// across and down, and of several of its size the deepest; the largest where none has.
  ///
  /// - Returns: The entry; nil for a fitting of no pixels.
  func best(for fitting: Fitting) -> Entry? {
    let largest = entries.max { $0.rank < $1.rank }
    guard let largest else { return nil }
    switch fitting {
    // Regions are parts of the largest.
    case .original, .region: return largest
    case .cover, .inside, .around: break
    }
    let wanted = RenderPlan(stored: largest.size, orientation: .up, fitting: fitting).output
    let enough = entries.filter {
      $0.size.width >= wanted.width && $0.size.height >= wanted.height
    }
    return enough.min { first, second in
      let (one, other) = (first.rank, second.rank)
      return one.0 != other.0 ? one.0 < other.0 : (one.1, one.2) > (other.1, other.2)
    } ?? largest
  }
}
