#if SVG
import IkranPixels

/// What drawing a document takes at most, with all of its elements that refer to others.
struct SVGCost {
  /// How many elements are drawn.
  var elements = 0
  /// Nanoseconds for each pixel.
  var pixelTime = 0
  /// Nanoseconds at any size.
  var fixedTime = 0
  /// How many layers lie one on another.
  var layers = 0
  /// How many elements lie in one another, or are drawn for one another.
  var levels = 0

  /// librsvg takes some 40 µs for an element that another one refers to.
  private static let mostElements = 250_000
  /// The most nanoseconds of a small drawing, and of a large one; between them the time grows with
  /// each pixel.
  private static let mostTime = (small: 2_000_000_000, large: 8_000_000_000, pixel: 400)
  private static let mostMemory = 512 << 20

  /// Refuses a document that would be drawn with so many pixels.
  ///
  /// - Throws: ``DecodeError``.
  func check(width: Double, height: Double) throws(DecodeError) {
    let pixels = (width + 1) * (height + 1)
    try check(pixels: pixels < 1e15 ? Int(pixels) : .max)
  }

  private func check(pixels: Int) throws(DecodeError) {
    guard elements <= Self.mostElements else {
      throw .unsupported(.svg, feature: "references that multiply its elements")
    }
    let (time, isLong) = pixels.multipliedReportingOverflow(by: pixelTime)
    let extra = Int.sum(Self.mostTime.small, .product(pixels, Self.mostTime.pixel))
    guard !isLong, Int.sum(time, fixedTime) <= min(extra, Self.mostTime.large) else {
      throw .unsupported(.svg, feature: "filters, layers or lines that take too long at this size")
    }
    // A layer, what is below it, and what a filter makes of it.
    let (memory, isLarge) = pixels.multipliedReportingOverflow(by: 4 * (1 + 3 * layers))
    guard !isLarge, memory <= Self.mostMemory else {
      throw .overLimit(.memory, value: .max, limit: Self.mostMemory)
    }
  }

  /// Adds another one, as often as it is drawn.
  fileprivate mutating func add(
    _ other: SVGCost,
    times: Int = 1,
    onLayers below: Int = 0,
    at level: Int = 0
  ) {
    elements = .sum(elements, .product(other.elements, times))
    pixelTime = .sum(pixelTime, .product(other.pixelTime, times))
    fixedTime = .sum(fixedTime, .product(other.fixedTime, times))
    layers = max(layers, .sum(below, other.layers))
    levels = max(levels, .sum(level, other.levels))
  }
}

extension Int {
  /// The largest number where a sum is larger.
  fileprivate static func sum(_ first: Int, _ second: Int) -> Int {
    let (sum, overflow) = first.addingReportingOverflow(second)
    return overflow ? .max : sum
  }

  /// The largest number where a product is larger.
  fileprivate static func product(_ first: Int, _ second: Int) -> Int {
    let (product, overflow) = first.multipliedReportingOverflow(by: second)
    return overflow ? .max : product
  }
}

/// Follows the references of a document.
struct SVGCostCounter {
  private let document: SVGDocument
  /// What elements refer to, those of the style sheets included.
  private var targets: [[Int]]
  private var extraTime: [Int]
  private var extraLayer: [Bool]
  /// The most markers of one shape.
  private let mostCorners: Int
  private var known: [Int: SVGCost] = [:]
  /// Elements whose cost is being counted.
  private var active: Set<Int> = []
  /// Steps that are left: elements may lie in many that others refer to.
  private var steps = 20_000_000
  /// How often selectors may be held against elements: librsvg takes some 45 ns for each.
  private var matchesLeft = 40_000_000

  init(_ document: SVGDocument) throws(DecodeError) {
    self.document = document
    targets = document.elements.map { element in
      (element.references + element.inherited).compactMap { document.identifiers[$0] }
    }
    extraTime = document.elements.map(\.pixelTime)
    mostCorners = document.elements.map(\.corners).max() ?? 1
    extraLayer = [Bool](repeating: false, count: targets.count)
    for sheet in document.styles { try add(SVGStyleSheet(sheet)) }
  }

  /// What the whole document takes.
  mutating func total() throws(DecodeError) -> SVGCost { try cost(of: 0, level: 0) }

  private mutating func add(_ sheet: SVGStyleSheet) throws(DecodeError) {
    let matches = sheet.matches(elements: targets.count)
    matchesLeft -= min(matches, matchesLeft)
    guard matchesLeft > 0 else {
      throw .unsupported(.svg, feature: "style sheets that take too long for its elements")
    }
    for rule in sheet.rules {
      let own = rule.own.compactMap { document.identifiers[$0] }
      let inherited = rule.inherited.compactMap { document.identifiers[$0] }
      for element in try elements(of: rule) {
        targets[element] += own
        extraTime[element] += rule.time
        if rule.hasLayer { extraLayer[element] = true }
        // All elements have it already where the rule is of any.
        let end = rule.isOfAll ? element + 1 : document.elements[element].end
        try spend((end - element) * (1 + inherited.count))
        guard !inherited.isEmpty else { continue }
        for index in element..<end { targets[index] += inherited }
      }
    }
  }

  private mutating func elements(of rule: SVGStyleSheet.Rule) throws(DecodeError) -> [Int] {
    if rule.isOfAll { return Array(targets.indices) }
    var result = rule.names.flatMap { document.classes[$0] ?? [] }
    result += rule.names.compactMap { document.identifiers[$0] }
    if !rule.types.isEmpty {
      try spend(targets.count)
      result += targets.indices.filter { rule.types.contains(document.elements[$0].name) }
    }
    return result
  }

  private mutating func spend(_ count: Int) throws(DecodeError) {
    steps -= count
    guard steps > 0 else {
      throw .unsupported(.svg, feature: "references that are too many")
    }
  }

