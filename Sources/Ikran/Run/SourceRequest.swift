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

  init(_ request: ImageRequest, _ options: KeyOptions) {
    self.request = request
    key = request.sourceKey(options)
    location = request.locationKey(options)
  }

  /// Names what may share a failure: the source, and the credentials that are sent.
  var failureKey: SourceKey { request.loadKey(of: key) }

  /// Whether its bytes come over the network.
  var isDownload: Bool { request.isDownload }

  /// What to call it in a message: the URL without its secrets, or the data's id.
  var displayName: String { request.displayName }

  /// The URL; nil for data that came along.
  var url: String? { if case .url(let url) = request.source { url } else { nil } }
}
