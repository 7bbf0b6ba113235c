extension Style {
  /// The syntax of ``init(parsing:)``, for help texts.
  public static let grammar =
    "auto, original, rect:WxH, rounded:WxH,r=R[,b=W][,bc=#RRGGBB[AA]], "
    + "circle:D[,b=W][,bc=#RRGGBB[AA]], fit:WxH[,shrink], fit:Wx[,shrink], fit:xH[,shrink], "
    + "cover:WxH[,shrink], fill:WxH or region:WxH,x=X,y=Y,w=W,h=H[,isolated], each with [+FILTER]…"

  /// What a style's text begins with.
  package static let names = [
    "auto", "original", "rect", "rounded", "circle", "fit", "cover", "fill", "region",
  ]

  /// The canonical text: equal styles have equal keys, on every run and every machine.
  ///
  /// ``init(parsing:)`` reads it back, except for freeform styles, which are
  /// `freeform:NAME@VERSION` with the name percent-escaped.
  ///
  /// Filters follow after a `+` each.
  public var key: String {
    filters.isEmpty ? shapeKey : ([shapeKey] + filters.map(\.key)).joined(separator: "+")
  }

  private var shapeKey: String {
    switch shape {
    case .automatic: "auto"
    case .original: "original"
    case .rectangle(let width, let height): "rect:\(width)x\(height)"
    case .rounded(let width, let height, let radius, let border):
      "rounded:\(width)x\(height),r=\(radius)\(border?.text ?? "")"
    case .circle(let diameter, let border): "circle:\(diameter)\(border?.text ?? "")"
    case .fit(let box): "\(box.isCovered ? "cover" : "fit"):\(box.text)"
    case .fill(let width, let height): "fill:\(width)x\(height)"
    case .region(let region, let width, let height, let isIsolated):
      "region:\(width)x\(height),x=\(region.x),y=\(region.y)"
        + ",w=\(region.size.width),h=\(region.size.height)\(isIsolated ? ",isolated" : "")"
    case .freeform(let transform):
      "freeform:\(PercentEncoding.encoded(transform.name, keeping: "-._~"))@\(transform.version)"
    }
  }

  /// Reads a style from text such as `circle:96` or `rounded:96x96,r=12,b=2,bc=#FFFFFF80`.
  ///
  /// Lengths are plain decimals; sizes must be above zero. See ``grammar``. Filters may follow, as
  /// in `circle:96+grayed+blur:4`.
  ///
  /// - Throws: ``StyleError/unknownStyle(text:part:)`` with the part that is invalid, and
  ///   ``StyleError/invalidSize(style:scale:)`` for a side of a million points or more.
  public init(parsing text: String) throws(StyleError) {
    let parts = text.split(separator: "+", omittingEmptySubsequences: false)
    var filters: [Filter] = []
    for part in parts.dropFirst() {
      do { filters.append(try Filter(parsing: String(part))) } catch { throw .filter(error) }
    }
    self = try Style(parsingShape: String(parts[0])).filtered(filters)
  }

  private init(parsingShape text: String) throws(StyleError) {
    let sizeless: [String: Style] = ["auto": .automatic, "original": .original]
    if let style = sizeless[text] {
      self = style
      return
    }
    var reader = StyleReader(text)
    let name = reader.name()
    switch name {
    case "rect":
      let (width, height) = try reader.size()
      self.init(.rectangle(width, height))
    case "rounded":
      let (width, height) = try reader.size()
      let radius = try reader.requiredLength("r")
      let border = try reader.border()
      self.init(.rounded(width, height, radius: radius, border))
    case "circle":
      let diameter = try reader.diameter()
      let border = try reader.border()
      self.init(.circle(diameter, border))
    case "fit":
      let (width, height) = try reader.openSize()
      let enlarges = !reader.word("shrink")
      self.init(.fit(Style.Box(width: width, height: height, enlarges: enlarges)))
    case "cover":
      let (width, height) = try reader.size()
      let enlarges = !reader.word("shrink")
      let box = Style.Box(width: width, height: height, enlarges: enlarges, isCovered: true)
      self.init(.fit(box))
    case "fill":
      let (width, height) = try reader.size()
      self.init(.fill(width, height))
    case "region":
      let (width, height) = try reader.size()
      let region = try reader.region()
      self.init(.region(region, width, height, isolated: reader.word("isolated")))
    default: throw .unknownStyle(text: text, part: name)
    }
    try reader.end()
  }
}

