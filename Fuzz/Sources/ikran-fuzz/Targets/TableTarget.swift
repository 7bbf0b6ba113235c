@testable import IkranPixels
@testable import IkranStores
@testable import IkranSystem

/// An image table: any damage to its file, then any operations.
///
/// A picture is always one that was put under its id; in a table whose file was not changed it is the
/// last, and never one that was removed.
enum TableTarget {
  static var seeds: [[UInt8]] {
    let operations: [UInt8] = (0..<60).flatMap { [UInt8($0 % 16), UInt8($0 * 4)] }
    let edits: [[UInt8]] = (0..<11).map { region in
      let edit: [UInt8] = [UInt8(1 + region % 2), 1, UInt8(region), 9, 0, 1, 3]
      return edit + operations
    }
    return [[0] + operations, [3] + operations, [4] + Array("IKRTABLE".utf8)] + edits
  }

  static func run(_ bytes: Input) -> CInt {
    var input = InputReader(bytes)
    let mode = input.byte() % 5
    let folder = TemporaryFolder.empty("table")
    let path = "\(folder)/t.table"
    var model = TableModel(isUndamaged: mode == 0 || mode == 3)
    switch mode {
    case 0: break
    case 4:
      write(input.rest, path)
      input = InputReader(Input(start: nil, count: 0))
    default:
      let template = mode == 2 ? TableTemplate.killed : TableTemplate.clean
      model.put(template.contents)
      write(mode == 3 ? template.bytes : TableEdits.edited(template.bytes, &input), path)
    }
    TableOperations(folder, path).run(&input, &model)
    return 0
  }

  private static func write(_ bytes: [UInt8], _ path: String) {
    do throws(SystemError) { try Files.create(path, bytes) } catch { report("\(path): \(error)") }
  }
}

/// The pictures that a table may have.
struct TableModel {
  /// Whether the table has to have the last version of each id, or any other.
  let isUndamaged: Bool
  private var versions: [Int: Set<UInt64>] = [:]
  /// The last version of each id; nil when it was removed.
  private(set) var last: [Int: UInt64] = [:]
  private var next: UInt64 = 100

  init(isUndamaged: Bool) { self.isUndamaged = isUndamaged }

  mutating func put(_ contents: [Int: UInt64]) {
    for (id, version) in contents { note(id, version) }
  }

  /// A version that was never used.
  mutating func newVersion() -> UInt64 {
    next += 1
    return next
  }

  mutating func note(_ id: Int, _ version: UInt64) {
    versions[id, default: []].insert(version)
    last[id] = version
  }

  mutating func remove(_ id: Int) { last[id] = nil }

  mutating func removeAll() { last = [:] }

  /// Whether the table may give this version under the id.
  func allows(_ id: Int, _ version: UInt64) -> Bool {
    isUndamaged ? last[id] == version : versions[id]?.contains(version) ?? false
  }
}

/// The bytes of a table with some entries.
struct TableTemplate {
  static let format = TableFormat("t", size: PixelSize(width: 8, height: 6), maximumCount: 40)
  /// As it is when no process uses it.
  static let clean = TableTemplate(isClosed: true)
  /// As it is after the end of a process that was killed.
  static let killed = TableTemplate(isClosed: false)

  let bytes: [UInt8]
  let contents: [Int: UInt64]

  private init(isClosed: Bool) {
    let folder = TemporaryFolder.empty(isClosed ? "closed" : "open")
    let path = "\(folder)/t.table"
    var contents: [Int: UInt64] = [:]
    var copy: [UInt8] = []
    do {
      let table = try ImageTable(at: folder, format: Self.format)
      for id in 0..<20 {
        for version in 0...UInt64(id % 5 == 0 ? 1 : 0) {
          try table.put(.number(id), version: .number(Int(version)), FuzzPicture.make(id, version))
          contents[id] = version
        }
        if id % 7 == 3, try table.remove(.number(id)) { contents[id] = nil }
      }
      if !isClosed { copy = try Files.read(path) }
    } catch { report("no template: \(error)") }
    bytes = isClosed ? (try? Files.read(path)) ?? [] : copy
    self.contents = contents
  }
}

/// Pictures that say what they are.
enum FuzzPicture {
  static func make(_ id: Int, _ version: UInt64) throws -> Bitmap {
    let size = TableTemplate.format.size
    var canvas = try Canvas(size: size, format: .bgra)
    let stride = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<size.height {
        for (x, byte) in row(id, version, y).enumerated() { bytes[y * stride + x] = byte }
      }
    }
    return canvas.finish()
  }

  /// The version that a picture of an id shows; nil when any of its bytes is another.
  static func version(_ picture: Bitmap, of id: Int) -> UInt64? {
    guard picture.size == TableTemplate.format.size, picture.format == .bgra else { return nil }
    let version = picture.withRow(0) { row in
      (4..<12).reduce(UInt64(0)) { $0 << 8 | UInt64(row[$1]) }
    }
    let isWhole = (0..<picture.height).allSatisfy { y in
      let expected = row(id, version, y)
      return picture.withRow(y) { row in expected.indices.allSatisfy { expected[$0] == row[$0] } }
    }
    return isWhole ? version : nil
  }

  private static func row(_ id: Int, _ version: UInt64, _ y: Int) -> [UInt8] {
    let head = [UInt8(id & 255), UInt8(id >> 8 & 255), 7, 255]
    let number = (0..<8).map { UInt8(truncatingIfNeeded: version >> UInt64(56 - 8 * $0)) }
    let seed = UInt64(id) &* 31 &+ version &* 101 &+ UInt64(y) &* 13
    let rest = (12..<TableTemplate.format.size.width * 4).map { x in
      UInt8(truncatingIfNeeded: (seed &+ UInt64(x)) &* 0x9E37_79B9_7F4A_7C15 >> 40)
    }
    return head + number + rest
  }
}

extension TableID {
  /// Ids whose hashes are alike.
  static func number(_ number: Int) -> TableID {
    number % 2 == 0
      ? TableID(high: UInt64(number), low: 7) : TableID(high: 7, low: UInt64(number) << 40)
  }
}
