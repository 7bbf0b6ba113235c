import CIkranKernels
import IkranPixels

// Decision 70: rows go from reader to writer.
/// Writes PNG: rows filtered here as they come, compressed by libdeflate or zlib.
///
/// The rows of a small picture are kept and compressed together; those of others in pieces, in
/// memory that does not grow with the picture.
final class PNGWriterHandle: RowWriter {
  /// Filtered rows of more bytes are compressed while they come.
  static let largestRows = 64 << 20
  /// The bytes of filtered rows that are compressed at once, if a row has no more.
  private static let pieceBytes = 1 << 20

  private let size: PixelSize
  /// 1 gray, 3 red, green, blue, or 4 with straight alpha.
  private let channels: Int
  private let colors: RowColors
  private let isWhole: Bool
  private let rowBytes: Int
  private let simd = ikran_has_simd()
  /// A row and the one above it, in turn.
  private var lines: [UInt8]
  private var isSecond = false
  /// A row with its filter, and memory for another.
  private var out, other: [UInt8]
  /// Rows with their filters that are not compressed yet.
  private var filtered: [UInt8] = []
  private var stream: PNGDeflateStream?
  private var file: [UInt8] = []

  /// A writer of rows of four bytes a pixel, with alpha unless they are opaque.
  ///
  /// - Throws: ``EncodeError`` when a side is too long.
  convenience init(_ size: PixelSize, _ colors: RowColors) throws(EncodeError) {
    try self.init(size, channels: colors == .opaque ? 3 : 4, colors, largestRows: Self.largestRows)
  }

  private init(
    _ size: PixelSize,
    channels: Int,
    _ colors: RowColors,
    largestRows: Int
  ) throws(EncodeError) {
    try ImageEncoding.png.check(size)
    let row = size.width.multipliedReportingOverflow(by: channels)
    let total = (row.partialValue &+ 1).multipliedReportingOverflow(by: size.height)
    guard size.isPositive, !row.overflow, row.partialValue < .max, !total.overflow else {
      throw .bitmap(.invalidSize(size))
    }
    (self.size, self.channels, self.colors) = (size, channels, colors)
    rowBytes = row.partialValue
    isWhole = total.partialValue <= largestRows
    lines = [UInt8](repeating: 0, count: rowBytes * 2)
    out = [UInt8](repeating: 0, count: rowBytes + 1)
    other = out
    // Memory that is not written to costs nothing.
    filtered.reserveCapacity(isWhole ? total.partialValue : Self.pieceBytes + rowBytes + 1)
    try begin()
  }

  func begin() throws(EncodeError) {
    for index in lines.indices { lines[index] = 0 }
    isSecond = false
    filtered.removeAll(keepingCapacity: true)
    let color: UInt8 = channels == 1 ? 0 : channels == 3 ? 2 : 6
    file = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let sides = [UInt8](bigEndian: UInt32(size.width)) + [UInt8](bigEndian: UInt32(size.height))
    file.appendChunk("IHDR", sides + [8, color, 0, 0, 0])
    if isWhole { return }
    stream = PNGDeflateStream()
    guard stream != nil else { throw .bitmap(.outOfMemory(bytes: 0)) }
  }

  func append(_ row: UnsafeRawBufferPointer) throws(EncodeError) {
    try append { target in
      guard let from = row.baseAddress?.assumingMemoryBound(to: UInt8.self),
        let to = target.baseAddress
      else { return }
      switch (channels, colors) {
      case (4, .premultiplied): ikran_straighten(from, to, size.width)
      case (4, _): Self.swap(from, to, width: size.width)
      default: Self.pack(from, to, width: size.width)
      }
    }
  }

  func finish() throws(EncodeError) -> [UInt8] {
    if isWhole {
      guard let data = PNGDeflation.compressed(filtered) else {
        throw .bitmap(.outOfMemory(bytes: filtered.count))
      }
      filtered = []
      file.reserveCapacity(file.count + data.count + 64)
      file.appendChunk("IDAT", data)
    } else {
      try compress(isLast: true)
    }
    file.appendChunk("IEND", [])
    defer { file = [] }
    return file
  }

