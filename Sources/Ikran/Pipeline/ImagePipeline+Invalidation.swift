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

  /// Forgets what reading a URL brought, once another method may have changed it (RFC 9111, section
  /// 4.4).
  func invalidateWhatIsRead(by request: ImageRequest) {
    var read = request
    (read.method, read.body) = ("GET", nil)
    invalidate(read.sourceKey(filteredBy: options.keyFilter))
    guard !read.headers.isEmpty else { return }
    read.headers = []
    invalidate(read.sourceKey(filteredBy: options.keyFilter))
  }

  /// Forgets a source that its origin says is gone, so that no later process shows it while the
  /// origin cannot be reached.
  ///
  /// `kept` is nil for a source of which the request's caches have nothing.
  func forgetGone(
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
  var saysThatItIsGone: Bool {
    switch self {
    case .status(404, _), .status(410, _): true
    default: false
    }
  }

  /// Whether the origin did what it was asked, though no image came of it.
  var cameWithSuccess: Bool {
    switch self {
    case .status(let code, _): (200..<400).contains(code)
    case .decode, .contentType: true
    default: false
    }
  }
}

extension ImageRequest {
  /// The request as its own `Cache-Control` and `Pragma` fields want it (RFC 9111, sections 5.2.1
  /// and 5.4), and with the fields that make caches on the way do as its policy says.
  var honouringCacheControl: ImageRequest {
    guard isDownload, !headers.isEmpty || cachePolicy == .refresh || cachePolicy == .reload else {
      return self
    }
    var request = self
    let control = CacheControl(headers)
    let hasControl = headers.contains { $0.isNamed("cache-control") }
    let hasPragma = headers.contains { $0.isNamed("pragma") && $0.value.lowercased() == "no-cache" }
    if control.noStore { request.stores = [] }
    let mustRevalidate = control.noCache || control.maxAge == 0 || !hasControl && hasPragma
    if mustRevalidate, cachePolicy == .standard { request.cachePolicy = .refresh }
    guard !hasControl else { return request }
    switch cachePolicy {
    case .reload:
      request.headers += [
        HeaderField("Cache-Control", "no-cache"), HeaderField("Pragma", "no-cache"),
      ]
    case .refresh: request.headers.append(HeaderField("Cache-Control", "max-age=0"))
    case .standard, .onlyCached: break
    }
    return request
  }
}
