import IkranStores

// What is stored of a source and must not be shown any more.

extension ImagePipeline {
  /// Forgets everything stored of a source: its file, what was made from it, what is known of it.
  func invalidate(_ source: String) {
    _ = renew(source)
    forget(source)
  }

  /// Forgets what is known of a source, and its file on the disk.
  func forget(_ source: String) {
    answers.remove(source)
    lifetimes?.note(nil, of: TableID(source))
    disk.remove(source)
  }

  /// Invalidates the GET responses of a URL that an unsafe method has succeeded on: with the
  /// request's fields, and without any (RFC 9111, section 4.4).
  func invalidateGet(of request: ImageRequest) {
    var read = request
    (read.method, read.body) = ("GET", nil)
    var sources = [read.sourceKey(filteredBy: options.keyFilter)]
    read.headers = []
    sources.append(read.sourceKey(filteredBy: options.keyFilter))
    for source in Set(sources) {
      invalidate(source)
      network.failures.remove(source)
    }
  }

  /// Forgets a source that its origin says is gone, so that no later process shows it while the
  /// origin cannot be reached.
  ///
  /// `kept` is nil for a source of which the request's caches have nothing.
  func invalidateGone(
    _ source: String,
    _ kept: StoredAnswer??,
    _ request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) {
    var isKnown = kept != nil || request.cachePolicy == .reload
    if !isKnown { isKnown = try await keptAnswer(of: source, interest).answer != nil }
    if isKnown { invalidate(source) }
  }
}

extension ImageError {
  /// Whether the origin says that the source is not there any more.
  var isGone: Bool {
    switch self {
    case .status(404, _), .status(410, _): true
    default: false
    }
  }

  /// Whether the origin did what it was asked, though no image came of it.
  var followsSuccess: Bool {
    switch self {
    case .status(let code, _): (200..<400).contains(code)
    case .decode, .contentType: true
    default: false
    }
  }
}
