/// The place of a change among all that this process has learned of sources: later ones are
/// greater.
///
/// Not the number of a transfer in the rules of one source's load (``SourceLoad/Transfer``): these
/// order what is known of all sources.
struct ChangeNumber: Sendable, Comparable {
  /// What earlier processes left.
  static let none = ChangeNumber(value: 0)

  let value: Int

  static func < (first: ChangeNumber, second: ChangeNumber) -> Bool { first.value < second.value }
}
