import Ikran

/// A contact sheet: each image is drawn as it becomes ready.
struct ContactSheet: ~Copyable {
  /// Light gray, on which white and black edges are visible.
  private static let background: UInt8 = 0xE6

  private let layout: SheetLayout
  private var canvas: Canvas

  /// Prepares an empty sheet.
  init(_ layout: SheetLayout) throws {
    self.layout = layout
    canvas = try Canvas(size: layout.size, format: .bgrx, zeroed: false)
    canvas.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = index & 3 == 3 ? 255 : Self.background }
    }
  }

  /// Draws an image in the middle of a cell, cropped to it.
  mutating func draw(_ image: Bitmap, in index: Int) throws {
    let image = try image.converted(to: .bgra)
    let cell = layout.cell
    let width = min(image.width, cell.width)
    let height = min(image.height, cell.height)
    let origin = layout.origin(of: index)
    let left = (origin.x + (cell.width - width) / 2) * 4
    let top = origin.y + (cell.height - height) / 2
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<height {
        let start = (top + y) * bytesPerRow + left
        image.withRow(y) { row in
          for x in stride(from: 0, to: width * 4, by: 4) {
            // Premultiplied "over" on an opaque background: the result is opaque too.
            let clear = 255 - Int(row[x + 3])
            let ground = (Int(Self.background) * clear + 127) / 255
            bytes[start + x] = UInt8(min(Int(row[x]) + ground, 255))
            bytes[start + x + 1] = UInt8(min(Int(row[x + 1]) + ground, 255))
            bytes[start + x + 2] = UInt8(min(Int(row[x + 2]) + ground, 255))
          }
        }
      }
    }
  }

  /// The sheet as it is now; more can be drawn.
  mutating func picture() throws -> Bitmap {
    var other = try Canvas(size: layout.size, format: .bgrx, zeroed: false)
    swap(&canvas, &other)
    let picture = other.finish()
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<picture.height {
        picture.withRow(y) { row in
          for x in row.indices { bytes[y * bytesPerRow + x] = row[x] }
        }
      }
    }
    return picture
  }

  /// The finished sheet.
  consuming func finish() -> Bitmap { canvas.finish() }
}