  /// Filters the row that `fill` writes: as many bytes for each pixel as there are channels.
  private func append(
    _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void
  ) throws(EncodeError) {
    lines.withUnsafeMutableBufferPointer { lines in
      guard let base = lines.baseAddress else { return }
      let (row, above) = isSecond ? (base + rowBytes, base) : (base, base + rowBytes)
      fill(UnsafeMutableBufferPointer(start: row, count: rowBytes))
      ikran_png_filter(row, above, rowBytes, channels, &out, &other, simd)
    }
    isSecond.toggle()
    filtered += out
    if !isWhole, filtered.count >= Self.pieceBytes { try compress(isLast: false) }
  }

  private func compress(isLast: Bool) throws(EncodeError) {
    let isDone = stream?.compress(filtered, isLast: isLast) { file.appendChunk("IDAT", $0) }
    guard isDone == true else { throw .failed(.png, reason: "zlib gave up") }
    filtered.removeAll(keepingCapacity: true)
  }

  /// Blue, green, red, alpha to red, green, blue, alpha.
  private static func swap(
    _ from: UnsafePointer<UInt8>,
    _ to: UnsafeMutablePointer<UInt8>,
    width: Int
  ) {
    for x in stride(from: 0, to: width * 4, by: 4) {
      (to[x], to[x + 1], to[x + 2], to[x + 3]) = (from[x + 2], from[x + 1], from[x], from[x + 3])
    }
  }

  /// Blue, green, red and a byte to red, green, blue.
  private static func pack(
    _ from: UnsafePointer<UInt8>,
    _ to: UnsafeMutablePointer<UInt8>,
    width: Int
  ) {
    var (source, target) = (0, 0)
    for _ in 0..<width {
      to[target] = from[source + 2]
      to[target + 1] = from[source + 1]
      to[target + 2] = from[source]
      (source, target) = (source + 4, target + 3)
    }
  }
}

// MARK: - Whole pictures

extension PNGWriterHandle {
  /// Encodes a bitmap.
  static func encode(
    _ bitmap: Bitmap,
    largestRows: Int = largestRows
  ) throws(EncodeError) -> [UInt8] {
    let isGray = bitmap.format == .gray
    let writer = try PNGWriterHandle(
      bitmap.size,
      channels: isGray ? 1 : bitmap.format.hasAlpha ? 4 : 3,
      RowColors(bitmap.format),
      largestRows: largestRows
    )
    if isGray {
      try bitmap.withUnsafeBytes { (bytes) throws(EncodeError) in
        try writer.appendPacked(bytes, bytesPerRow: bitmap.bytesPerRow)
      }
    } else {
      try writer.append(bitmap)
    }
    return try writer.finish()
  }

  /// Encodes rows without padding of 1 gray, 3 red, green, blue, or 4 channels with straight alpha.
  static func write(
    _ pixels: [UInt8],
    _ size: PixelSize,
    channels: Int,
    largestRows: Int = largestRows
  ) throws(EncodeError) -> [UInt8] {
    let writer = try PNGWriterHandle(
      size,
      channels: channels,
      .straight,
      largestRows: largestRows
    )
    try pixels.span.withUnsafeBytes { (bytes) throws(EncodeError) in
      try writer.appendPacked(bytes, bytesPerRow: size.width * channels)
    }
    return try writer.finish()
  }

  private func appendPacked(
    _ bytes: UnsafeRawBufferPointer,
    bytesPerRow: Int
  ) throws(EncodeError) {
    for y in 0..<size.height {
      let row = UnsafeRawBufferPointer(rebasing: bytes[(y * bytesPerRow)...].prefix(rowBytes))
      try append { UnsafeMutableRawBufferPointer($0).copyMemory(from: row) }
    }
  }
}

extension [UInt8] {
  /// The bytes of a number in a PNG file.
  init(bigEndian value: UInt32) {
    self = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Appends a chunk of a PNG file.
  mutating func appendChunk(_ type: String, _ body: some Collection<UInt8>) {
    self += [UInt8](bigEndian: UInt32(body.count))
    let start = count
    self += type.utf8
    self += body
    let sum = InflateHandle.crc32(span.extracting(start..<count))
    self += [UInt8](bigEndian: UInt32(sum))
  }
}
