/// A standard filter: its name, its parameters and what it does with them.
final class FilterDefinition: Sendable {
  let name: String
  /// What it does, in one line.
  let summary: String
  let version: Int
  let parameters: [FilterParameter]
  /// Values with which nothing changes, by parameter; those that are not named may be any.
  let neutral: [String: FilterValue]
  private let steps: @Sendable (FilterArguments) throws(FilterError) -> [FilterStep]

  init(
    _ name: String,
    _ summary: String,
    version: Int = 1,
    _ parameters: [FilterParameter],
    neutral: [String: FilterValue] = [:],
    steps: @escaping @Sendable (FilterArguments) throws(FilterError) -> [FilterStep]
  ) {
    self.name = name
    self.summary = summary
    self.version = version
    self.parameters = parameters
    self.neutral = neutral
    self.steps = steps
  }

  /// Refuses numbers that are not finite.
  func check(_ values: [FilterValue]) throws(FilterError) {
    for (parameter, value) in zip(parameters, values) where !value.isFinite {
      throw .notFinite(filter: name, parameter: parameter.name)
    }
  }

  /// The steps for these values at a scale; none where nothing changes.
  func steps(_ values: [FilterValue], scale: Double) throws(FilterError) -> [FilterStep] {
    try check(values)
    let isNeutral = zip(parameters, values).allSatisfy { parameter, value in
      neutral[parameter.name].map { $0 == value } ?? true
    }
    if isNeutral, !neutral.isEmpty { return [] }
    return try steps(FilterArguments(values: values, scale: scale))
  }
}