extension Style: CustomStringConvertible {
  /// The style's ``key``.
  public var description: String { key }
}

extension Style.Border {
  fileprivate var text: String { ",b=\(thickness)" + (color.map { ",bc=\($0.hexadecimal)" } ?? "") }
}

extension Style.Box {
  fileprivate var text: String {
    let sides = [width, height].map { $0.map(\.description) ?? "" }
    return sides.joined(separator: "x") + (enlarges ? "" : ",shrink")
  }
}

/// Parses a style's text from left to right.
private struct StyleReader {
  private let text: String
  private var parts: ArraySlice<Substring>
  private let head: (name: Substring, size: Substring?)

  init(_ text: String) {
    self.text = text
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let first = parts.first ?? ""
    let sides = first.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    head = (sides[0], sides.count == 2 ? sides[1] : nil)
    self.parts = parts.dropFirst()
  }

  func name() -> String { String(head.name) }

  func size() throws(StyleError) -> (Points, Points) {
    let sides = (head.size ?? "").split(separator: "x", omittingEmptySubsequences: false)
    try checkLength(of: sides)
    guard sides.count == 2, let width = Points(parsing: sides[0]), width.isPositive,
      let height = Points(parsing: sides[1]), height.isPositive
    else { throw unknown(head.size ?? head.name) }
    return (width, height)
  }

  /// A size of which one side may be missing.
  func openSize() throws(StyleError) -> (Points?, Points?) {
    let sides = (head.size ?? "").split(separator: "x", omittingEmptySubsequences: false)
    try checkLength(of: sides)
    let lengths = sides.map { $0.isEmpty ? nil : Points(parsing: $0) }
    guard sides.count == 2, lengths.contains(where: { $0 != nil }),
      zip(sides, lengths).allSatisfy({ $0.isEmpty || $1?.isPositive == true })
    else { throw unknown(head.size ?? head.name) }
    return (lengths[0], lengths[1])
  }

  func diameter() throws(StyleError) -> Points {
    try checkLength(of: [head.size ?? ""])
    guard let diameter = Points(parsing: head.size ?? ""), diameter.isPositive else {
      throw unknown(head.size ?? head.name)
    }
    return diameter
  }

  /// Refuses numbers that are too long to be those of points; what else is wrong is left to who
  /// reads them.
  private func checkLength(of sides: [Substring]) throws(StyleError) {
    let isNumber = sides.allSatisfy {
      $0.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E }
    }
    guard isNumber, sides.contains(where: { $0.prefix { $0 != "." }.utf8.count > 6 }) else {
      return
    }
    throw .invalidSize(style: text, scale: 1)
  }

  /// Whether the next part is this word, which is then read.
  mutating func word(_ word: String) -> Bool {
    guard parts.first == word[...] else { return false }
    parts = parts.dropFirst()
    return true
  }

  mutating func requiredLength(_ name: String) throws(StyleError) -> Points {
    guard let length = try length(name) else { throw unknown(parts.first ?? head.name) }
    return length
  }

  mutating func border() throws(StyleError) -> Style.Border? {
    guard let width = try length("b") else { return nil }
    var paint: Color?
    if let written = value("bc") {
      guard let read = Color(hexadecimal: written) else { throw unknown(written) }
      paint = read
    }
    return width.isZero ? nil : Style.Border(width.value, color: paint)
  }

  mutating func region() throws(StyleError) -> PixelRectangle {
    let (x, y) = (try pixels("x"), try pixels("y"))
    return PixelRectangle(x: x, y: y, width: try pixels("w"), height: try pixels("h"))
  }

  func end() throws(StyleError) {
    if let part = parts.first { throw unknown(part) }
  }

  private mutating func length(_ name: String) throws(StyleError) -> Points? {
    guard let written = value(name) else { return nil }
    guard let length = Points(parsing: written) else { throw unknown(written) }
    return length
  }

  /// A whole number as the key has it: digits, of which the first is no idle zero.
  private mutating func pixels(_ name: String) throws(StyleError) -> Int {
    let part = parts.first ?? head.name
    guard let written = value(name), let number = Int(written), number >= 0,
      String(number) == written
    else { throw unknown(part) }
    return number
  }

  private mutating func value(_ name: String) -> Substring? {
    guard let part = parts.first, part.hasPrefix(name + "=") else { return nil }
    parts = parts.dropFirst()
    return part.dropFirst(name.count + 1)
  }

  private func unknown(_ part: Substring) -> StyleError {
    .unknownStyle(text: text, part: String(part))
  }
}
