import CIkranKernels
import IkranPixels

/// Writes BMP, uncompressed, with a header of version 5: three bytes a pixel, or four with alpha.
///
/// It holds the whole file. Decoders before version 4 show what has alpha as opaque.
final class BMPWriterHandle: RowWriter {
  /// The file's own header, and the second one (BITMAPV5HEADER).
  static let headerLengths = (file: 14, second: 124)

  private let size: PixelSize
  private let colors: RowColors
  private let bytesPerRow: Int
  private var file: [UInt8]
  /// Rows that have come; the lowest one is first in the file.
  private var count = 0

  private var channels: Int { colors == .opaque ? 3 : 4 }

  /// A writer of rows of four bytes a pixel, with alpha unless they are opaque.
  ///
  /// - Throws: ``EncodeError`` when a file would have more bytes than its header can say.
  init(_ size: PixelSize, _ colors: RowColors) throws(EncodeError) {
    try ImageEncoding.bmp.check(size)
    (self.size, self.colors) = (size, colors)
    let row = size.width.multipliedReportingOverflow(by: colors == .opaque ? 3 : 4)
    bytesPerRow = (row.partialValue &+ 3) & ~3
    let total = bytesPerRow.multipliedReportingOverflow(by: size.height)
    let header = Self.headerLengths.file + Self.headerLengths.second
    guard size.isPositive, !row.overflow, !total.overflow,
      total.partialValue <= Int(UInt32.max) - header
    else {
      throw .tooLarge(.bmp, size, largestSide: 32_767)
    }
    file = [UInt8](repeating: 0, count: header + total.partialValue)
    putHeader()
  }

  func begin() throws(EncodeError) { count = 0 }

  func append(_ row: UnsafeRawBufferPointer) throws(EncodeError) {
    guard count < size.height else { throw .failed(.bmp, reason: "more than \(size) pixels") }
    let start = file.count - (count + 1) * bytesPerRow
    let (width, colors) = (size.width, colors)
    file.withUnsafeMutableBufferPointer { file in
      guard let from = row.baseAddress?.assumingMemoryBound(to: UInt8.self),
        let to = file.baseAddress.map({ $0 + start })
      else { return }
      switch colors {
      case .premultiplied: ikran_straighten(from, to, width)
      case .straight: to.update(from: from, count: width * 4)
      case .opaque: Self.pack(from, to, width: width)
      }
    }
    count += 1
  }

  func finish() throws(EncodeError) -> [UInt8] {
    file
  }

  private func putHeader() {
    let (first, second) = Self.headerLengths
    put(0x4D42, at: 0)
    put(UInt32(file.count), at: 2)
    put(UInt32(first + second), at: 10)
    put(UInt32(second), at: first)
    put(UInt32(size.width), at: first + 4)
    put(UInt32(size.height), at: first + 8)
    // One plane.
    put(1 | UInt32(channels * 8) << 16, at: first + 12)
    put(UInt32(file.count - first - second), at: first + 20)
    // 96 dots an inch.
    for offset in [24, 28] { put(3_780, at: first + offset) }
    put(0x7352_4742, at: first + BMPColors.Field.space)
    // The rendering intent of pictures (LCS_GM_IMAGES).
    put(4, at: first + 108)
    guard channels == 4 else { return }
    // Masks of red, green, blue and alpha: the kernel straightens to red first.
    put(3, at: first + 16)
    let masks: [UInt32] = [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000]
    let order = colors == .premultiplied ? [0, 1, 2, 3] : [2, 1, 0, 3]
    for (index, mask) in order.enumerated() { put(masks[mask], at: first + 40 + index * 4) }
  }

  private func put(_ value: UInt32, at offset: Int) { file.put(value, at: offset) }

  /// Blue, green, red and a byte to blue, green, red.
  private static func pack(
    _ from: UnsafePointer<UInt8>,
    _ to: UnsafeMutablePointer<UInt8>,
    width: Int
  ) {
    var (source, target) = (0, 0)
    for _ in 0..<width {
      to[target] = from[source]
      to[target + 1] = from[source + 1]
      to[target + 2] = from[source + 2]
      (source, target) = (source + 4, target + 3)
    }
  }
}

extension BMPWriterHandle {
  /// Encodes a bitmap.
  static func encode(_ bitmap: Bitmap) throws(EncodeError) -> [UInt8] {
    let writer = try BMPWriterHandle(bitmap.size, RowColors(bitmap.format))
    try writer.append(bitmap)
    return try writer.finish()
  }

  /// The file with a profile after its pixels.
  static func inserting(_ profile: [UInt8], into file: [UInt8]) throws(EncodeError) -> [UInt8] {
    guard file.count <= Int(UInt32.max) - profile.count else {
      throw .failed(.bmp, reason: "with its colour profile it is over 4 GB; write PNG")
    }
    var result = file
    let start = headerLengths.file
    result.put(UInt32(BMPColors.Space.embedded), at: start + BMPColors.Field.space)
    result.put(UInt32(file.count - start), at: start + BMPColors.Field.profileOffset)
    result.put(UInt32(profile.count), at: start + BMPColors.Field.profileLength)
    result.put(UInt32(file.count + profile.count), at: 2)
    return result + profile
  }
}

extension [UInt8] {
  /// Writes four bytes over others, the lowest first.
  fileprivate mutating func put(_ value: UInt32, at offset: Int) {
    for byte in 0..<4 { self[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt32(byte * 8)) }
  }
}
