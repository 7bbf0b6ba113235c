public import IkranTransport

// Decision 84: an id that is part of the key.
/// Closures of one request, such as a token of its own or a key that decrypts its file.
///
/// ```swift
/// request.hooks = RequestHooks(
///   id: "album 7",
///   willSend: { request in
///     var request = request
///     request.headers.append(HeaderField("Authorization", "Bearer " + token))
///     return request
///   }
/// )
/// ```
/// They work together with the pipeline's ``PipelineHooks``, in the same places and by the same
/// rules: what is sent passes the pipeline's and then the request's, what arrives the request's and
/// then the pipeline's. Local files and inline data pass none of them. At another origin – of a
/// redirect, a fallback or an alternative – credentials that `willSend` adds are taken out again.
///
/// A response that varies with a field which `willSend` adds (`Vary: Authorization`) is asked for
/// each time, as with the pipeline's hook. An avatar's storage does not know the id.
public struct RequestHooks: Sendable {
  /// Names them, and is part of ``ImageRequest/sourceKey``.
  ///
  /// Requests for one URL with hooks of different ids share nothing, in memory and on the disk, and
  /// those of one id must do the same. It is no place for a secret: names of files are made of it.
  public let id: String
  /// As ``PipelineHooks/willSend``.
  public var willSend: (@Sendable (TransportRequest) async throws -> TransportRequest?)?
  /// As ``PipelineHooks/didReceive``.
  public var didReceive: (@Sendable (TransportResponse) async throws -> TransportResponse?)?
  /// As ``PipelineHooks/decrypt``.
  public var decrypt: (@Sendable ([UInt8]) throws -> [UInt8])?
  /// As ``PipelineHooks/willStore``.
  public var willStore: (@Sendable ([UInt8], ImageRequest) throws -> [UInt8]?)?

  /// Creates hooks.
  public init(
    id: String,
    willSend: (@Sendable (TransportRequest) async throws -> TransportRequest?)? = nil,
    didReceive: (@Sendable (TransportResponse) async throws -> TransportResponse?)? = nil,
    decrypt: (@Sendable ([UInt8]) throws -> [UInt8])? = nil,
    willStore: (@Sendable ([UInt8], ImageRequest) throws -> [UInt8]?)? = nil
  ) {
    self.id = id
    self.willSend = willSend
    self.didReceive = didReceive
    self.decrypt = decrypt
    self.willStore = willStore
  }
}

extension PipelineHooks {
  /// These hooks with those of a request: nearer to the program than them, on both ways.
  func around(_ own: RequestHooks?) -> PipelineHooks {
    guard let own else { return self }
    var hooks = self
    hooks.willSend = joined(willSend, own.willSend)
    hooks.didReceive = joined(own.didReceive, didReceive)
    if let first = own.decrypt {
      let second = decrypt
      hooks.decrypt = { bytes in try second.map { try $0(first(bytes)) } ?? first(bytes) }
    }
    if let first = own.willStore {
      guard let second = willStore else {
        hooks.willStore = first
        return hooks
      }
      hooks.willStore = { bytes, request in
        guard let bytes = try first(bytes, request) else { return nil }
        return try second(bytes, request)
      }
    }
    return hooks
  }

  /// Two hooks as one; what either refuses is refused.
  private func joined<Value: Sendable>(
    _ first: (@Sendable (Value) async throws -> Value?)?,
    _ second: (@Sendable (Value) async throws -> Value?)?
  ) -> (@Sendable (Value) async throws -> Value?)? {
    guard let first, let second else { return first ?? second }
    return { value in
      guard let value = try await first(value) else { return nil }
      return try await second(value)
    }
  }
}