  /// What an element in another one takes, without those that it has and those that it refers to.
  private func own(_ index: Int, in top: SVGDocument.Element) -> SVGCost {
    let element = document.elements[index]
    let layers = element.hasLayer || extraLayer[index] ? 1 : 0
    return SVGCost(
      elements: element.isDrawn ? 1 : 0,
      pixelTime: extraTime[index],
      fixedTime: element.fixedTime,
      layers: element.layersBelow - top.layersBelow + layers,
      levels: element.depth - top.depth + 1
    )
  }

  /// What an element takes with those in it, and those that they refer to.
  private mutating func cost(of root: Int, level: Int) throws(DecodeError) -> SVGCost {
    if let cost = known[root] { return cost }
    let elements = document.elements
    guard elements.indices.contains(root) else { return SVGCost() }
    guard level < SVGDocument.deepest else { throw SVGDocument.tooMany }
    // librsvg draws none, and what they cost could not be told.
    guard active.insert(root).inserted else {
      throw .unsupported(.svg, feature: "references in a circle")
    }
    var cost = SVGCost()
    let top = elements[root]
    var index = root
    while index < top.end {
      let element = elements[index]
      if index != root, element.isDefinition {
        index = element.end
        continue
      }
      try spend(1 + targets[index].count)
      let alone = own(index, in: top)
      cost.add(alone)
      for target in targets[index] where element.isDrawn {
        let other = try self.cost(of: target, level: level + alone.levels)
        let isMarker = elements.indices.contains(target) && elements[target].name == "marker"
        // What is drawn by reference has markers, too.
        let corners = element.name == "use" ? mostCorners : element.corners
        let times = isMarker ? corners : 1
        cost.add(other, times: times, onLayers: alone.layers, at: alone.levels)
      }
      index += 1
    }
    guard cost.levels <= SVGDocument.deepest else { throw SVGDocument.tooMany }
    active.remove(root)
    known[root] = cost
    return cost
  }
}

/// The rules of a style sheet, as far as they refer to elements or make layers.
struct SVGStyleSheet {
  /// What a rule says of some elements.
  struct Rule {
    /// Classes or identifiers of elements.
    var names: [String] = []
    /// Names of elements.
    var types: Set<String> = []
    /// Whether it may be of any element.
    var isOfAll = false
    /// The identifiers in properties that elements have for themselves.
    var own: [String] = []
    /// Those in properties that the elements in them have, too.
    var inherited: [String] = []
    var hasLayer = false
    /// Nanoseconds for each pixel.
    var time = 0
  }

  private(set) var rules: [Rule] = []
  /// How many selectors are held against each element, those of elements around it included, and
  /// how many against its neighbours, too.
  private var selectors = (ofElements: 0, ofNeighbours: 0)
  /// Whether strings have braces, which are no ends of rules.
  private var isUnclear = false

  init(_ text: [UInt8]) {
    isUnclear = Self.hasBracesInStrings(text)
    for part in text.split(separator: 0x7D) {
      let pieces = part.split(separator: 0x7B, maxSplits: 1, omittingEmptySubsequences: false)
      guard pieces.count == 2 else { continue }
      for selector in pieces[0].split(separator: 0x2C) { count(selector) }
      let body = Array(pieces[1])
      let (own, inherited) = SVGStyle.references(body)
      var rule = Rule(own: own, inherited: inherited, hasLayer: SVGStyle.hasLayer(body))
      rule.time = SVGStyle.filterTime(body) + (rule.hasLayer ? 8 : 0)
      guard rule.hasLayer || !own.isEmpty || !inherited.isEmpty else { continue }
      for selector in pieces[0].split(separator: 0x2C) { rule.select(selector) }
      rules.append(rule)
    }
  }

  /// How often selectors are held against so many elements at most.
  func matches(elements: Int) -> Int {
    guard !isUnclear else { return .max }
    let all = Int.product(selectors.ofNeighbours, elements)
    return .product(.sum(all, selectors.ofElements), elements)
  }

  private mutating func count(_ selector: ArraySlice<UInt8>) {
    let parts = selector.split { $0 <= 0x20 || $0 == 0x3E }.count
    // Ancestors are looked through, up to the deepest.
    selectors.ofElements += parts > 1 ? 20 : 1
    let text = String(decoding: selector, as: UTF8.self).lowercased()
    if ["~", ":nth", "-of-type"].contains(where: text.contains) { selectors.ofNeighbours += 1 }
  }

  private static func hasBracesInStrings(_ text: [UInt8]) -> Bool {
    var (quote, isEscaped) = (UInt8?.none, false)
    for byte in text {
      if isEscaped {
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = true
      } else if let open = quote {
        if byte == 0x7B || byte == 0x7D { return true }
        if byte == open { quote = nil }
      } else if byte == 0x22 || byte == 0x27 {
        quote = byte
      }
    }
    return false
  }
}

extension SVGStyleSheet.Rule {
  /// Takes one selector: its last class, identifier or name of an element.
  fileprivate mutating func select(_ selector: ArraySlice<UInt8>) {
    let simple = selector.split { $0 <= 0x20 || $0 == 0x3E || $0 == 0x2B || $0 == 0x7E }.last ?? []
    let end = simple.firstIndex { $0 == 0x3A || $0 == 0x5B } ?? simple.endIndex
    let parts = simple[..<end].split(omittingEmptySubsequences: false) { $0 == 0x2E || $0 == 0x23 }
    let name = parts.last.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let type = name.split(separator: "|").last.map(String.init) ?? ""
    if parts.count > 1 {
      names.append(name)
    } else if type.isEmpty || type == "*" {
      isOfAll = true
    } else {
      types.insert(type)
    }
  }
}
#endif
