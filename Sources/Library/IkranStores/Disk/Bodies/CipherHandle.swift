#if canImport(CCrypto) && !canImport(CryptoKit)
import CCrypto

// Decision 15: libcrypto encrypts.
/// AES-256-GCM and HMAC-SHA-256, as libcrypto has them.
enum SealedText {
  /// HMAC-SHA-256 of a text, 32 bytes.
  ///
  /// C function: `HMAC`.
  static func code(
    _ text: [UInt8],
    _ key: [UInt8]
  ) throws(DiskCacheError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 0
    guard
      HMAC(EVP_sha256(), key, CInt(key.count), text, text.count, &code, &count) != nil,
      count == 32
    else { throw .cipher(reason: "HMAC-SHA-256 is missing") }
    return code
  }

  /// The nonce, the encrypted text and the tag.
  static func seal(
    _ text: [UInt8],
    _ context: [UInt8],
    key: [UInt8],
    nonce: [UInt8]
  ) throws(DiskCacheError) -> [UInt8] {
    try CipherHandle.start(key: key, nonce: nonce, encrypts: true).seal(text, context, nonce)
  }

  /// The text of what ``seal(_:_:key:nonce:)`` returned; nil when the tag does not fit.
  static func open(
    _ sealed: [UInt8],
    _ context: [UInt8],
    key: [UInt8]
  ) throws(DiskCacheError) -> [UInt8]? {
    let nonce = Array(sealed.prefix(Cipher.nonceSize))
    return try CipherHandle.start(key: key, nonce: nonce, encrypts: false).open(sealed, context)
  }
}

/// One encryption or decryption in progress.
private struct CipherHandle: ~Copyable {
  /// OpenSSL counts in 32 bits; this is a whole number of AES blocks.
  private static let stride = 1 << 30

  private let raw: OpaquePointer

  /// C functions: `EVP_CIPHER_CTX_new`, `EVP_CipherInit_ex`.
  static func start(
    key: [UInt8],
    nonce: [UInt8],
    encrypts: Bool
  ) throws(DiskCacheError) -> CipherHandle {
    guard let raw = EVP_CIPHER_CTX_new() else { throw .cipher(reason: "there is no memory") }
    let handle = CipherHandle(raw)
    guard EVP_CipherInit_ex(raw, EVP_aes_256_gcm(), nil, key, nonce, encrypts ? 1 : 0) == 1 else {
      throw .cipher(reason: "AES-256-GCM is missing")
    }
    return handle
  }

  private init(_ raw: OpaquePointer) { self.raw = raw }

  /// C function: `EVP_CIPHER_CTX_free`, which wipes the key.
  deinit { EVP_CIPHER_CTX_free(raw) }

  /// The nonce, the encrypted text and the tag.
  ///
  /// C functions: `EVP_CipherUpdate`, `EVP_CipherFinal_ex`, `EVP_CIPHER_CTX_ctrl`.
  func seal(
    _ text: [UInt8],
    _ context: [UInt8],
    _ nonce: [UInt8]
  ) throws(DiskCacheError) -> [UInt8] {
    let size = text.count + nonce.count + Cipher.tagSize
    var isDone = false
    let sealed = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      // The buffer holds the nonce, the text and the tag, in this order.
      guard let start = buffer.baseAddress else { return }
      start.update(from: nonce, count: nonce.count)
      let middle = start + nonce.count
      var rest: CInt = 0
      isDone =
        text.withUnsafeBufferPointer { run($0, context, into: middle) }
        && EVP_CipherFinal_ex(raw, middle + text.count, &rest) == 1 && rest == 0
        && EVP_CIPHER_CTX_ctrl(
          raw,
          EVP_CTRL_AEAD_GET_TAG,
          CInt(Cipher.tagSize),
          middle + text.count
        ) == 1
      filled = isDone ? size : 0
    }
    guard isDone else { throw .cipher(reason: "AES-256-GCM could not encrypt") }
    return sealed
  }

  /// The text, or nil when the tag does not fit.
  ///
  /// C functions: `EVP_CIPHER_CTX_ctrl`, `EVP_CipherUpdate`, `EVP_CipherFinal_ex`.
  func open(_ sealed: [UInt8], _ context: [UInt8]) throws(DiskCacheError) -> [UInt8]? {
    var tag = Array(sealed.suffix(Cipher.tagSize))
    guard
      EVP_CIPHER_CTX_ctrl(raw, EVP_CTRL_AEAD_SET_TAG, CInt(Cipher.tagSize), &tag) == 1
    else { throw .cipher(reason: "AES-256-GCM could not decrypt") }
    let size = sealed.count - Cipher.nonceSize - Cipher.tagSize
    var isRight = false
    // One byte more, so that the buffer has an address even for an empty text.
    let text = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, filled in
      guard let start = buffer.baseAddress else { return }
      var rest: CInt = 0
      isRight = sealed.withUnsafeBufferPointer { sealed in
        let middle = UnsafeBufferPointer(
          rebasing: sealed[Cipher.nonceSize..<Cipher.nonceSize + size]
        )
        return run(middle, context, into: start)
          && EVP_CipherFinal_ex(raw, start + size, &rest) == 1 && rest == 0
      }
      filled = isRight ? size : 0
    }
    return isRight ? text : nil
  }

  /// Feeds the context, then encrypts or decrypts `input` into `output`, which is as large.
  private func run(
    _ input: UnsafeBufferPointer<UInt8>,
    _ context: [UInt8],
    into output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    var count: CInt = 0
    guard EVP_CipherUpdate(raw, nil, &count, context, CInt(context.count)) == 1 else {
      return false
    }
    var done = 0
    while done < input.count, let start = input.baseAddress {
      let next = min(Self.stride, input.count - done)
      guard EVP_CipherUpdate(raw, output + done, &count, start + done, CInt(next)) == 1,
        Int(count) == next
      else { return false }
      done += next
    }
    return true
  }
}
#endif
