import Ikran
import IkranPixels

/// `ikran filters`: the grammar of filters, or one picture with all of them.
struct FiltersCommand: Command {
  var isJSON = false
  var sheet: Input?
  var destination = Destination(takesFormat: false)

  static let syntax = Syntax<Self>(
    name: "filters",
    summary: "Prints the filters and their parameters.",
    options: [
      .flag("json", \.isJSON, "prints them as JSON"),
      .one("sheet", \.sheet, "PHOTO", .input, "draws this picture with every filter"),
      .one("output", short: "o", \.destination.path, "PATH", .fileName, "writes the sheet there"),
    ],
    notes: [
      """
      A filter is NAME, or NAME:VALUE for its first parameter, or NAME:KEY=VALUE,KEY=VALUE. Numbers
      out of range count as the nearest in it. Lengths are points, multiplied by --scale.
      JSON: an array of name, summary, example and parameters (name, kind, minimum, maximum, choices,
      default).
      """
    ]
  )

  func check(_ output: Output) throws(UsageError) {
    guard sheet != nil else {
      if destination.path == nil { return }
      throw UsageError(reason: "-o needs --sheet PHOTO", command: "filters")
    }
    guard destination.path != nil else {
      throw UsageError(reason: "-o PATH is missing", command: "filters")
    }
    if isJSON {
      throw UsageError(reason: "--json and --sheet exclude each other", command: "filters")
    }
    try destination.check(output, command: "filters")
  }

  func run(_ output: Output) async throws -> Int32 {
    if let sheet {
      let bytes = try await sheet.bytes()
      let drawn = try await Computation.value {
        let movie = try Movie(bytes, name: sheet.name)
        return try FilterSheet.draw(try movie.picture(0, fitting: .cover(FilterSheet.cell)))
      }
      try destination.write(drawn, output)
    } else if isJSON {
      try output.report(.array(FilterDescription.all.map(\.json)), asJSON: true)
    } else {
      for filter in FilterDescription.all { try output.line(filter.text) }
    }
    return 0
  }
}

extension FilterDescription {
  /// The name and what it does, then a line for each parameter.
  fileprivate var text: String {
    let column = 18
    let name = name + String(repeating: " ", count: max(1, column - name.count))
    let rows = parameters.map { parameter in
      let label = "  " + parameter.name
      let value = parameter.defaultValue.map { "default \($0)" } ?? "required"
      return label + String(repeating: " ", count: max(1, column - label.count))
        + "\(parameter.values) (\(value))"
    }
    return ([name + summary] + rows).joined(separator: "\n")
  }

  fileprivate var json: JSON {
    [
      "name": .string(name), "summary": .string(summary),
      "example": .string(orNull: example),
      "parameters": .array(parameters.map(\.json)),
    ]
  }
}

extension FilterDescription.Parameter {
  fileprivate var values: String {
    let bounds = range.map { "\(plain($0.lowerBound))…\(plain($0.upperBound))" }
    switch kind {
    case .number: return bounds ?? ""
    case .color: return "#RRGGBB[AA]"
    case .choice: return choices.joined(separator: "|")
    case .list: return "N/N/…, each \(bounds ?? "")"
    case .picture, .table: return "PATH of a \(kind.rawValue)"
    }
  }

  fileprivate var json: JSON {
    [
      "name": .string(name), "kind": .string(kind.rawValue),
      "minimum": range.map { .number($0.lowerBound) } ?? .null,
      "maximum": range.map { .number($0.upperBound) } ?? .null,
      "choices": choices.isEmpty ? .null : .array(choices.map { .string($0) }),
      "default": .string(orNull: defaultValue),
    ]
  }

  private func plain(_ number: Double) -> String {
    number == number.rounded() ? String(Int(number)) : String(number)
  }
}
