/// Encryption of what a disk cache holds: AES-256-GCM, and HMAC-SHA-256 for the names.
///
/// Two keys are derived from the user's, for sealing and for hashing. A sealed text is a nonce of
/// 12 random bytes, the encrypted bytes and a tag of 16. The tag also covers the part (key, body or
/// extended data) and the entry's hash, so a sealed text is invalid under any other entry or part.
struct Cipher: Sendable {
  /// The part of an entry that a sealed text is.
  enum Part: UInt8, Sendable {
    case key = 1
    case body = 2
    case extended = 3
  }

  static let nonceSize = 12
  static let tagSize = 16

  private let sealing: [UInt8]
  private let hashing: [UInt8]

  init(_ key: EncryptionKey) throws(DiskCacheError) {
    sealing = try SealedText.code(Array("ikran disk cache 2: seal".utf8), key.bytes)
    hashing = try SealedText.code(Array("ikran disk cache 2: hash".utf8), key.bytes)
  }

  /// The hash that stands for a key in the index.
  func hash(of key: String) throws(DiskCacheError) -> UInt64 {
    try SealedText.code(Array(key.utf8), hashing).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Encrypts a text with a new nonce.
  func seal(
    _ text: [UInt8],
    _ part: Part,
    _ hash: Int64
  ) throws(DiskCacheError) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    let nonce = (0..<Self.nonceSize).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return try SealedText.seal(text, Self.context(part, hash), key: sealing, nonce: nonce)
  }

  /// Decrypts a text; nil when it is damaged, or was sealed with another key, entry or part.
  func open(
    _ sealed: [UInt8],
    _ part: Part,
    _ hash: Int64
  ) throws(DiskCacheError) -> [UInt8]? {
    guard sealed.count >= Self.nonceSize + Self.tagSize else { return nil }
    return try SealedText.open(sealed, Self.context(part, hash), key: sealing)
  }

  private static func context(_ part: Part, _ hash: Int64) -> [UInt8] {
    [part.rawValue] + (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) }
  }
}
