#if SVG
import IkranPixels

/// What drawing a document takes at most, with all of its elements that refer to others.
struct SVGCost {
  /// How many elements are drawn.
  var elements = 0
  /// Nanoseconds for each pixel.
  var pixelTime = 0
  /// How many layers lie one on another.
  var layers = 0

  /// librsvg takes some 40 µs for an element that another one refers to.
  private static let mostElements = 250_000
  private static let mostTime = 8_000_000_000
  private static let mostMemory = 512 << 20

  /// Refuses a document that is drawn with so many pixels.
  ///
  /// - Throws: ``DecodeError``.
  func check(pixels: Int) throws(DecodeError) {
    guard elements <= Self.mostElements else {
      throw .unsupported(.svg, feature: "references that multiply its elements")
    }
    let (time, isLong) = pixels.multipliedReportingOverflow(by: pixelTime)
    guard !isLong, time <= Self.mostTime else {
      throw .unsupported(.svg, feature: "filters or layers that take too long at this size")
    }
    // A layer, what is below it, and what a filter makes of it.
    let (memory, isLarge) = pixels.multipliedReportingOverflow(by: 4 * (1 + 3 * layers))
    guard !isLarge, memory <= Self.mostMemory else {
      throw .overLimit(.memory, value: .max, limit: Self.mostMemory)
    }
  }

  fileprivate mutating func add(_ other: SVGCost, onLayers below: Int = 0) {
    elements = Self.sum(elements, other.elements)
    pixelTime = Self.sum(pixelTime, other.pixelTime)
    layers = max(layers, Self.sum(below, other.layers))
  }

  private static func sum(_ first: Int, _ second: Int) -> Int {
    let (sum, overflow) = first.addingReportingOverflow(second)
    return overflow ? .max : sum
  }
}

/// Follows the references of a document.
struct SVGCostCounter {
  private let document: SVGDocument
  /// What elements refer to, those of the style sheets included.
  private var targets: [[Int]]
  private var extraTime: [Int]
  private var extraLayer: [Bool]
  private var known: [Int: SVGCost] = [:]
  /// Elements whose cost is being counted: librsvg draws no circles.
  private var active: Set<Int> = []
  /// Steps that are left: elements may lie in many that others refer to.
  private var steps = 20_000_000

  private static let deepest = 100

  init(_ document: SVGDocument) {
    self.document = document
    targets = document.elements.map { element in
      element.references.compactMap { document.identifiers[$0] }
    }
    extraTime = document.elements.map(\.pixelTime)
    extraLayer = [Bool](repeating: false, count: targets.count)
    for sheet in document.styles { add(SVGStyleSheet(sheet)) }
  }

  /// What the whole document takes.
  mutating func total() throws(DecodeError) -> SVGCost { try cost(of: 0, depth: 0) }

  private mutating func add(_ sheet: SVGStyleSheet) {
    for rule in sheet.rules where rule.hasLayer || !rule.targets.isEmpty {
      let found = rule.targets.compactMap { document.identifiers[$0] }
      let elements =
        rule.classes.isEmpty
        ? Array(targets.indices) : rule.classes.flatMap { document.classes[$0] ?? [] }
      for element in elements {
        targets[element] += found
        if rule.hasLayer {
          (extraTime[element], extraLayer[element]) = (extraTime[element] + 8, true)
        }
      }
    }
  }

  private mutating func cost(of root: Int, depth: Int) throws(DecodeError) -> SVGCost {
    if let cost = known[root] { return cost }
    guard depth < Self.deepest else { throw Self.tooDeep }
    guard document.elements.indices.contains(root), active.insert(root).inserted else {
      return SVGCost()
    }
    var cost = SVGCost()
    let elements = document.elements
    let outside = elements[root].layersBelow
    var index = root
    while index < elements[root].end {
      steps -= 1
      guard steps > 0 else { throw Self.tooDeep }
      let element = elements[index]
      if index != root, element.isDefinition {
        index = element.end
        continue
      }
      let ownLayers = element.hasLayer || extraLayer[index] ? 1 : 0
      let layers = element.layersBelow - outside + ownLayers
      cost.add(SVGCost(elements: 1, pixelTime: extraTime[index], layers: layers))
      for target in targets[index] {
        cost.add(try self.cost(of: target, depth: depth + 1), onLayers: layers)
      }
      index += 1
    }
    active.remove(root)
    known[root] = cost
    return cost
  }

  private static var tooDeep: DecodeError {
    .unsupported(.svg, feature: "references that are too deep or too many")
  }
}

/// The rules of a style sheet, as far as they refer to elements or make layers.
struct SVGStyleSheet {
  /// What a rule says of the elements of some classes; of all for none.
  struct Rule {
    var classes: [String] = []
    var targets: [String] = []
    var hasLayer = false
  }

  private(set) var rules: [Rule] = []

  init(_ text: [UInt8]) {
    for part in text.split(separator: 0x7D) {
      let pieces = part.split(separator: 0x7B, maxSplits: 1, omittingEmptySubsequences: false)
      guard pieces.count == 2 else { continue }
      let body = Array(pieces[1])
      var rule = Rule(targets: SVGStyle.targets(body), hasLayer: SVGStyle.hasLayer(body))
      guard rule.hasLayer || !rule.targets.isEmpty else { continue }
      for selector in pieces[0].split(separator: 0x2C) {
        let name = selector.drop { $0 != 0x2E }.dropFirst()
          .prefix { $0 > 0x20 && $0 != 0x2E && $0 != 0x3A && $0 != 0x3E && $0 != 0x5B }
        // One that has no class may be of any element.
        guard !name.isEmpty else {
          rule.classes = []
          break
        }
        rule.classes.append(String(decoding: name, as: UTF8.self))
      }
      rules.append(rule)
    }
  }
}
#endif
