/// The type of the file that was recognized last.
///
/// A list asks each of its codecs about one file, and there are as many as ImageIO has types: the
/// prefix is shown to ImageIO once.
package struct RecognizedPrefix: Sendable {
  /// The most bytes that ImageIO is shown.
  package static let byteLimit = 4096

  private var prefix: [UInt8] = []
  private var type: String?

  package init() {}

  /// The type of a file that begins like this, nil inside for none; nil when it was not the last.
  package func type(of prefix: [UInt8]) -> String?? {
    !prefix.isEmpty && prefix == self.prefix ? .some(type) : nil
  }

  /// Remembers the type of a file, which may have none.
  package mutating func remember(_ type: String?, of prefix: [UInt8]) {
    (self.prefix, self.type) = (prefix, type)
  }
}
