#if SVG
/// What the attributes of one element say of the cost of drawing it.
struct SVGElementReader {
  private let name: String
  private(set) var identifier: String?
  private(set) var classes: [String] = []
  private(set) var references: [String] = []
  /// Those of properties that the elements in it have, too.
  private(set) var inherited: [String] = []
  /// The pictures that it embeds: `data` addresses.
  private(set) var pictures: [[UInt8]] = []
  /// Whether it is drawn on a layer of its own.
  private(set) var hasLayer = false
  /// Nanoseconds for each pixel; measured with librsvg 2.54.
  private(set) var pixelTime = 0
  /// How often a marker may be drawn on it.
  private(set) var corners = 1
  /// Nanoseconds that it takes at any size.
  private(set) var fixedTime = 0

  private static let definitions: Set = [
    "defs", "symbol", "clipPath", "mask", "pattern", "marker", "filter", "linearGradient",
    "radialGradient",
  ]
  private static let layerTime = 8
  /// One that is turned: 150 where it covers all, which few do.
  private static let turnedPatternTime = 40
  /// librsvg 2.54 ends the process for more, but for one of 20 × 20.
  private static let largestMatrix = 399

  init(_ name: String) {
    self.name = name
    switch name {
    case "feGaussianBlur", "feDropShadow": pixelTime = 300
    case "feTurbulence": pixelTime = 250
    case "feDiffuseLighting", "feSpecularLighting": pixelTime = 200
    // Nine samples for each.
    case "feConvolveMatrix": pixelTime = 200
    case "feImage", "feTile", "feMorphology": pixelTime = 100
    case "feDisplacementMap": pixelTime = 1_800
    case "feBlend": pixelTime = 120
    case _ where name.hasPrefix("fe"): pixelTime = 50
    case "mask": pixelTime = 2 * Self.layerTime
    case "pattern": pixelTime = Self.layerTime
    default: break
    }
  }

  var isDefinition: Bool { Self.definitions.contains(name) }

  /// Whether it takes time to draw.
  var isDrawn: Bool { !Self.undrawn.contains(name) }

  private static let undrawn: Set = [
    "linearGradient", "radialGradient", "stop", "title", "desc", "metadata", "style",
  ]
  /// Their addresses are of what is clicked or changed.
  private static let links: Set = [
    "a", "animate", "animateColor", "animateMotion", "animateTransform", "mpath", "script", "set",
    "textPath", "view",
  ]

  /// Takes notice of an attribute, whose value has no references to characters any more.
  mutating func read(_ attribute: String, _ value: [UInt8]) throws(DecodeError) {
    switch attribute {
    case "id": identifier = String(decoding: value, as: UTF8.self)
    case "class":
      classes = value.split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }
    case "href": try readAddress(value)
    case _ where SVGStyle.layers.contains(attribute):
      if SVGStyle.makesLayer(attribute, value[...]) { addLayer() }
      let style = SVGStyle.plain(value)
      references += SVGStyle.targets(style)
      pixelTime += SVGStyle.filterTime(style)
    case "style":
      let style = SVGStyle.plain(value)
      pixelTime += SVGStyle.filterTime(style)
      if SVGStyle.hasLayer(style) { addLayer() }
      let targets = SVGStyle.references(style)
      references += targets.own
      inherited += targets.inherited
    case "numOctaves" where name == "feTurbulence":
      pixelTime = max(pixelTime, 250 * min(max(SVGStyle.number(value), 1), 1_000_000))
    case "radius" where name == "feMorphology":
      let side = 2 * min(SVGStyle.largestNumber(value), 40) + 1
      pixelTime = max(pixelTime, 150 + side * side)
    case "kernelMatrix" where SVGNumbers.count(value) > Self.largestMatrix:
      throw .unsupported(.svg, feature: "a matrix of more than \(Self.largestMatrix) numbers")
    case "patternTransform" where name == "pattern":
      pixelTime = max(pixelTime, Self.turnedPatternTime)
    case "d" where name == "path": raise(to: SVGPathLoad(path: value))
    case "points" where name == "polygon" || name == "polyline":
      raise(to: SVGPathLoad(points: value))
    case "order" where name == "feConvolveMatrix":
      let side = min(max(SVGStyle.largestNumber(value), 3), 1000)
      pixelTime = max(pixelTime, 20 * side * side)
    default:
      if !value.isEmpty { inherited += SVGStyle.targets(SVGStyle.plain(value)) }
    }
  }

  /// Takes the larger of what attributes of one name say: with a prefix they are others.
  private mutating func raise(to load: SVGPathLoad) {
    (corners, fixedTime) = (max(corners, load.corners), max(fixedTime, load.time))
  }

  private mutating func addLayer() {
    if !hasLayer { pixelTime += Self.layerTime }
    hasLayer = true
  }

  /// An identifier in the document, a picture, or what is not opened at all.
  private mutating func readAddress(_ value: [UInt8]) throws(DecodeError) {
    let address = value.drop { $0 <= 0x20 }
    if address.first == 0x23 {
      guard !Self.links.contains(name) else { return }
      references.append(String(decoding: address.dropFirst(), as: UTF8.self))
    } else if Array(address.prefix(5)).span.has("data:", at: 0, ignoringCase: true) {
      pictures.append(Array(address))
    }
  }
}

