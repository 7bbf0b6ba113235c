/// The type of the file that was recognized last.
///
/// A list asks each of its codecs about one file, and there are as many as ImageIO has types: the
/// beginning is shown to ImageIO once.
package struct KnownBeginning: Sendable {
  /// The most bytes that ImageIO is shown.
  package static let mostBytes = 4096

  private var beginning: [UInt8] = []
  private var type: String?

  package init() {}

  /// The type of a file that begins like this, nil inside for none; nil when it was not the last.
  package func type(of beginning: [UInt8]) -> String?? {
    !beginning.isEmpty && beginning == self.beginning ? .some(type) : nil
  }

  /// Remembers the type of a file, which may have none.
  package mutating func remember(_ type: String?, of beginning: [UInt8]) {
    (self.beginning, self.type) = (beginning, type)
  }
}
