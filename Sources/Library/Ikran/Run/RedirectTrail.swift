import IkranTransport

// Decision 32: redirects go through the caches.
/// The redirects that a request has followed so far, and the bounds on them.
struct RedirectTrail {
  /// A redirect that an origin responded with, and what the request made of it.
  struct Step {
    let redirect: Redirect
    /// The source that redirects.
    let source: SourceRequest
    let target: ImageRequest
  }

  /// What a source brought before it began to redirect, which may be shown when no image comes of
  /// that, and the change that the redirect is.
  private(set) var fallback: (source: SourceRequest, change: ChangeNumber)?
  /// To be stored once the last target has brought what was wanted.
  private(set) var steps: [Step] = []
  private var visits: [SourceKey: Int] = [:]
  private var count = 0
  /// Whether the last source was met before: its stored redirects contradict each other.
  private(set) var isCircle = false

  /// Counts a visit.
  ///
  /// - Throws: ``ImageError/transport(_:url:)`` when there are too many.
  mutating func enter(_ visit: SourceVisit) throws(ImageError) {
    count += 1
    // Nearly all requests are redirected nowhere: no dictionary is made for them.
    guard count > 1 else { return }
    let key = visit.source.key
    visits[key, default: 0] += 1
    isCircle = visits[key] ?? 0 > 1
    let limit = ImagePipeline.maximumRedirects
    guard visits[key] ?? 0 <= 3, count <= 2 * limit, steps.count <= limit else {
      throw .transport(.tooManyRedirects(limit: limit), url: visit.source.displayName)
    }
  }

  /// Takes a visit back: the disk had a redirect that memory did not know, and the source comes
  /// again.
  mutating func leave(_ visit: SourceVisit) {
    let key = visit.source.key
    if let count = visits[key], count > 0 { visits[key] = count - 1 }
  }

  /// Takes note of a redirect that an origin responded with.
  ///
  /// - Parameters:
  ///   - redirect: The redirect.
  ///   - source: The source.
  ///   - isUsable: Whether what the source brought before may be shown when nothing comes of it.
  ///   - isIsolated: Whether a target on another origin is a source of its own.
  /// - Returns: The request for the target.
  /// - Throws: ``ImageError/transport(_:url:)`` where that is no `http:` or `https:` URL.
  mutating func follow(
    _ redirect: Redirect,
    from source: SourceRequest,
    isUsable: Bool,
    isIsolated: Bool
  ) throws(ImageError) -> ImageRequest {
    let target = source.request.redirected(
      to: redirect.location,
      from: redirect.sentURL,
      isIsolated: isIsolated
    )
    guard let target else {
      let error = TransportError.forbiddenRedirect(redacted(redirect.location))
      throw .transport(error, url: source.displayName)
    }
    if fallback == nil, isUsable { fallback = (source, redirect.change) }
    steps.append(Step(redirect: redirect, source: source, target: target))
    return target
  }
}
