import IkranTransport

extension ImageRequest {
  /// The request as its own `Cache-Control` and `Pragma` fields want it, and with the fields that
  /// make caches on the way do as its policy says (RFC 9111, sections 5.2.1 and 5.4).
  var withCacheControl: ImageRequest {
    guard isDownload else { return self }
    return (transfer.headers.isEmpty ? self : applyingOwnCacheControl)
      .addingCacheControl(caching.policy)
  }

  /// `no-store` stores nothing; what must be validated first is refreshed.
  private var applyingOwnCacheControl: ImageRequest {
    var request = self
    let control = CacheControl(transfer.headers)
    let hasPragma = transfer.headers.contains {
      $0.isNamed("pragma") && $0.value.lowercased() == "no-cache"
    }
    if control.noStore { request.caching.stores = [] }
    let mustRevalidate =
      control.noCache || control.maxAge == 0 || !hasCacheControl && hasPragma
    if mustRevalidate, caching.policy == .standard { request.caching.policy = .refresh }
    return request
  }

  /// The fields of a policy, unless the request has a `Cache-Control` of its own; `policy` is the
  /// one it was made with.
  private func addingCacheControl(_ policy: CachePolicy) -> ImageRequest {
    guard policy == .refresh || policy == .reload, !hasCacheControl else { return self }
    var request = self
    request.transfer.headers.append(
      HeaderField("Cache-Control", policy == .reload ? "no-cache" : "max-age=0")
    )
    if policy == .reload { request.transfer.headers.append(HeaderField("Pragma", "no-cache")) }
    return request
  }

  private var hasCacheControl: Bool { transfer.headers.contains { $0.isNamed("cache-control") } }
}
