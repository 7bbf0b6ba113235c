/// Immutable pixels: `height` rows of `bytesPerRow` bytes, top row first, upright, in sRGB unless
/// they have another ``profile``.
///
/// A bitmap is a small value that shares its pixel memory; copying it never copies pixels. The
/// memory is either its own (64-byte aligned, as are the rows) or belongs to an object that the
/// bitmap keeps alive, such as a mapped file.
public struct Bitmap: Sendable {
  /// Width and height in pixels, each at least 1.
  public let size: PixelSize
  /// The layout of each pixel in memory.
  public let format: PixelFormat
  /// Bytes from the start of one row to the start of the next.
  public let bytesPerRow: Int
  /// What the colours stand for; nil for sRGB.
  ///
  /// Crops, sizes, filters and edges leave it as it is, and encoders write it. Nothing converts
  /// colours by it: views, placeholders and filters take them for sRGB.
  public var profile: ColorProfile?
  fileprivate var memory: PixelMemory

  /// Width in pixels.
  public var width: Int { size.width }
  /// Height in pixels.
  public var height: Int { size.height }
  /// The bytes of memory this bitmap uses: its cost in a cache.
  public var byteCount: Int { bytesPerRow * height }

  package init(size: PixelSize, format: PixelFormat, bytesPerRow: Int, memory: PixelMemory) {
    self.size = size
    self.format = format
    self.bytesPerRow = bytesPerRow
    self.memory = memory
  }

  /// Wraps memory that another object owns, without a copy.
  ///
  /// - Parameters:
  ///   - bytes: At least `bytesPerRow * (height - 1) + width * format.bytesPerPixel` bytes.
  ///   - size: Width and height in pixels.
  ///   - format: The layout of each pixel in `bytes`; the fourth byte of ``PixelFormat/bgrx`` is
  ///     255.
  ///   - bytesPerRow: Bytes from the start of one row to the start of the next.
  ///   - owner: Kept alive by the bitmap; its memory must neither move nor change while it lives.
  /// - Throws: ``BitmapError`` when the bytes cannot hold the size.
  public init(
    lending bytes: UnsafeRawBufferPointer,
    size: PixelSize,
    format: PixelFormat,
    bytesPerRow: Int,
    owner: any AnyObject & Sendable
  ) throws(BitmapError) {
    guard size.isPositive else { throw .invalidSize(size) }
    let row = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
    let above = bytesPerRow.multipliedReportingOverflow(by: size.height - 1)
    let total = above.partialValue.addingReportingOverflow(row.partialValue)
    guard !row.overflow, !above.overflow, !total.overflow,
      bytesPerRow >= row.partialValue
    else { throw .invalidSize(size) }
    guard bytes.count >= total.partialValue else {
      throw .lentMemoryTooSmall(needed: total.partialValue, given: bytes.count)
    }
    self.init(
      size: size,
      format: format,
      bytesPerRow: bytesPerRow,
      memory: PixelMemory(lent: bytes, by: owner)
    )
  }

