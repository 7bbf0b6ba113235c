import CCrypto

/// The hash of signatures, by libcrypto.
enum SignatureHandle {
  /// HMAC-SHA-256 of a text, 32 bytes; nil when libcrypto does not have it.
  ///
  /// C function: `HMAC`.
  static func code(key: [UInt8], text: [UInt8]) -> [UInt8]? {
    var code = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 0
    guard
      HMAC(EVP_sha256(), key, CInt(key.count), text, text.count, &code, &count) != nil,
      count == 32
    else { return nil }
    return code
  }

  /// SHA-256 of bytes, 32 of them; nil when libcrypto does not have it.
  ///
  /// C function: `EVP_Digest`.
  static func hash(_ bytes: [UInt8]) -> [UInt8]? {
    var hash = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &hash, &count, EVP_sha256(), nil) == 1, count == 32
    else { return nil }
    return hash
  }
}
