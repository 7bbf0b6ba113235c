#if canImport(CryptoKit)
import CryptoKit
import Foundation

/// AES-256-GCM and HMAC-SHA-256, as CryptoKit has them: the same bytes as libcrypto's.
enum SealedText {
  /// HMAC-SHA-256 of a text, 32 bytes.
  static func code(_ text: [UInt8], _ key: [UInt8]) throws(DiskCacheError) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: text, using: SymmetricKey(data: key)))
  }

  /// The nonce, the encrypted text and the tag.
  static func seal(
    _ text: [UInt8],
    _ context: [UInt8],
    key: [UInt8],
    nonce: [UInt8]
  ) throws(DiskCacheError) -> [UInt8] {
    do {
      let box = try AES.GCM.seal(
        text,
        using: SymmetricKey(data: key),
        nonce: AES.GCM.Nonce(data: nonce),
        authenticating: context
      )
      return nonce + Array(box.ciphertext) + Array(box.tag)
    } catch {
      throw .cipher(reason: "AES-256-GCM could not encrypt")
    }
  }

  /// The text of what ``seal(_:_:key:nonce:)`` returned; nil when the tag does not fit.
  static func open(
    _ sealed: [UInt8],
    _ context: [UInt8],
    key: [UInt8]
  ) throws(DiskCacheError) -> [UInt8]? {
    guard let box = try? AES.GCM.SealedBox(combined: sealed) else {
      throw .cipher(reason: "AES-256-GCM could not decrypt")
    }
    let text = try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: context)
    return text.map { Array($0) }
  }
}
#endif