  /// Calls `body` with every byte from the first row's start to the last row's last pixel.
  ///
  /// - Throws: Whatever `body` throws.
  public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    let bytes = UnsafeRawBufferPointer(start: memory.start, count: usedByteCount)
    defer { _fixLifetime(memory) }
    return try body(bytes.bindMemory(to: UInt8.self).span)
  }

  /// Calls `body` with the pixels of row `y`, without the padding after them.
  ///
  /// - Throws: Whatever `body` throws.
  /// - Precondition: `y` is in `0..<height`.
  public func withRow<R, E: Error>(
    _ y: Int,
    _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    precondition(y >= 0 && y < height, "A bitmap's rows are numbered from 0 to height - 1.")
    return try withBytes { (bytes) throws(E) in
      let start = y * bytesPerRow
      return try body(bytes.extracting(start..<start + width * format.bytesPerPixel))
    }
  }

  /// A function that returns the bitmap while its pixels are still referenced, and nil after that.
  ///
  /// From now on, changes of the pixels are made on a copy, even by the only reference.
  public func weakened() -> @Sendable () -> Bitmap? {
    memory.makeRecallable()
    let (size, format, bytesPerRow, profile) = (size, format, bytesPerRow, profile)
    weak let memory = memory
    return {
      memory.map { memory in
        var bitmap = Bitmap(size: size, format: format, bytesPerRow: bytesPerRow, memory: memory)
        bitmap.profile = profile
        return bitmap
      }
    }
  }

  /// Whether the memory has every byte of the last row: that of another owner may end with its last
  /// pixel.
  package var hasWholeRows: Bool { memory.byteCount >= byteCount }

  /// Whether both are copies of one bitmap.
  package func sharesPixels(with other: Bitmap) -> Bool {
    memory === other.memory && size == other.size && format == other.format
  }

  /// Whether both have the same size, format and bytes; it compares them, row by row.
  package func hasSamePixels(as other: Bitmap) -> Bool {
    guard size == other.size, format == other.format else { return false }
    let rowBytes = size.width * format.bytesPerPixel
    return withUnsafeBytes { one in
      other.withUnsafeBytes { two in
        (0..<size.height).allSatisfy { y in
          one.dropFirst(y * bytesPerRow).prefix(rowBytes)
            .elementsEqual(two.dropFirst(y * other.bytesPerRow).prefix(rowBytes))
        }
      }
    }
  }

  /// Calls `body` with the pixels' memory, for kernels and C libraries; valid inside `body` only.
  package func withUnsafeBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    defer { _fixLifetime(memory) }
    return try body(UnsafeRawBufferPointer(start: memory.start, count: usedByteCount))
  }

  /// The last row may end with its last pixel when another object owns the memory.
  private var usedByteCount: Int {
    bytesPerRow * (height - 1) + width * format.bytesPerPixel
  }
}

extension Canvas {
  /// Makes a bitmap mutable, with alpha.
  ///
  /// Pixels of four bytes with no other reference are changed in place; others are copied first.
  package init(changing bitmap: consuming Bitmap) throws(BitmapError) {
    var copies = 0
    try self.init(changing: consume bitmap, as: .bgra, copies: &copies)
  }

  /// Makes a bitmap mutable in its own format, if that has four bytes, or without alpha.
  ///
  /// Pixels with no other reference are changed in place; others are copied first.
  package init(recoloring bitmap: consuming Bitmap) throws(BitmapError) {
    let format = bitmap.format.hasAlpha ? PixelFormat.bgra : .bgrx
    var copies = 0
    try self.init(changing: consume bitmap, as: format, copies: &copies)
  }

  /// Makes a bitmap mutable, in a format of four bytes; `copies` grows when its pixels are copied.
  init(
    changing bitmap: consuming Bitmap,
    as format: PixelFormat,
    copies: inout Int
  ) throws(BitmapError) {
    precondition(format.bytesPerPixel == 4, "Only pixels of four bytes are changed.")
    var bitmap = consume bitmap
    if bitmap.format.bytesPerPixel != 4 { bitmap = try bitmap.converted(to: format) }
    if isKnownUniquelyReferenced(&bitmap.memory), bitmap.memory.mayChange {
      self.init(
        size: bitmap.size,
        format: format,
        bytesPerRow: bitmap.bytesPerRow,
        memory: bitmap.memory
      )
      profile = bitmap.profile
      return
    }
    copies += 1
    try self.init(size: bitmap.size, format: format, zeroed: false)
    profile = bitmap.profile
    let (stride, row) = (bytesPerRow, bitmap.width * 4)
    withUnsafeMutableBytes { target in
      bitmap.withUnsafeBytes { source in
        guard let to = target.baseAddress, let from = source.baseAddress else { return }
        for y in 0..<bitmap.height {
          (to + y * stride).copyMemory(from: from + y * bitmap.bytesPerRow, byteCount: row)
        }
      }
    }
  }
}
