/// The secret that a disk cache is encrypted with: 32 bytes that nobody can guess.
public struct EncryptionKey: Sendable, Hashable {
  /// A key has to have 32 bytes.
  public struct WrongLength: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes there were.
    public let byteCount: Int

    /// One sentence that says what failed and what to do.
    public var description: String {
      "An encryption key of \(byteCount) bytes is of no use; give 32 random bytes."
    }
  }

  let bytes: [UInt8]

  /// Takes 32 bytes, which have to come from a random generator and not from a password.
  public init(_ bytes: [UInt8]) throws(WrongLength) {
    guard bytes.count == 32 else { throw WrongLength(byteCount: bytes.count) }
    self.bytes = bytes
  }

  private init(random generator: inout SystemRandomNumberGenerator) {
    bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// A new key from the system's random numbers.
  public static func random() -> EncryptionKey {
    var generator = SystemRandomNumberGenerator()
    return EncryptionKey(random: &generator)
  }

  /// Lends the key's bytes, to be kept in a safe place.
  public func withBytes<R, E: Error>(_ body: ([UInt8]) throws(E) -> R) throws(E) -> R {
    try body(bytes)
  }
}

extension EncryptionKey: CustomStringConvertible, CustomReflectable {
  /// Never the key itself, which would end up in a log.
  public var description: String { "EncryptionKey" }

  /// Shows nothing of the key.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
