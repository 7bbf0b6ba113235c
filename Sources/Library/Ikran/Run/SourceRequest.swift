/// One source that a request visits: what is sent to it, and the names of what comes of it.
///
/// It is made once for each visit. How an image looks is no matter of the source: what a caller
/// wants of it is its ``SourceLoad/Want``.
struct SourceRequest: Sendable {
  let request: ImageRequest
  /// Names the bytes: ``ImageRequest/sourceKey`` as the pipeline's options want it.
  let key: SourceKey
  /// What every request for the location has in common, whatever its method and fields.
  let location: SourceKey
  /// Names what may share a failure: the source, and the credentials that are sent.
  let failureKey: SourceKey
  /// Reads the file that an avatar's storage has, nil when it has none; without it the request says
  /// where the bytes are.
  let storage: Storage?

  typealias Storage = @Sendable () async -> [UInt8]?

  init(_ request: ImageRequest, _ options: KeyOptions) {
    (self.request, storage) = (request, nil)
    key = request.sourceKey(options)
    location = request.locationKey(options)
    failureKey = request.failureKey(of: key)
  }

  /// A source whose bytes come from an avatar's storage.
  init(_ request: ImageRequest, key: SourceKey, storage: @escaping Storage) {
    (self.request, self.key, location) = (request, key, key)
    failureKey = request.failureKey(of: key)
    self.storage = storage
  }

  /// Whether its bytes come over the network.
  var isDownload: Bool { storage == nil && request.isDownload }

  /// The id of bytes that are no download, by one `stat` for a file.
  var localID: BodyID { request.localID(under: key) }

  /// What to call it in a message: the URL without its secrets, or the data's id.
  var displayName: String { request.displayName }

  /// The URL; nil for data that came along.
  var url: String? { if case .url(let url) = request.source { url } else { nil } }
}
