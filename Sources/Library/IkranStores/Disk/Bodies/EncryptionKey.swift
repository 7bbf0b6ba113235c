/// The secret that a disk cache is encrypted with: 32 random bytes.
public struct EncryptionKey: Sendable, Hashable {
  let bytes: [UInt8]

  /// Takes 32 bytes, which must come from a random number generator, not from a password.
  ///
  /// - Throws: ``DiskCacheError/keyLength(byteCount:)`` for any other number of bytes.
  public init(_ bytes: [UInt8]) throws(DiskCacheError) {
    guard bytes.count == 32 else { throw .keyLength(byteCount: bytes.count) }
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

  /// Calls `body` with the key's bytes, so that they can be stored in a safe place.
  public func withBytes<R, E: Error>(_ body: ([UInt8]) throws(E) -> R) throws(E) -> R {
    try body(bytes)
  }
}

extension EncryptionKey: CustomStringConvertible, CustomReflectable {
  /// A constant: the key itself must not end up in a log.
  public var description: String { "EncryptionKey" }

  /// Empty: the key itself must not end up in a log.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
