extension Filter {
  /// The canonical text: equal filters have equal keys, on every run and every machine.
  ///
  /// ``init(parsing:)`` reads it back, except for filters with pictures or tables, whose key
  /// has a digest of them, and for filters of your own, which are `custom:NAME@VERSION` and their
  /// parameters, percent-escaped.
  public var key: String {
    switch kind {
    case .standard(let definition, let values):
      let mark = definition.version == 1 ? "" : "@\(definition.version)"
      let texts = zip(definition.parameters, values).map { "\($0.name)=\($1)" }
      return definition.name + mark + (texts.isEmpty ? "" : ":" + texts.joined(separator: ","))
    case .custom(let filter):
      let name = PercentEncoding.encoded(filter.name, keeping: "-._~")
      let parameters = PercentEncoding.encoded(filter.parameters, keeping: "-._~")
      return "custom:\(name)@\(filter.version)" + (parameters.isEmpty ? "" : ":\(parameters)")
    }
  }

  /// Reads a filter from text such as `grayed`, `blur:4` or `blur:radius=4`.
  ///
  /// It is `NAME` or `NAME:value` or `NAME:key=value,key=value`; a value without a key is that of the first
  /// parameter. Numbers are plain decimals, colours `#RRGGBB` or `#RRGGBBAA`, lists have `/` between
  /// their numbers. Parameters that are not named have their defaults.
  ///
  /// - Throws: ``FilterError/unknownFilter(text:part:)`` with the part that is wrong; filters with
  ///   a picture or a table throw, too.
  public init(parsing text: String) throws(FilterError) {
    try self.init(parsing: text) { (_: String, _: FilterFile) throws(FilterError) in nil }
  }

  /// Reads a filter whose pictures and tables `open` reads from the paths in the text.
  ///
  /// - Throws: ``FilterError``.
  package init(
    parsing text: String,
    opening open: (String, FilterFile) throws(FilterError) -> FilterFile.Content?
  ) throws(FilterError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let words = parts[0].split(separator: "@", omittingEmptySubsequences: false)
    guard let name = words.first, let definition = FilterCatalogue.named(name),
      words.count == 1 || words.count == 2 && words[1] == "\(definition.version)"
    else { throw .unknownFilter(text: text, part: String(parts[0])) }
    var values = definition.parameters.map(\.standard)
    let written = parts.count > 1 ? parts[1].split(separator: ",") : []
    for (index, word) in written.enumerated() {
      let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let key = pair.count == 2 ? String(pair[0]) : index == 0 ? definition.firstName : nil
      guard let place = definition.parameters.firstIndex(where: { $0.name == key }) else {
        throw .unknownFilter(text: text, part: String(word))
      }
      let parameter = definition.parameters[place]
      guard
        let value = try parameter.read(pair[pair.count - 1], for: definition, opening: open)
      else { throw .unknownFilter(text: text, part: String(word)) }
      values[place] = parameter.clamped(value)
    }
    guard let missing = zip(definition.parameters, values).first(where: { $1 == nil }) else {
      self.init(definition: definition, values: values.compactMap { $0 })
      return
    }
    throw .unknownFilter(text: text, part: "\(missing.0.name)= is missing")
  }
}

/// What a filter reads from a file.
package enum FilterFile: Sendable {
  case picture, cube

  /// What was read.
  package enum Content: Sendable {
    case picture(Bitmap)
    case bytes([UInt8])
  }
}

extension FilterDefinition {
  fileprivate var firstName: String? { parameters.first?.name }
}

extension FilterParameter {
  /// Reads a value; nil when it is none.
  fileprivate func read(
    _ text: Substring,
    for definition: FilterDefinition,
    opening open: (String, FilterFile) throws(FilterError) -> FilterFile.Content?
  ) throws(FilterError) -> FilterValue? {
    switch kind {
    case .number: return decimal(text).map { .number($0) }
    case .color: return Color(hexadecimal: text).map { .color($0) }
    case .word(let words):
      return words.first { $0.lowercased() == text.lowercased() }.map { .word($0) }
    case .list(_, let count):
      let words = text.split(separator: "/", omittingEmptySubsequences: false)
      let numbers = words.compactMap { decimal($0) }
      return numbers.count == words.count && count.contains(words.count) ? .list(numbers) : nil
    case .image:
      guard case .picture(let picture) = try open(String(text), .picture) else { return nil }
      return .image(FilterImage(picture))
    case .table:
      return try table(String(text), for: definition, opening: open).map { .table($0) }
    }
  }

  private func table(
    _ path: String,
    for definition: FilterDefinition,
    opening open: (String, FilterFile) throws(FilterError) -> FilterFile.Content?
  ) throws(FilterError) -> LookupTable? {
    switch try open(path, definition === FilterDefinition.cube ? .cube : .picture) {
    case .bytes(let bytes): return try LookupTable(cube: bytes)
    case .picture(let picture):
      guard definition !== FilterDefinition.lookup512 || picture.width == 512 else {
        throw .invalidTable(reason: "\(picture.width) pixels wide; lookup512 takes 512 × 512")
      }
      return try LookupTable(image: picture)
    case nil: return nil
    }
  }
}

/// A plain decimal with an optional sign, without an exponent.
private func decimal(_ text: Substring) -> Double? {
  let digits = text.first == "-" ? text.dropFirst() : text
  let isPlain = digits.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E }
  return isPlain && text.utf8.count <= 32 ? Double(text) : nil
}

extension FilterValue: CustomStringConvertible {
  /// The canonical text of the value.
  var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .color(let color): color.hexadecimal
    case .word(let word): word
    case .list(let numbers): numbers.map(\.description).joined(separator: "/")
    case .image(let image): "\(image.digest)"
    case .table(let table): table.digest
    }
  }
}
