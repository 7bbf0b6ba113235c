#if SVG
/// What the attributes of one element say of the cost of drawing it.
struct SVGElementReader {
  private let name: String
  private(set) var identifier: String?
  private(set) var classes: [String] = []
  private(set) var references: [String] = []
  /// The pictures that it embeds: `data` addresses.
  private(set) var pictures: [[UInt8]] = []
  /// Whether it is drawn on a layer of its own.
  private(set) var hasLayer = false
  /// Nanoseconds for each pixel; measured with librsvg 2.54.
  private(set) var pixelTime = 0

  private static let definitions: Set = [
    "defs", "symbol", "clipPath", "mask", "pattern", "marker", "filter", "linearGradient",
    "radialGradient",
  ]
  private static let layerTime = 8

  init(_ name: String) {
    self.name = name
    switch name {
    case "feGaussianBlur", "feDropShadow": pixelTime = 300
    case "feTurbulence": pixelTime = 250
    case "feDiffuseLighting", "feSpecularLighting": pixelTime = 200
    // Nine samples for each.
    case "feConvolveMatrix": pixelTime = 200
    case "feImage", "feTile", "feMorphology": pixelTime = 100
    case _ where name.hasPrefix("fe"): pixelTime = 50
    case "mask", "pattern": pixelTime = Self.layerTime
    default: break
    }
  }

  var isDefinition: Bool { Self.definitions.contains(name) }

  /// Takes notice of an attribute, whose value has no references to characters any more.
  mutating func read(_ attribute: String, _ value: [UInt8]) throws(DecodeError) {
    switch attribute {
    case "id": identifier = String(decoding: value, as: UTF8.self)
    case "class":
      classes = value.split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }
    case "href": try readAddress(value)
    case _ where SVGStyle.layers.contains(attribute):
      if SVGStyle.makesLayer(attribute, value[...]) { addLayer() }
      references += SVGStyle.targets(value)
    case "style":
      if SVGStyle.hasLayer(value) { addLayer() }
      references += SVGStyle.targets(value)
    case "numOctaves" where name == "feTurbulence":
      pixelTime = 250 * min(max(SVGStyle.number(value), 1), 1_000_000)
    case "radius" where name == "feMorphology":
      let side = 2 * min(max(SVGStyle.number(value), 0), 40) + 1
      pixelTime = 100 + side * side
    case "order" where name == "feConvolveMatrix":
      let side = min(max(SVGStyle.number(value), 3), 1000)
      pixelTime = 20 * side * side
    default:
      if !value.isEmpty { references += SVGStyle.targets(value) }
    }
  }

  private mutating func addLayer() {
    if !hasLayer { pixelTime += Self.layerTime }
    hasLayer = true
  }

  /// An identifier in the document, a picture, or what is not opened at all.
  private mutating func readAddress(_ value: [UInt8]) throws(DecodeError) {
    let address = value.drop { $0 <= 0x20 }
    if address.first == 0x23 {
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

  /// Whether declarations have an element drawn on a layer of its own.
  static func hasLayer(_ text: [UInt8]) -> Bool {
    let declarations = text.split(separator: 0x3B)
    return declarations.contains { declaration in
      let name = declaration.drop { $0 <= 0x20 }.prefix { $0 != 0x3A && $0 > 0x20 }
      let property = String(decoding: name, as: UTF8.self).lowercased()
      let value = declaration[name.endIndex...].drop { $0 <= 0x20 || $0 == 0x3A }
      return layers.contains(property) && makesLayer(property, value)
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

  /// The first number of a value, its fraction cut off; 0 for none.
  static func number(_ value: [UInt8]) -> Int {
    let text = value.drop { $0 <= 0x20 }.prefix { $0 > 0x20 && $0 != 0x2C }
    let number = Double(String(decoding: text, as: UTF8.self)) ?? 0
    return number >= 1e6 ? 1_000_000 : number > 0 ? Int(number) : 0
  }
}
#endif
