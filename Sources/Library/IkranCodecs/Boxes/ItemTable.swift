#if AVIF || HEIC
/// The pictures of a file, and what they have to do with each other (ISO/IEC 23008-12, section 6).
///
/// It keeps where its boxes are, and looks for one item at a time: a file may declare very many.
struct ItemTable: Sendable {
  /// The item that stands for the file.
  let primary: Int
  /// Where the bytes of items are, and those that are not elsewhere in the file.
  private(set) var locations, data: Range<Int>?
  private let entries, references: Range<Int>?
  private let list: [Box]
  private var associations: [Range<Int>] = []

  /// The most entries of a table: libraries search all of them for each.
  private static let mostEntries = 10_000
  private static let onlyOnce: Set = ["pitm", "iinf", "iloc", "idat", "iref", "iprp"]
  /// The most items of one role that are looked at.
  private static let mostOfRole = 16

  /// Reads the body of a `meta` box; nil when it names no picture, has too many entries, or says
  /// something twice.
  init?(_ bytes: Span<UInt8>, _ meta: Box) {
    var (primary, entries): (Int?, Range<Int>?)
    var (references, container): (Range<Int>?, Range<Int>?)
    var count = 0
    var boxes = BoxSequence(in: meta.content)
    var seen: Set<String> = []
    while let box = boxes.next(bytes) {
      let isWide = bytes.byte(at: box.body.lowerBound) ?? 0 > 0
      let start = box.content.lowerBound
      // Of two, libraries take the one or the other.
      guard !Self.onlyOnce.contains(box.type) || seen.insert(box.type).inserted else { return nil }
      switch box.type {
      case "pitm": primary = bytes.bigEndian(isWide, at: start)
      case "iinf":
        entries = min(start + (isWide ? 4 : 2), box.body.upperBound)..<box.body.upperBound
        count = max(count, bytes.bigEndian(isWide, at: start) ?? 0)
      case "iloc":
        let hasManyItems = bytes.byte(at: box.body.lowerBound) ?? 0 > 1
        count = max(count, bytes.bigEndian(hasManyItems, at: start + 2) ?? 0)
        locations = box.body
      case "idat": data = box.body
      case "iref": references = box.body
      case "iprp":
        container = BoxSequence.first("ipco", bytes, in: box.body)?.body
        associations += Self.associations(bytes, in: box.body, &count)
      default: break
      }
    }
    guard let primary, let entries, count <= Self.mostEntries, associations.count <= 4 else {
      return nil
    }
    self.primary = primary
    self.entries = entries
    self.references = references
    var list: [Box] = []
    var kinds = BoxSequence(in: container ?? 0..<0)
    while list.count <= Self.mostEntries, let box = kinds.next(bytes) { list.append(box) }
    self.list = list
    guard list.count <= Self.mostEntries, hasFewEntries(bytes), hasSoundReferences(bytes) else {
      return nil
    }
  }

  /// Whether there are few, whatever their counts say: they are searched up to the end of a box.
  private func hasFewEntries(_ bytes: Span<UInt8>) -> Bool {
    var count = 0
    var boxes = BoxSequence(in: entries ?? 0..<0)
    while count <= Self.mostEntries, boxes.next(bytes) != nil { count += 1 }
    guard count <= Self.mostEntries else { return false }
    count = 0
    forEachAssociation(bytes) { _, _ in
      count += 1
      return count <= Self.mostEntries
    }
    return count <= Self.mostEntries
  }

