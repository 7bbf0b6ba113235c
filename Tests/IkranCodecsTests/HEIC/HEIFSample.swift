#if HEIC
/// A HEIF file of boxes that make sense one by one, and no coded pictures.
struct HEIFSample {
  /// Items by their numbers: how each is coded, and its data.
  var items: [(number: Int, type: String, data: [UInt8])] = []
  var references: [[UInt8]] = []
  /// Items that are alpha.
  var alpha: [Int] = []
  /// Items that are gain maps.
  var gainMaps: [Int] = []
  /// Width and height of the part of the first item that is shown, which may be impossible.
  var aperture: (width: Int, height: Int)?
  /// Entries of the tables that their counts do not count.
  var uncountedAssociations = 0
  var uncountedEntries = 0
  /// In place of the entries of `items`.
  var entries: [[UInt8]]?
  /// More boxes of the list of pictures.
  var more: [UInt8] = []

  /// An overlay of 16 × 16 pixels with nothing on it.
  static let overlay: [UInt8] = [0, 0] + [255, 255, 0, 0, 0, 0, 255, 255] + [0, 16, 0, 16]

  static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    number(8 + body.count, 4) + Array(type.utf8) + body
  }

  static func full(_ type: String, _ version: UInt8, _ body: [UInt8]) -> [UInt8] {
    box(type, [version, 0, 0, 0] + body)
  }

  static func entry(_ item: Int, _ type: String) -> [UInt8] {
    full("infe", 2, number(item, 2) + [0, 0] + Array(type.utf8) + [0])
  }

  static func reference(_ type: String, _ from: Int, _ targets: [Int]) -> [UInt8] {
    box(type, number(from, 2) + number(targets.count, 2) + targets.flatMap { number($0, 2) })
  }

  private static func clap(_ size: (width: Int, height: Int)) -> [UInt8] {
    let one = number(1, 4)
    return box(
      "clap",
      number(size.width, 4) + one + number(size.height, 4) + one + [0, 0, 0, 0] + one
        + [0, 0, 0, 0] + one
    )
  }

  static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(value >> ((bytes - 1 - $0) * 8) & 255) }
  }

  static func referenceTable(_ references: [[UInt8]]) -> [UInt8] {
    full("iref", 0, references.flatMap { $0 })
  }

  /// The list of pictures.
  var meta: [UInt8] {
    var (places, data): ([UInt8], [UInt8]) = ([], [])
    for item in items {
      places += Self.number(item.number, 2) + [0, 1, 0, 0, 0, 1]
      places += Self.number(data.count, 4) + Self.number(item.data.count, 4)
      data += item.data
    }
    let entries = entries ?? items.map { Self.entry($0.number, $0.type) }
    let urn = Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha".utf8) + [0]
    let size = Self.full("ispe", 0, Self.number(16, 4) + Self.number(16, 4))
    let gain = Array("urn:com:apple:photo:2020:aux:hdrgainmap".utf8) + [0]
    let auxiliary = Self.full("auxC", 0, urn) + Self.full("auxC", 0, gain)
    let kinds = Self.box("ipco", size + auxiliary + (aperture.map(Self.clap) ?? []))
    var associations: [UInt8] = []
    for item in items {
      associations += Self.number(item.number, 2)
      var said: [UInt8] = [1]
      if alpha.contains(item.number) { said.append(2) }
      if gainMaps.contains(item.number) { said.append(3) }
      if aperture != nil, item.number == 1 { said.append(4) }
      associations.append(UInt8(said.count))
      associations += said
    }
    for _ in 0..<uncountedAssociations { associations += [255, 254, 0] }
    let table = Self.full("ipma", 0, Self.number(items.count, 4) + associations)
    let uncounted = (0..<uncountedEntries).flatMap { Self.entry(100 + $0, "hvc1") }
    let handler: [UInt8] = [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13)
    return Self.full(
      "meta",
      0,
      Self.full("hdlr", 0, handler) + Self.full("pitm", 0, [0, 1])
        + Self.full("iinf", 0, Self.number(entries.count, 2) + entries.flatMap { $0 } + uncounted)
        + Self.referenceTable(references) + Self.box("iprp", kinds + table)
        + Self.full("iloc", 1, [0x44, 0] + Self.number(items.count, 2) + places)
        + Self.box("idat", data) + more
    )
  }

  /// The file.
  var bytes: [UInt8] { Self.brands + meta }

  static let brands = box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8))
}
#endif
