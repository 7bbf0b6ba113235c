import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// A folder for the tables of one test.
struct TableFolder {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  var path: String { directory.path }

  /// The names of all files, sorted.
  var names: [String] { get throws { try Files.list(path) } }

  /// A table of pictures of a few pixels: a slot of one page.
  func table(
    _ name: String = "small",
    maximumCount: Int = 100,
    byteLimit: Int? = nil
  ) throws -> ImageTable {
    try ImageTable(
      at: path,
      format: .small(name, maximumCount: maximumCount, byteLimit: byteLimit)
    )
  }
}

extension TableFormat {
  /// Pictures of 11 × 5 pixels: 44 bytes of each row, then 20 of padding.
  static func small(
    _ name: String = "small",
    maximumCount: Int = 100,
    byteLimit: Int? = nil
  ) -> TableFormat {
    TableFormat(
      name,
      size: PixelSize(width: 11, height: 5),
      maximumCount: maximumCount,
      byteLimit: byteLimit
    )
  }
}

extension ImageTable {
  /// Puts a picture that contains its id and version.
  func put(_ id: UInt64, version: UInt64 = 1) throws {
    let image = try TorturePicture.make(id: id, version: version, format: format)
    try put(TableID(id: id), version: TableID(version: version), image)
  }

  /// Gets a picture.
  func get(_ id: UInt64) -> Bitmap? { get(TableID(id: id)) }

  /// The id and version in the picture under an id; nil when there is none.
  ///
  /// A damaged picture fails the test.
  func name(_ id: UInt64, _ location: SourceLocation = #_sourceLocation) -> TorturePicture.Name? {
    guard let image = get(id) else { return nil }
    let name = TorturePicture.read(image)
    #expect(name != nil, "a damaged picture under id \(id)", sourceLocation: location)
    return name
  }

  /// The version in the picture under an id; a picture of another id fails the test.
  func version(_ id: UInt64, _ location: SourceLocation = #_sourceLocation) -> UInt64? {
    guard let name = name(id, location) else { return nil }
    #expect(name.id == id, "the picture of another id", sourceLocation: location)
    return name.version
  }

  /// Makes the next put notice that the file has lost its name, as it does after 16 ms.
  func forgetNameCheck() { file.writer.withLock { $0.nameCheck = nil } }

  /// The ids of its entries, most recently used first.
  var ids: [UInt64] { get throws { try entries().map(\.id.idNumber) } }

  /// Whether `verify` finds no damage.
  func isClean() throws -> Bool {
    let report = try verify()
    return report.dropped == 0 && !report.directoryWasRebuilt
  }
}

/// A held picture, and its contents when it was taken.
struct HeldPicture {
  let name: TorturePicture.Name
  private let image: Bitmap

  init(_ table: ImageTable, _ id: UInt64) throws {
    image = try #require(table.get(id))
    name = try #require(TorturePicture.read(image))
    #expect(name.id == id)
  }

  /// Holds a picture that has just been checked.
  init(name: TorturePicture.Name, image: Bitmap) {
    self.name = name
    self.image = image
  }

  /// Whether every byte is still the same.
  var isUnchanged: Bool { TorturePicture.read(image) == name }
}

/// Random pixels that are valid in the format: premultiplied colours, an opaque fourth byte, an
/// unset top bit.
func noise(_ size: PixelSize, _ format: PixelFormat, seed: UInt64) throws -> Bitmap {
  var generator = SeededGenerator(seed: seed)
  var canvas = try Canvas(size: size, format: format)
  let (stride, row) = (canvas.bytesPerRow, size.width * format.bytesPerPixel)
  canvas.withMutableBytes { bytes in
    for y in 0..<size.height {
      for x in 0..<row {
        let alpha = format == .bgra ? UInt8(truncatingIfNeeded: x / 4 * 37 + y) : 255
        let byte = UInt8.random(in: 0...alpha, using: &generator)
        bytes[y * stride + x] =
          switch format {
          case .bgra: x % 4 == 3 ? alpha : byte
          case .bgrx: x % 4 == 3 ? 255 : byte
          case .bgr555: x % 2 == 1 ? byte & 0x7F : byte
          case .bgr, .gray: byte
          }
      }
    }
  }
  return canvas.finish()
}

extension Bitmap {
  /// All pixels, row after row, without padding.
  var pixels: [UInt8] {
    (0..<height).flatMap { y in
      withRow(y) { row in row.indices.map { row[$0] } }
    }
  }

  /// The bytes between the rows.
  var padding: [UInt8] {
    let used = width * format.bytesPerPixel
    return withBytes { bytes in
      (0..<height - 1).flatMap { y in
        (y * bytesPerRow + used..<(y + 1) * bytesPerRow).map { bytes[$0] }
      }
    }
  }
}
