/// A header field.
public struct Field: Sendable, Hashable {
  /// The name, as it was sent.
  public let name: String
  /// The value.
  public let value: String

  /// Creates a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
