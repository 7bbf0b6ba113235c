#if HEIC
import IkranPixels

/// The items that libheif decodes for a picture of a file.
///
/// libheif 1.15 ends the process, or recurses without an end, for some that make no sense. So they
/// are walked as it walks them: from a picture to those that it is made of, and to those that may
/// be its alpha, and from these on. A gain map or a depth map is not decoded.
struct PictureParts {
  /// All of them.
  private(set) var items: Set<Int> = []
  /// Those that another one is made of.
  private(set) var sources: Set<Int> = []

  private var children: [Int: (sources: [Int], auxiliary: [Int])] = [:]
  private var visits = 0

  /// An overlay of grids of turned pictures, and their alpha.
  private static let mostLevels = 5
  /// How many pictures may be decoded, each as often as it is shown.
  private static let mostVisits = 32_768

  /// Walks from an item; nil where items refer to each other in a circle, or too deep, or too
  /// often.
  init?(of item: Int, in table: ItemTable, _ bytes: Span<UInt8>) {
    table.forEachReference("dimg", in: bytes) { item, targets in
      children[item, default: ([], [])].sources += targets
      return true
    }
    let undecoded = table.itemsWithoutAlpha(bytes)
    table.forEachReference("auxl", in: bytes) { item, targets in
      guard !undecoded.contains(item) else { return true }
      for target in targets { children[target, default: ([], [])].auxiliary.append(item) }
      return true
    }
    guard visit(item, level: 0) else { return nil }
  }

  private mutating func visit(_ item: Int, level: Int) -> Bool {
    visits += 1
    guard level < Self.mostLevels, visits <= Self.mostVisits else { return false }
    items.insert(item)
    guard let (sources, auxiliary) = children[item] else { return true }
    for source in sources {
      self.sources.insert(source)
      guard visit(source, level: level + 1) else { return false }
    }
    return auxiliary.allSatisfy { visit($0, level: level + 1) }
  }
}
#endif
