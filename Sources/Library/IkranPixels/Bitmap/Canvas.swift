/// Pixels that are being drawn, with one owner; ``finish()`` turns them into a ``Bitmap``.
public struct Canvas: ~Copyable {
  /// Width and height in pixels, each at least 1.
  public let size: PixelSize
  /// The layout of each pixel in memory.
  public let format: PixelFormat
  /// Bytes from the start of one row to the start of the next, a multiple of 64.
  public let bytesPerRow: Int
  /// What the colours of the finished bitmap stand for; nil for sRGB.
  package var profile: ColorProfile?
  private let memory: PixelMemory

  /// Allocates a canvas of clear pixels, which are black in formats without alpha, or uninitialised
  /// memory when `zeroed` is false.
  ///
  /// All bytes are zero but the fourth of ``PixelFormat/bgrx``, which is always 255: write it, too,
  /// when you fill uninitialised memory.
  ///
  /// - Throws: ``BitmapError`` when the size is impossible or memory runs out.
  public init(size: PixelSize, format: PixelFormat, zeroed: Bool = true) throws(BitmapError) {
    guard size.isPositive, let bytesPerRow = format.bytesPerRow(width: size.width) else {
      throw .invalidSize(size)
    }
    let (bytes, overflow) = bytesPerRow.multipliedReportingOverflow(by: size.height)
    guard !overflow else { throw .invalidSize(size) }
    let memory = try PixelMemory(byteCount: bytes)
    self.init(size: size, format: format, bytesPerRow: bytesPerRow, memory: memory)
    guard zeroed else { return }
    // Rows have whole words.
    let blank = UInt32(littleEndian: format == .bgrx ? 0xFF00_0000 : 0)
    memory.start.initializeMemory(as: UInt32.self, repeating: blank, count: bytes / 4)
  }

  package init(size: PixelSize, format: PixelFormat, bytesPerRow: Int, memory: PixelMemory) {
    self.size = size
    self.format = format
    self.bytesPerRow = bytesPerRow
    self.memory = memory
  }

  /// Calls `body` with every byte, row padding included.
  ///
  /// - Throws: Whatever `body` throws.
  public mutating func withMutableBytes<R, E: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    let buffer = UnsafeMutableRawBufferPointer(start: memory.start, count: memory.byteCount)
    var bytes = buffer.bindMemory(to: UInt8.self).mutableSpan
    defer { _fixLifetime(memory) }
    return try body(&bytes)
  }

  /// Calls `body` with the pixels' memory, for kernels and C libraries; valid inside `body` only.
  package mutating func withUnsafeMutableBytes<R, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    defer { _fixLifetime(memory) }
    return try body(UnsafeMutableRawBufferPointer(start: memory.start, count: memory.byteCount))
  }

  /// Ends drawing and returns the pixels, without a copy.
  public consuming func finish() -> Bitmap {
    var bitmap = Bitmap(size: size, format: format, bytesPerRow: bytesPerRow, memory: memory)
    bitmap.profile = profile
    return bitmap
  }
}
