/// A variable of the environment that the service cannot start with.
package struct SettingsError: Error, Sendable, Hashable {
  /// Its name, with the prefix that it was found with.
  package let variable: String
  /// Its value, but of none that is secret.
  package let value: String
  /// What it may be.
  package let expected: String
}

extension SettingsError: CustomStringConvertible {
  /// One sentence that says what to do.
  package var description: String { "\(variable) is “\(value)”; expected: \(expected)" }
}
