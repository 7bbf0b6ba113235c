/// What a standard filter is called, takes and does, for lists.
package struct FilterDescription: Sendable {
  package let name: String
  package let summary: String
  package let parameters: [Parameter]
  /// The filter with values that show what it does; nil where it needs a file.
  package let example: String?

  /// One of its parameters.
  package struct Parameter: Sendable {
    /// What its value is.
    package enum Kind: String, Sendable {
      case number, color, choice, list, picture, table
    }

    package let name: String
    package let kind: Kind
    /// What a number may be, and each number of a list.
    package let range: ClosedRange<Double>?
    /// The words of a choice.
    package let choices: [String]
    /// Its canonical text; nil when a value must be given.
    package let defaultValue: String?
  }

  /// All standard filters.
  package static let all = FilterCatalogue.all.map(FilterDescription.init)

  init(_ definition: FilterDefinition) {
    name = definition.name
    summary = definition.summary
    parameters = definition.parameters.map(Parameter.init)
    example =
      if let values = FilterCatalogue.examples[definition.name] {
        "\(definition.name):\(values)"
      } else if definition.parameters.contains(where: { $0.defaultValue == nil }) {
        nil
      } else { definition.name }
  }
}

extension FilterDescription.Parameter {
  init(_ parameter: FilterParameter) {
    name = parameter.name
    defaultValue = parameter.defaultValue?.description
    switch parameter.kind {
    case .number(let range): (kind, self.range, choices) = (.number, range, [])
    case .color: (kind, range, choices) = (.color, nil, [])
    case .word(let words): (kind, range, choices) = (.choice, nil, words)
    case .list(let range, _): (kind, self.range, choices) = (.list, range, [])
    case .points: (kind, range, choices) = (.list, 0...1, [])
    case .image: (kind, range, choices) = (.picture, nil, [])
    case .table: (kind, range, choices) = (.table, nil, [])
    }
  }
}
