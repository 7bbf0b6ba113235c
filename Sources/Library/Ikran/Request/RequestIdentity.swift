import IkranFoundation
import IkranTransport

/// Two requests that are equal in this have the same image, and the same ways to get it.
package struct RequestIdentity: Hashable, Sendable {
  private let key: StyledKey
  private let pipeline: ObjectIdentifier
  private let caching: CacheOptions
  /// Where a request leads that has a name; nil for one that is named by its URL.
  private let location: String?
  private let headers: [HeaderField]
  private let fallbacks: [String]
  private let alternatives: [Alternative]

  /// Nil for a request that is to be sent each time.
  package init?(_ request: ImageRequest, in pipeline: ImagePipeline) {
    guard [.standard, .onlyCached].contains(request.caching.policy) else { return nil }
    self.init(of: request, in: pipeline)
  }

  /// That of any request.
  init(of request: ImageRequest, in pipeline: ImagePipeline) {
    key = pipeline.styledKey(request)
    self.pipeline = ObjectIdentifier(pipeline)
    caching = request.caching
    location = request.cacheName == nil ? nil : request.location
    let transfer = request.transfer
    headers = transfer.headers
    fallbacks = transfer.fallbacks.map(\.absoluteString)
    alternatives = transfer.alternatives
  }
}
