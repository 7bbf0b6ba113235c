public import IkranPixels
public import IkranTransport

/// Closures that see requests on their way out and responses on their way in.
///
/// The asynchronous ones run on no thread in particular and may wait, for example for a token; the
/// others should be quick. What one throws ends the request with ``ImageError/refused(_:url:_:)``,
/// unless it says otherwise.
public struct PipelineHooks: Sendable {
  /// Changes every request before anything else is done with it, such as its style, its scale or
  /// the caches it may use; it is also asked by ``ImagePipeline/cached(for:)``, and must not wait.
  public var prepare: (@Sendable (ImageRequest) -> ImageRequest)?
  /// Decides over each request for an image before any source is asked, and may wait; a hit in
  /// memory or a table is shown without it.
  ///
  /// It runs once for each request, in a separate task, which is cancelled with the request. What
  /// it throws ends the request: an ``ImageError`` as it is, a `CancellationError` as
  /// ``ImageError/cancelled``, anything else as ``ImageError/refused(_:url:_:)``. If it loads an
  /// image of the same pipeline, it is called for that one, too.
  ///
  /// Of the request in place of another, priority, deadline, ``CacheOptions/waitsForStores`` and
  /// ``TransferOptions/progressStep`` stay the first one's, and ``prepare`` is not called. Probes,
  /// contents, ``ImagePipeline/data(for:onProgress:)`` and prefetching to the disk do not pass it;
  /// avatars do when neither their storages nor the disk have them. ``ImagePipeline/cancelAll()``
  /// does not end it.
  public var intercept: (@Sendable (ImageRequest) async throws -> Interception)?
  /// Changes a request before each try, or returns nil to refuse it.
  ///
  /// It runs when the download has had its turn, but holds no place in the queue, so it may load
  /// something through the same pipeline. The other hooks run in the download's place and must not
  /// wait for downloads of that pipeline.
  ///
  /// While it waits for something, it is called for the downloads behind as well, however many they
  /// are, and its request is sent when a place is free again: what it adds, such as a signature,
  /// should stay valid for as long as a full queue takes. The time of both does not count towards
  /// ``TransferOptions/timeout``, but towards ``ImageRequest/deadline``.
  ///
  /// `Range` and `If-Range`, with which a transfer goes on from what arrived earlier, are added
  /// after it, unless it adds `Range` itself.
  ///
  /// It is also called for each redirect's target; once a redirect has left the first origin, only
  /// the fields that ``/IkranTransport/CurlTransport`` lists are sent, also of those that it added.
  ///
  /// What it changes is not part of the caches' keys: add fields that decide which image arrives to
  /// ``TransferOptions/headers`` instead.
  public var willSend: (@Sendable (TransportRequest) async throws -> TransportRequest?)?
  /// Sees a response of status 401 and the request that it refuses, and returns the request to send
  /// in its place, once, with new credentials; nil leaves it at the refusal.
  ///
  /// It is called for the request as ``willSend`` made it. Requests of one origin that were refused
  /// at the same time, with the same credentials, are renewed by one call: the fields that it
  /// changes are changed in all of them.
  public var unauthorized:
    (@Sendable (TransportRequest, TransportResponse) async -> TransportRequest?)?
  /// Changes a response of any status before it is evaluated; nil rejects it.
  public var didReceive: (@Sendable (TransportResponse) async throws -> TransportResponse?)?
  /// Turns a downloaded body into an image file, for servers that send encrypted ones; the caches
  /// keep its result.
  public var decrypt: (@Sendable ([UInt8]) throws -> [UInt8])?
  /// Turns a downloaded image file into the one that the disk keeps, for example a smaller one;
  /// nil, or an error, keeps none.
  ///
  /// It runs behind the request, on the thread that writes.
  public var willStore: (@Sendable ([UInt8], ImageRequest) throws -> [UInt8]?)?
  /// How long a source is not asked again after an error; nil leaves it to ``FailureOptions``.
  public var remembers: (@Sendable (ImageError) -> Duration?)?

  /// Creates hooks.
  public init(
    prepare: (@Sendable (ImageRequest) -> ImageRequest)? = nil,
    intercept: (@Sendable (ImageRequest) async throws -> Interception)? = nil,
    willSend: (@Sendable (TransportRequest) async throws -> TransportRequest?)? = nil,
    unauthorized: (
      @Sendable (TransportRequest, TransportResponse) async -> TransportRequest?
    )? = nil,
    didReceive: (@Sendable (TransportResponse) async throws -> TransportResponse?)? = nil,
    decrypt: (@Sendable ([UInt8]) throws -> [UInt8])? = nil,
    willStore: (@Sendable ([UInt8], ImageRequest) throws -> [UInt8]?)? = nil,
    remembers: (@Sendable (ImageError) -> Duration?)? = nil
  ) {
    self.prepare = prepare
    self.intercept = intercept
    self.willSend = willSend
    self.unauthorized = unauthorized
    self.didReceive = didReceive
    self.decrypt = decrypt
    self.willStore = willStore
    self.remembers = remembers
  }
}

/// What ``PipelineHooks/intercept`` makes of a request.
public enum Interception: Sendable {
  /// This request is loaded: the same one, or another in its place.
  case load(ImageRequest)
  /// This image is shown as it is, in no style, and no cache keeps it.
  case show(Bitmap)
}
