import Foundation

// https://developer.apple.com/documentation/cryptokit/symmetrickey · macOS 10.15, iOS 13.0
public struct SymmetricKey: Sendable {
  public init<D: ContiguousBytes>(data: D) {}
}

// https://developer.apple.com/documentation/cryptokit/hashfunction · macOS 10.15, iOS 13.0
public protocol HashFunction {}

// https://developer.apple.com/documentation/cryptokit/sha256 · macOS 10.15, iOS 13.0
public struct SHA256: HashFunction {}

// https://developer.apple.com/documentation/cryptokit/hashedauthenticationcode · macOS 10.15, iOS 13.0
public struct HashedAuthenticationCode<H: HashFunction>: Sequence {
  public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
}

// https://developer.apple.com/documentation/cryptokit/hmac · macOS 10.15, iOS 13.0
public struct HMAC<H: HashFunction> {
  // https://developer.apple.com/documentation/cryptokit/hmac/authenticationcode(for:using:) · macOS 10.15, iOS 13.0
  public static func authenticationCode<D: DataProtocol>(
    for data: D,
    using key: SymmetricKey
  ) -> HashedAuthenticationCode<H> { HashedAuthenticationCode() }
}

// https://developer.apple.com/documentation/cryptokit/aes · macOS 10.15, iOS 13.0
public enum AES {
  // https://developer.apple.com/documentation/cryptokit/aes/gcm · macOS 10.15, iOS 13.0
  public enum GCM {
    // https://developer.apple.com/documentation/cryptokit/aes/gcm/nonce · macOS 10.15, iOS 13.0
    public struct Nonce: Sendable {
      public init<D: DataProtocol>(data: D) throws {}
    }

    // https://developer.apple.com/documentation/cryptokit/aes/gcm/sealedbox · macOS 10.15, iOS 13.0
    public struct SealedBox: Sendable {
      public init<D: DataProtocol>(combined: D) throws { fatalError() }
      public var ciphertext: Data { fatalError() }
      public var tag: Data { fatalError() }
    }

    // https://developer.apple.com/documentation/cryptokit/aes/gcm/seal(_:using:nonce:authenticating:) · macOS 10.15, iOS 13.0
    public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
      _ message: Plaintext,
      using key: SymmetricKey,
      nonce: Nonce? = nil,
      authenticating authenticatedData: AuthenticatedData
    ) throws -> SealedBox { fatalError() }

    // https://developer.apple.com/documentation/cryptokit/aes/gcm/open(_:using:authenticating:) · macOS 10.15, iOS 13.0
    public static func open<AuthenticatedData: DataProtocol>(
      _ sealedBox: SealedBox,
      using key: SymmetricKey,
      authenticating authenticatedData: AuthenticatedData
    ) throws -> Data { fatalError() }
  }
}
