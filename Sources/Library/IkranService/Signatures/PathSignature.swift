import IkranSystem

/// Checks that a path comes from a program that knows one of the keys.
struct PathSignature: Sendable {
  /// Shared by all copies.
  private let pairs: Guarded<[KeySettings.Pair]>
  private let signatureSize: Int
  private let trusted: Set<[UInt8]>

  init(_ settings: KeySettings) {
    pairs = Guarded(settings.pairs)
    signatureSize = settings.signatureSize
    trusted = Set(settings.trusted.map { Array($0.utf8) })
  }

  /// Checks with other keys from the next path on; those that are checked now have the old ones.
  func use(_ pairs: [KeySettings.Pair]) { self.pairs.withLock { $0 = pairs } }

  /// Throws unless the signature is that of the path, which begins with `/`.
  ///
  /// Without keys any text is a signature, but none with a colon: that is an option whose path has
  /// no signature.
  func check(_ signature: ArraySlice<UInt8>, of path: [UInt8]) throws(ServiceError) {
    let pairs = pairs.withLock { $0 }
    guard !pairs.isEmpty else {
      if signature.contains(UInt8(ascii: ":")) {
        throw .signature(reason: "is missing: “\(signature.text)” is an option")
      }
      return
    }
    if !trusted.isEmpty, trusted.contains(Array(signature)) { return }
    guard let code = Base64.url.decoded(signature) else {
      throw .signature(reason: "is not base64url without padding")
    }
    var isRight = false
    for pair in pairs {
      guard let expected = SignatureHandle.code(key: pair.key, text: pair.salt + path) else {
        throw .signature(reason: "cannot be checked: HMAC-SHA-256 is missing")
      }
      // All pairs are tried, so that the time does not tell which one it is.
      if Self.areEqual(code, expected.prefix(signatureSize)) { isRight = true }
    }
    guard isRight else { throw .signature(reason: "is not that of the path") }
  }

  /// Compares all bytes, so that the time does not tell how many are right.
  static func areEqual(_ code: [UInt8], _ expected: ArraySlice<UInt8>) -> Bool {
    guard code.count == expected.count else { return false }
    return zip(code, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