  private static func associations(
    _ bytes: Span<UInt8>,
    in range: Range<Int>,
    _ count: inout Int
  ) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var boxes = BoxSequence(in: range)
    while found.count < 5, let box = boxes.next(bytes) {
      guard box.type == "ipma" else { continue }
      found.append(box.body)
      count = max(count, bytes.bigEndian32(at: box.content.lowerBound) ?? 0)
    }
    return found
  }

  /// Whether there are few references, and each has the length that its count needs, in a list that
  /// ends with the last: libraries go by the one or the other.
  private func hasSoundReferences(_ bytes: Span<UInt8>) -> Bool {
    guard let references else { return true }
    let width = bytes.byte(at: references.lowerBound) ?? 0 > 0 ? 4 : 2
    let content = Box(type: "iref", body: references).content
    var boxes = BoxSequence(in: content)
    var count = 0
    while let box = boxes.next(bytes) {
      count += 1
      guard count <= Self.mostEntries,
        let targets = bytes.bigEndian16(at: box.body.lowerBound + width),
        box.body.count == width + 2 + targets * width
      else { return false }
    }
    return boxes.offset == content.upperBound
  }

  // MARK: - One item

  /// How an item is coded, as `av01`; nil for one that does not exist.
  func type(of item: Int, _ bytes: Span<UInt8>) -> String? {
    description(of: item, bytes).flatMap { bytes.letters(at: $0.lowerBound - 4) }
  }

  /// What follows the type of an item: its name, and what it holds.
  func description(of item: Int, _ bytes: Span<UInt8>) -> Range<Int>? {
    var boxes = BoxSequence(in: entries ?? 0..<0)
    while let box = boxes.next(bytes) {
      guard let (number, rest) = Self.entry(box, bytes), number == item else { continue }
      return rest
    }
    return nil
  }

  /// How each item is coded, an empty text for one that does not say it; nil when one has two
  /// entries.
  func types(_ bytes: Span<UInt8>) -> [Int: String]? {
    var types: [Int: String] = [:]
    var boxes = BoxSequence(in: entries ?? 0..<0)
    while let box = boxes.next(bytes) {
      guard box.type == "infe" else { continue }
      let entry = Self.entry(box, bytes)
      let type = entry?.rest.flatMap { bytes.letters(at: $0.lowerBound - 4) } ?? ""
      // Older entries have their number in the same place.
      guard let item = entry?.item ?? bytes.bigEndian16(at: box.content.lowerBound),
        types.updateValue(type, forKey: item) == nil
      else { return nil }
    }
    return types
  }

  /// Calls `body` with each item, how it is coded, and whether it is not to be shown.
  func forEachEntry(
    _ bytes: Span<UInt8>,
    _ body: (_ item: Int, _ type: String, _ isHidden: Bool) -> Void
  ) {
    var boxes = BoxSequence(in: entries ?? 0..<0)
    while let box = boxes.next(bytes) {
      guard let (item, rest) = Self.entry(box, bytes),
        let type = rest.flatMap({ bytes.letters(at: $0.lowerBound - 4) })
      else { continue }
      body(item, type, (bytes.byte(at: box.body.lowerBound + 3) ?? 0) & 1 != 0)
    }
  }

  /// The item of an entry, and what follows its type; nil for another box.
  private static func entry(
    _ box: Box,
    _ bytes: Span<UInt8>
  ) -> (item: Int, rest: Range<Int>?)? {
    let version = bytes.byte(at: box.body.lowerBound) ?? 0
    let (isWide, start) = (version > 2, box.content.lowerBound)
    guard box.type == "infe", version >= 2, let item = bytes.bigEndian(isWide, at: start) else {
      return nil
    }
    // A number, a mark of protection, and the type lie before it.
    let rest = start + (isWide ? 10 : 8)
    return (item, rest <= box.body.upperBound ? rest..<box.body.upperBound : nil)
  }

  /// What is said of an item, in order.
  func properties(of item: Int, _ bytes: Span<UInt8>) -> [Box] {
    var found: [Box] = []
    forEachAssociation(bytes) { number, indices in
      guard number == item else { return true }
      found = indices().compactMap { list.indices.contains($0) ? list[$0] : nil }
      return false
    }
    return found
  }

  /// What is said of any of some items, each once.
  func properties(ofAny items: Set<Int>, _ bytes: Span<UInt8>) -> [Box] {
    var found: Set<Int> = []
    forEachAssociation(bytes) { number, indices in
      if items.contains(number) { found.formUnion(indices()) }
      return true
    }
    return list.indices.filter { found.contains($0) }.map { list[$0] }
  }

  /// The items that say that they are auxiliary pictures of something else than alpha, as a gain
  /// map.
  func itemsWithoutAlpha(_ bytes: Span<UInt8>) -> Set<Int> {
    let types = list.map { PictureProperties([$0], bytes).auxiliaryType }
    var (others, alpha): (Set<Int>, Set<Int>) = ([], [])
    // An item may say it twice, and libraries know other names of alpha.
    forEachAssociation(bytes) { item, indices in
      for index in indices() where types.indices.contains(index) {
        guard let type = types[index] else { continue }
        if type.hasSuffix("alpha") || type.hasSuffix("auxid:1") {
          alpha.insert(item)
        } else {
          others.insert(item)
        }
      }
      return true
    }
    return others.subtracting(alpha)
  }

  /// Calls `body` with each item and the places of its properties, until it returns false.
  private func forEachAssociation(
    _ bytes: Span<UInt8>,
    _ body: (_ item: Int, _ indices: () -> [Int]) -> Bool
  ) {
    for table in associations {
      let isWide = bytes.byte(at: table.lowerBound) ?? 0 > 0
      let isLong = (bytes.byte(at: table.lowerBound + 3) ?? 0) & 1 != 0
      let step = isLong ? 2 : 1
      var offset = table.lowerBound + 8
      while offset < table.upperBound, let number = bytes.bigEndian(isWide, at: offset),
        let count = bytes.byte(at: offset + (isWide ? 4 : 2))
      {
        let start = offset + (isWide ? 5 : 3)
        offset = start + Int(count) * step
        guard offset <= table.upperBound else { break }
        let goesOn = body(number) {
          stride(from: start, to: start + Int(count) * step, by: step).map { place in
            let index =
              isLong ? (bytes.bigEndian16(at: place) ?? 0) & 0x7FFF : Int(bytes[place] & 127)
            return index - 1
          }
        }
        guard goesOn else { return }
      }
    }
  }

  /// The items that refer to `item` in a role, as `thmb`; at most sixteen.
  func items(_ role: String, of item: Int, _ bytes: Span<UInt8>) -> [Int] {
    var found: [Int] = []
    forEachReference(role, in: bytes) { from, targets in
      if targets.contains(item) { found.append(from) }
      return found.count < Self.mostOfRole
    }
    return found
  }

  /// The first item that `item` refers to in a role, as `dimg`.
  func firstTarget(_ role: String, of item: Int, _ bytes: Span<UInt8>) -> Int? {
    var target: Int?
    forEachReference(role, in: bytes) { from, targets in
      if from == item { target = targets.first }
      return target == nil
    }
    return target
  }

  /// Calls `body` with each reference of a role, until it returns false.
  func forEachReference(
    _ role: String,
    in bytes: Span<UInt8>,
    _ body: (_ from: Int, _ targets: [Int]) -> Bool
  ) {
    guard let references else { return }
    let isWide = bytes.byte(at: references.lowerBound) ?? 0 > 0
    let width = isWide ? 4 : 2
    var boxes = BoxSequence(in: Box(type: "iref", body: references).content)
    while let box = boxes.next(bytes) {
      let start = box.body.lowerBound
      guard box.type == role, let from = bytes.bigEndian(isWide, at: start),
        let count = bytes.bigEndian16(at: start + width)
      else { continue }
      let first = start + width + 2
      let there = min(count, max(box.body.upperBound - first, 0) / width)
      let targets = (0..<there).compactMap { bytes.bigEndian(isWide, at: first + $0 * width) }
      guard body(from, targets) else { return }
    }
  }
}
#endif
