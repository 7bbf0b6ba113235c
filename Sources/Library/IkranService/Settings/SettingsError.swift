/// A variable of the environment that the service cannot start with.
package struct SettingsError: Error, Sendable, Hashable {
  /// Its name, with the prefix that it was found with.
  package var variable: String
  /// Its value, but of none that is secret.
  package let value: String
  /// What it may be.
  package let expected: String
  /// Others that the service cannot start with either.
  package var others: [SettingsError] = []
}

extension SettingsError {
  /// This error with other names for variables, such as those of a program's options.
  package func naming(_ names: [String: String]) -> SettingsError {
    var error = self
    error.variable = names.reduce(variable) { $0.replacing($1.key, with: $1.value) }
    error.others = others.map { $0.naming(names) }
    return error
  }
}

extension SettingsError: CustomStringConvertible {
  /// One sentence that says what to do.
  package var description: String {
    (["\(variable) is “\(value)”; expected: \(expected)"] + others.map(\.description))
      .joined(separator: "; and ")
  }
}
