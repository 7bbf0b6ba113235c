import IkranPixels

// Decision 28: GIF is read without giflib, as browsers do.
/// Decompresses GIF pictures one after the other (GIF89a, appendix F), into memory that it reuses.
///
/// It accepts what browsers accept: a full table that is not cleared stays as it is, data after the
/// last pixel is ignored, and data that ends properly may end before the last pixel.
struct LZWReader: ~Copyable {
  private static let longestCode = 12

  private let entries: UnsafeMutablePointer<Entry>
  // Strings are copied eight bytes at a time, so there is room for eight after the last index.
  private var indices: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private var pixelCount = 0
  /// How many indices there are.
  private(set) var count = 0
  private var minimumSize = 0

  init() {
    entries = .allocate(capacity: 1 << Self.longestCode)
  }

  deinit {
    entries.deallocate()
    indices?.deallocate()
  }

  /// Decodes the code size and the chain of data blocks at `offset`.
  ///
  /// - Returns: The number of indices, fewer than `pixelCount` when the data ended before.
  /// - Throws: ``DecodeError/truncated(_:offset:)`` when the bytes end before the pixels do and
  ///   before the block that ends the chain; ``DecodeError/malformed(_:offset:reason:)``.
  mutating func decode(
    _ bytes: Span<UInt8>,
    at offset: Int,
    pixelCount: Int
  ) throws(DecodeError) -> Int {
    guard let size = bytes.byte(at: offset) else { throw .truncated(.gif, offset: bytes.count) }
    guard size < Self.longestCode else {
      throw .malformed(.gif, offset: offset, reason: "its codes begin with \(size) bits")
    }
    count = 0
    guard pixelCount > 0 else { return 0 }
    try reserve(pixelCount)
    self.pixelCount = pixelCount
    minimumSize = Int(size)
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      try decodeBlocks(buffer, at: offset + 1)
    }
    return count
  }

  /// Calls `body` with the indices in stored order.
  func withIndices(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    body(UnsafeBufferPointer(start: indices, count: count))
  }

  /// Calls `body` with the indices in stored order.
  func withIndexSpan<Result>(
    _ body: (Span<UInt8>) throws(DecodeError) -> Result
  ) throws(DecodeError) -> Result {
    try body(UnsafeBufferPointer(start: indices, count: count).span)
  }

  private mutating func reserve(_ pixelCount: Int) throws(DecodeError) {
    guard pixelCount > capacity else { return }
    guard pixelCount <= UInt32.max else { throw .bitmap(.outOfMemory(bytes: pixelCount)) }
    indices?.deallocate()
    // Memory that is never written costs nothing, so short data stays cheap.
    indices = .allocate(capacity: pixelCount + 8)
    capacity = pixelCount
  }

  private mutating func decodeBlocks(
    _ bytes: UnsafeBufferPointer<UInt8>,
    at start: Int
  ) throws(DecodeError) {
    guard let output = indices else { return }
    var run = Run(entries: entries, output: output, pixelCount: pixelCount, bits: minimumSize)
    defer { count = run.count }
    var offset = start
    while offset < bytes.count {
      let length = Int(bytes[offset])
      if length == 0 { return }
      let end = min(offset + 1 + length, bytes.count)
      var position = offset + 1
      while position < end {
        while run.hasRoom, position < end {
          run.add(bytes[position])
          position += 1
        }
        guard run.takeCodes() else {
          if run.count == pixelCount || run.isEnded { return }
          let reason = "a code is not in the table yet"
          throw .malformed(.gif, offset: position - 1, reason: reason)
        }
      }
      offset += 1 + length
    }
    throw .truncated(.gif, offset: bytes.count)
  }
}

/// A code's string is where it was decoded first.
private struct Entry {
  var start: UInt32
  var length: UInt32
}

/// What changes from code to code.
///
/// The memory belongs to the handle: `entries` for all codes, and `output` for eight bytes more
/// than there are pixels, because strings are copied eight bytes at a time.
private struct Run {
  let entries: UnsafeMutablePointer<Entry>
  let output: UnsafeMutablePointer<UInt8>
  let pixelCount: Int
  private(set) var count = 0
  /// Whether the code that ends the data was found.
  private(set) var isEnded = false
  private let clearCode: Int
  private let minimumSize: Int
  private var word: UInt64 = 0
  private var bits = 0
  private var codeSize = 0
  private var nextCode = 0
  /// The string of the code before; its length is 0 after a clear code.
  private var previous = Entry(start: 0, length: 0)

  init(
    entries: UnsafeMutablePointer<Entry>,
    output: UnsafeMutablePointer<UInt8>,
    pixelCount: Int,
    bits: Int
  ) {
    self.entries = entries
    self.output = output
    self.pixelCount = pixelCount
    minimumSize = bits
    clearCode = 1 << bits
    clear()
  }

  private mutating func clear() {
    nextCode = clearCode + 2
    codeSize = minimumSize + 1
    previous.length = 0
  }

  /// Whether another byte fits.
  var hasRoom: Bool { bits <= 56 }

  mutating func add(_ byte: UInt8) {
    word |= UInt64(byte) << UInt64(bits)
    bits += 8
  }

  /// Decodes the codes that are there in full; false when no more are needed or one is wrong.
  mutating func takeCodes() -> Bool {
    while bits >= codeSize {
      let code = Int(word & (1 << UInt64(codeSize) - 1))
      word >>= UInt64(codeSize)
      bits -= codeSize
      if code == clearCode {
        clear()
        continue
      }
      if code == clearCode + 1 {
        isEnded = true
        return false
      }
      addEntry()
      guard code < nextCode else { return false }
      let start = count
      if code < clearCode {
        output[count] = UInt8(truncatingIfNeeded: code)
        count += 1
      } else {
        copy(entries[code])
      }
      previous = Entry(start: UInt32(start), length: UInt32(count - start))
      if count == pixelCount { return false }
    }
    return true
  }

  /// The new string is the previous one and the index that follows it, which comes now: the code
  /// just read may itself be the new one.
  private mutating func addEntry() {
    if previous.length > 0, nextCode < 4_096 {
      entries[nextCode] = Entry(start: previous.start, length: previous.length + 1)
      nextCode += 1
    }
    if nextCode >= 1 << codeSize, codeSize < 12 { codeSize += 1 }
  }

  /// Appends a string that begins before the end of the output, and may reach into itself.
  private mutating func copy(_ string: Entry) {
    let source = output + Int(string.start)
    let target = output + count
    let length = min(Int(string.length), pixelCount - count)
    if target - source >= 8 {
      for position in stride(from: 0, to: length, by: 8) {
        let eight = UnsafeRawPointer(source + position).loadUnaligned(as: UInt64.self)
        UnsafeMutableRawPointer(target + position).storeBytes(of: eight, as: UInt64.self)
      }
    } else {
      for position in 0..<length { target[position] = source[position] }
    }
    count += length
  }
}