/// What is read of styles: no more than which identifiers they refer to, and layers.
enum SVGStyle {
  /// The identifiers in `url(#…)`.
  static func targets(_ text: [UInt8]) -> [String] {
    var result: [String] = []
    var place = 0
    while place + 5 < text.count {
      guard text[place] | 0x20 == 0x75, text.span.has("url(", at: place, ignoringCase: true)
      else {
        place += 1
        continue
      }
      let rest = text[(place + 4)...].drop { $0 <= 0x20 || $0 == 0x22 || $0 == 0x27 }
      place += 4
      guard rest.first == 0x23 else { continue }
      let name = rest.dropFirst().prefix { $0 != 0x29 && $0 != 0x22 && $0 != 0x27 }
      result.append(String(decoding: name, as: UTF8.self))
      place = name.endIndex
    }
    return result
  }

  /// A style without escapes and comments.
  static func plain(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(0x5C) || text.contains(0x2A) else { return text }
    var result: [UInt8] = []
    var rest = text[...]
    while let byte = rest.first {
      rest = rest.dropFirst()
      if byte == 0x2F, rest.first == 0x2A {
        while let next = rest.first, !(next == 0x2A && rest.dropFirst().first == 0x2F) {
          rest = rest.dropFirst()
        }
        rest = rest.dropFirst(2)
        continue
      }
      let digits = byte == 0x5C ? rest.prefix(6).prefix { isHexadecimal($0) } : []
      guard !digits.isEmpty else {
        if byte != 0x5C { result.append(byte) }
        continue
      }
      let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0xFFFD
      let scalar = Unicode.Scalar(code) ?? "\u{FFFD}"
      result += Array(String(Character(scalar)).utf8)
      rest = rest.dropFirst(digits.count)
      if let space = rest.first, space <= 0x20 { rest = rest.dropFirst() }
    }
    return result
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  /// The identifiers that declarations refer to: those of properties that elements have for
  /// themselves, and of others.
  static func references(_ text: [UInt8]) -> (own: [String], inherited: [String]) {
    let all = targets(text)
    guard !all.isEmpty else { return ([], []) }
    let own = text.split(separator: 0x3B).flatMap { declaration in
      layers.contains(property(of: declaration)) ? targets(Array(declaration)) : []
    }
    let names = Set(own)
    return (own, all.filter { !names.contains($0) })
  }

  /// Nanoseconds for each pixel that functions of filters take.
  static func filterTime(_ text: [UInt8]) -> Int {
    guard text.contains(0x28) else { return 0 }
    return text.indices.reduce(0) { time, place in
      let isSlow =
        text.span.has("blur(", at: place, ignoringCase: true)
        || text.span.has("drop-shadow(", at: place, ignoringCase: true)
      return isSlow ? time + 300 : time
    }
  }

  /// Refuses style sheets in addresses, which would not be looked at.
  static func checkImports(
    _ text: ArraySlice<UInt8>,
    of keyword: String
  ) throws(DecodeError) {
    let words = String(decoding: text, as: UTF8.self).lowercased()
    guard words.contains(keyword), words.contains("data:") else { return }
    throw .unsupported(.svg, feature: "an embedded style sheet in an address")
  }

  private static func property(of declaration: ArraySlice<UInt8>) -> String {
    let name = declaration.drop { $0 <= 0x20 }.prefix { $0 != 0x3A && $0 > 0x20 }
    return String(decoding: name, as: UTF8.self).lowercased()
  }

  /// Whether declarations have an element drawn on a layer of its own.
  static func hasLayer(_ text: [UInt8]) -> Bool {
    let declarations = text.split(separator: 0x3B)
    return declarations.contains { declaration in
      let name = property(of: declaration)
      let value = declaration.drop { $0 != 0x3A }.dropFirst()
      return layers.contains(name) && makesLayer(name, value)
    }
  }

  /// The properties that may have an element drawn on a layer of its own.
  static let layers: Set = [
    "opacity", "mask", "filter", "clip-path", "mix-blend-mode", "isolation",
  ]

  /// Whether the value of one of these properties does.
  static func makesLayer(_ property: String, _ value: ArraySlice<UInt8>) -> Bool {
    let word = String(decoding: value.drop { $0 <= 0x20 }.prefix { $0 > 0x20 }, as: UTF8.self)
    return !["", "1", "1.0", "100%", "none", "normal", "auto", "inherit"].contains(word)
  }

  /// The largest of one or two numbers, across and down.
  static func largestNumber(_ value: [UInt8]) -> Int {
    let parts = value.split { $0 <= 0x20 || $0 == 0x2C }
    return parts.map { number(Array($0)) }.max() ?? 0
  }

  /// The first number of a value, its fraction cut off; 0 for none.
  static func number(_ value: [UInt8]) -> Int {
    let text = value.drop { $0 <= 0x20 }.prefix { $0 > 0x20 && $0 != 0x2C }
    let number = Double(String(decoding: text, as: UTF8.self)) ?? 0
    return number >= 1e6 ? 1_000_000 : number > 0 ? Int(number) : 0
  }
}
#endif
