import IkranPixels

/// Writes a file from the rows of a picture as they come.
protocol RowWriter: AnyObject {
  /// Begins the file; what was written before is dropped.
  func begin() throws(EncodeError)

  /// Writes the next row: four bytes for each pixel, blue first.
  func append(_ row: UnsafeRawBufferPointer) throws(EncodeError)

  /// Ends the file after its last row.
  func finish() throws(EncodeError) -> [UInt8]
}

/// What the rows of a picture hold.
enum RowColors {
  /// Nothing shows through; the fourth byte does not matter.
  case opaque
  /// Colours multiplied by their alpha.
  case premultiplied
  /// Colours apart from their alpha.
  case straight

  /// What a bitmap's rows hold.
  init(_ format: PixelFormat) { self = format.hasAlpha ? .premultiplied : .opaque }
}

extension RowWriter {
  /// Writes all rows of a picture; those of packed formats are converted one by one.
  func append(_ bitmap: Bitmap) throws(EncodeError) {
    let width = bitmap.width * 4
    var wide = [UInt8](repeating: 0, count: bitmap.format.bytesPerPixel == 4 ? 0 : width)
    try bitmap.withUnsafeBytes { (bytes) throws(EncodeError) in
      guard let base = bytes.baseAddress else { return }
      for y in 0..<bitmap.height {
        let row = base + y * bitmap.bytesPerRow
        guard bitmap.format.bytesPerPixel != 4 else {
          try append(UnsafeRawBufferPointer(start: row, count: width))
          continue
        }
        wide.withUnsafeMutableBytes { target in
          convertRow(row, bitmap.format, target.baseAddress, .bgrx, bitmap.width)
        }
        try wide.span.withUnsafeBytes { (row) throws(EncodeError) in try append(row) }
      }
    }
  }
}
