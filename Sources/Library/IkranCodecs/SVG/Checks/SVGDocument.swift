#if SVG
import IkranPixels

/// The markup of an SVG file as far as it must be known before librsvg draws it.
///
/// librsvg cannot be stopped: what a document would cost is estimated, and too much is refused.
struct SVGDocument {
  /// An element.
  struct Element {
    let name: String
    /// How far its descendants reach, exclusive.
    var end: Int
    /// How many elements it lies in.
    var depth: Int
    /// How many of them are drawn on a layer of their own.
    var layersBelow: Int
    /// Whether it is drawn on such a layer.
    var hasLayer: Bool
    /// Whether it is drawn only where another element refers to it.
    var isDefinition: Bool
    /// The identifiers that it refers to.
    var references: [String] = []
    /// Those that the elements in it may refer to, too, unless they say otherwise.
    var inherited: [String] = []
    /// Whether it is drawn, or may be.
    var isDrawn = true
    /// Nanoseconds for each pixel, at most, apart from what its shape takes.
    var pixelTime = 0
    /// How often a marker may be drawn on it.
    var corners = 1
    /// Nanoseconds that it takes at any size.
    var fixedTime = 0
  }

  /// In the order of their start tags.
  private(set) var elements: [Element] = []
  /// Where the identifiers are.
  private(set) var identifiers: [String: Int] = [:]
  /// The start tag of the root.
  private(set) var root: (name: Range<Int>, end: Int)?
  /// The elements that are open where the text ends, the root first.
  private(set) var open: [Range<Int>] = []
  /// Where the last complete piece of markup ends.
  private(set) var end = 0
  /// Whether the text ends inside the root element or before it.
  private(set) var isCut = false
  /// Text between elements of style.
  private(set) var styles: [[UInt8]] = []
  /// The elements of each class.
  private(set) var classes: [String: [Int]] = [:]

  private var entities = SVGEntities()
  private var pictures = SVGPictures()
  private var stack: [Int] = []
  /// What there is of the element of style that is open, in pieces between comments.
  private var sheet: [UInt8] = []

  /// The most elements of a document.
  static let mostElements = 200_000
  /// The most that one may lie in another, or be drawn for another: librsvg takes some 4,000 bytes
  /// of the stack for each.
  static let deepest = 128
  /// Nanoseconds for each pixel of an embedded picture each time that it is drawn.
  private static let pictureTime = 6
  /// The most references that an element has of those around it.
  private static let mostInherited = 1_024

  /// Reads all of a text, or only up to its root's start tag.
  ///
  /// - Throws: ``DecodeError``; a text that just ends is none.
  init(_ text: SVGText, rootOnly: Bool = false) throws(DecodeError) {
    var reader = XMLReader(text.bytes)
    do {
      while let token = try reader.next() {
        try read(token, reader)
        end = reader.offset
        if rootOnly, root != nil { return }
      }
      isCut = root == nil || !open.isEmpty
      try endSheet()
    } catch let fault as XMLReader.Fault {
      guard case .malformed(let offset) = fault else {
        isCut = true
        return
      }
      throw .malformed(.svg, offset: offset, reason: "its markup makes no sense")
    } catch let error as DecodeError {
      throw error
    } catch { isCut = true }
  }

  /// What is thrown for too many elements, or too deep ones.
  static var tooMany: DecodeError {
    .unsupported(.svg, feature: "more elements, or deeper ones, than can be drawn")
  }

  private mutating func read(
    _ token: XMLReader.Token,
    _ reader: XMLReader
  ) throws(DecodeError) {
    switch token {
    case .subset(let range): try entities.declare(reader.text[range])
    case .instruction(let range):
      try SVGStyle.checkImports(reader.text[range], of: "xml-stylesheet")
    case .text(let range):
      guard isInSheet(reader) else { return try entities.count(in: reader.text[range]) }
      sheet += try entities.value(reader.text[range])
    case .literal(let range): if isInSheet(reader) { sheet += reader.text[range] }
    case .end:
      if isInSheet(reader) { try endSheet() }
      if let index = stack.popLast() { elements[index].end = elements.count }
      _ = open.popLast()
    case .start(let tag): try begin(tag, reader)
    }
  }

  private func isInSheet(_ reader: XMLReader) -> Bool {
    open.last.map { reader.localName($0) == "style" } ?? false
  }

  private mutating func endSheet() throws(DecodeError) {
    guard !sheet.isEmpty else { return }
    let text = SVGStyle.plain(sheet)
    sheet = []
    try SVGStyle.checkImports(text[...], of: "@import")
    styles.append(text)
  }

  private mutating func begin(
    _ tag: XMLReader.Tag,
    _ reader: XMLReader
  ) throws(DecodeError) {
    let name = reader.localName(tag.name)
    if root == nil {
      guard name == "svg" else {
        throw .malformed(.svg, offset: tag.name.lowerBound, reason: "its root is not <svg>")
      }
      root = (tag.name, reader.offset)
    }
    guard elements.count < Self.mostElements, stack.count < Self.deepest else {
      throw Self.tooMany
    }
    // They could bring elements that are not checked.
    guard name != "include" else { throw .unsupported(.svg, feature: "XInclude") }
    var element = SVGElementReader(name)
    for attribute in tag.attributes {
      let value = try entities.value(reader.text[attribute.value])
      try element.read(reader.localName(attribute.name), value)
    }
    let before = pictures.pixels
    for picture in element.pictures { try pictures.check(picture) }
    let index = try add(element, name)
    elements[index].fixedTime += (pictures.pixels - before) * Self.pictureTime
    guard !tag.isEmpty else { return }
    stack.append(index)
    open.append(tag.name)
  }

  /// Stores an element, and returns its place.
  private mutating func add(
    _ element: SVGElementReader,
    _ tag: String
  ) throws(DecodeError) -> Int {
    let index = elements.count
    if let identifier = element.identifier, identifiers[identifier] == nil {
      identifiers[identifier] = index
    }
    for name in element.classes { classes[name, default: []].append(index) }
    let parent = stack.last.map { elements[$0] }
    // Most share their parent's.
    var inherited = parent?.inherited ?? []
    if !element.inherited.isEmpty { inherited += element.inherited }
    guard inherited.count <= Self.mostInherited else { throw Self.tooMany }
    elements.append(
      Element(
        name: tag,
        end: index + 1,
        depth: stack.count,
        layersBelow: parent.map { $0.layersBelow + ($0.hasLayer ? 1 : 0) } ?? 0,
        hasLayer: element.hasLayer,
        isDefinition: element.isDefinition,
        references: element.references,
        inherited: inherited,
        isDrawn: element.isDrawn,
        pixelTime: element.pixelTime,
        corners: element.corners,
        fixedTime: element.fixedTime
      )
    )
    return index
  }
}
#endif
