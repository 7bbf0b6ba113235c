/// A variable of the environment that the service cannot start with.
struct SettingsError: Error, Sendable, Hashable {
  /// Its name, with the prefix that it was found with.
  let variable: String
  /// Its value, but of none that is secret.
  let value: String
  /// What it may be.
  let expected: String
}

extension SettingsError: CustomStringConvertible {
  /// One sentence that says what to do.
  var description: String { "\(variable) is “\(value)”; expected: \(expected)" }
}
