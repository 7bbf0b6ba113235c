/// Closures that see requests on their way out and answers on their way in.
///
/// They run on no thread in particular and may wait, for example for a token. What one throws ends
/// the request with ``ImageError/refused(_:url:)``.
public struct NetworkHooks: Sendable {
  /// Changes a request before each try, or returns nil to refuse it.
  ///
  /// What it changes is not part of the caches' keys: add fields that decide which image arrives to
  /// ``ImageRequest/headers`` instead.
  public var willSend: (@Sendable (TransportRequest) async throws -> TransportRequest?)?
  /// Changes an answer, whatever its status, before it is judged; nil refuses it.
  public var didReceive: (@Sendable (TransportResponse) async throws -> TransportResponse?)?
  /// Turns a downloaded body into an image file, for servers that send encrypted ones; the caches
  /// keep its result.
  public var decrypt: (@Sendable ([UInt8]) throws -> [UInt8])?

  /// Creates hooks.
  public init(
    willSend: (@Sendable (TransportRequest) async throws -> TransportRequest?)? = nil,
    didReceive: (@Sendable (TransportResponse) async throws -> TransportResponse?)? = nil,
    decrypt: (@Sendable ([UInt8]) throws -> [UInt8])? = nil
  ) {
    self.willSend = willSend
    self.didReceive = didReceive
    self.decrypt = decrypt
  }
}
