/// Decompresses one GIF picture (GIF89a, appendix F).
///
/// It accepts what browsers accept: a full table that is not cleared stays as it is, data after the
/// last pixel is ignored, and data that ends properly may end before the last pixel.
struct LZWDecoder {
  private static let longestCode = 12

  /// The indices in stored order: `pixelCount` of them, fewer when the data ended before.
  private(set) var indices: [UInt8] = []
  private let pixelCount: Int
  private let minimumSize: Int
  private let clearCode: Int
  // A code's string is where it was decoded first: its start in `indices` and its length.
  private var starts = [Int](repeating: 0, count: 1 << longestCode)
  private var lengths = [Int](repeating: 0, count: 1 << longestCode)
  private var nextCode = 0
  private var codeSize = 0
  private var previous: Range<Int>?

  /// Decodes the code size and the chain of data blocks at `offset`.
  ///
  /// - Throws: ``DecodeError/truncated(_:offset:)`` when the bytes end before the pixels do and
  ///   before the block that ends the chain; ``DecodeError/malformed(_:offset:reason:)``.
  static func decode(
    _ bytes: Span<UInt8>,
    at offset: Int,
    pixelCount: Int
  ) throws(DecodeError) -> [UInt8] {
    guard let size = bytes.byte(at: offset) else { throw .truncated(.gif, offset: bytes.count) }
    guard size < longestCode else {
      throw .malformed(.gif, offset: offset, reason: "its codes begin with \(size) bits")
    }
    var decoder = LZWDecoder(minimumSize: Int(size), pixelCount: pixelCount)
    try decoder.decode(bytes, at: offset + 1)
    guard !decoder.indices.isEmpty else {
      throw .malformed(.gif, offset: offset, reason: "the picture has no pixels")
    }
    return decoder.indices
  }

  private init(minimumSize: Int, pixelCount: Int) {
    self.minimumSize = minimumSize
    self.pixelCount = pixelCount
    clearCode = 1 << minimumSize
    // Reserved memory that is never written costs nothing, so short data stays cheap.
    indices.reserveCapacity(pixelCount)
    clear()
  }

  private mutating func clear() {
    nextCode = clearCode + 2
    codeSize = minimumSize + 1
    previous = nil
  }

  private mutating func decode(_ bytes: Span<UInt8>, at start: Int) throws(DecodeError) {
    var offset = start
    var (word, bits) = (0, 0)
    while let length = bytes.byte(at: offset) {
      if length == 0 { return }
      let end = offset + 1 + Int(length)
      for position in offset + 1..<min(end, bytes.count) {
        word |= Int(bytes[position]) << bits
        bits += 8
        while bits >= codeSize {
          let code = word & (1 << codeSize - 1)
          word >>= codeSize
          bits -= codeSize
          guard try take(code, at: position) else { return }
        }
      }
      offset = end
    }
    throw .truncated(.gif, offset: bytes.count)
  }

  /// Decodes one code; false when no more are needed.
  private mutating func take(_ code: Int, at offset: Int) throws(DecodeError) -> Bool {
    if code == clearCode {
      clear()
      return true
    }
    if code == clearCode + 1 { return false }
    // The new string is the previous one and the index that follows it, which comes now: `code`
    // may itself be the new one.
    if let previous, nextCode < starts.count {
      starts[nextCode] = previous.lowerBound
      lengths[nextCode] = previous.count + 1
      nextCode += 1
    }
    if nextCode >= 1 << codeSize, codeSize < Self.longestCode { codeSize += 1 }
    guard code < nextCode else {
      throw .malformed(.gif, offset: offset, reason: "code \(code) is not in the table yet")
    }
    let start = indices.count
    if code < clearCode {
      indices.append(UInt8(truncatingIfNeeded: code))
    } else {
      let length = min(lengths[code], pixelCount - start)
      for position in starts[code]..<starts[code] + length { indices.append(indices[position]) }
    }
    previous = start..<indices.count
    return indices.count < pixelCount
  }
}
