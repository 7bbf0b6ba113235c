extension Filter {
  /// The canonical text: equal filters have equal keys, on every run and every machine.
  ///
  /// ``init(parsing:)`` reads it back, except for filters with pictures or tables, whose key
  /// has a digest of them, and for custom filters, which are `custom:NAME@VERSION` and their
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
  /// It is `NAME` or `NAME:value` or `NAME:key=value,key=value`; a first value without a key is
  /// that of the first parameter. Numbers are plain decimals, colours `#RRGGBB` or `#RRGGBBAA`,
  /// lists have `/` between their numbers; a value with a comma or an equals sign is in double
  /// quotes. Parameters that are not named have their defaults.
  ///
  /// - Throws: ``FilterError/invalidText(_:part:reason:)`` with the part that is wrong; filters
  ///   with a picture or a table throw, too.
  public init(parsing text: String) throws(FilterError) {
    try self.init(parsing: text) { (_: String, _: FilterFile) throws(FilterError) in nil }
  }

  /// Reads a filter whose pictures and tables `open` reads from the paths in the text.
  ///
  /// - Throws: ``FilterError``.
  package init(
    parsing text: String,
    opening open: @escaping (String, FilterFile) throws(FilterError) -> FilterFile.Content?
  ) throws(FilterError) {
    let reader = FilterReader(text: text, open: open)
    let (definition, values) = try reader.filter()
    self.init(definition: definition, values: values)
  }
}
