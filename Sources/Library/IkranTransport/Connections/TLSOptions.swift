/// Which servers ``CurlTransport`` trusts over TLS, and how it proves its own identity.
public struct TLSOptions: Sendable, Hashable {
  /// A PEM file of certificate authorities to trust next to the system's; nil for none.
  public var additionalCAFile: String?
  /// A PEM file with the client's certificate, for servers that ask for one; nil for none.
  public var clientCertificate: String?
  /// A PEM file with the certificate's private key; nil when the certificate's file has it.
  public var clientKey: String?
  /// What the key is encrypted with; nil when it is not.
  public var clientKeyPassword: String?
  /// Accepts every certificate, whatever authority and host it names: dangerous.
  ///
  /// Anybody on the way can then read and change everything, credentials included. It is for
  /// test servers alone; a private authority belongs into ``additionalCAFile``.
  public var allowsInvalidCertificates: Bool

  /// Creates options; by default only certificates that the system trusts are taken.
  public init(
    additionalCAFile: String? = nil,
    clientCertificate: String? = nil,
    clientKey: String? = nil,
    clientKeyPassword: String? = nil,
    allowsInvalidCertificates: Bool = false
  ) {
    self.additionalCAFile = additionalCAFile
    self.clientCertificate = clientCertificate
    self.clientKey = clientKey
    self.clientKeyPassword = clientKeyPassword
    self.allowsInvalidCertificates = allowsInvalidCertificates
  }
}
