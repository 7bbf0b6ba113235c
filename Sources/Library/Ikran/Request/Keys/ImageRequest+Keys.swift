import IkranTransport

// What the caches name a request's source by.

extension ImageRequest {
  /// ``sourceKey`` as a pipeline's options want it.
  func sourceKey(_ options: KeyOptions) -> SourceKey {
    guard options.filter != nil || options.includesCredentials || hasSecret else {
      return sourceKey
    }
    return key(options)
  }

  /// Names what may share a transfer or a failure: the source, and the credentials that are sent.
  ///
  /// Credentials are no part of the source's key, as a new token seldom means another image, nor is
  /// a URL that has a name; a response to one must all the same never serve another unchecked.
  func failureKey(of source: SourceKey) -> SourceKey {
    guard hasRareOptions else { return source }
    let credentials = transfer.headers.filter(\.isCredential)
    let url = cacheName == nil ? "" : "\u{0}\u{0}\(location)"
    guard !credentials.isEmpty || !url.isEmpty else { return source }
    let lines = credentials.map { "\u{0}\($0.name.lowercased()):\($0.value)" }
    return SourceKey("\(source)" + lines.sorted().joined() + url)
  }

  /// The key that every request for the location has in common, whatever its method and fields.
  func locationKey(_ options: KeyOptions) -> SourceKey {
    if !hasRareOptions, options.filter == nil, !hasSecret { return sourceKey }
    let text = name(options)
    guard hasUserInfo, let secret = options.secret else { return SourceKey(text) }
    return SourceKey(text, secret: secret)
  }

  /// Canonical bytes: the location, then the fields by lowercased name, each after a NUL; then,
  /// when they are not the usual ones, after two NULs each: the format, the signature, the hooks,
  /// the mark of an isolated redirect, and the method with 32 digits for the body.
  func key(_ options: KeyOptions) -> SourceKey {
    let text = canonicalText(name(options), includesCredentials: options.includesCredentials)
    guard hasSecret, let secret = options.secret else { return SourceKey(text) }
    return SourceKey(text, secret: secret)
  }

  /// What names its location: the name that it brings, and which redirect led here; else what the
  /// options make of its URL or id.
  private func name(_ options: KeyOptions) -> String {
    guard let cacheName else { return options.filter.map { $0(location) } ?? location }
    return redirectChain.map { "\(cacheName)\u{0}\u{0}target \($0.count)" } ?? cacheName
  }

  private func canonicalText(_ location: String, includesCredentials: Bool) -> String {
    guard hasRareOptions else { return location }
    let transfer = transfer
    let lines = transfer.headers.compactMap { field in
      field.isForCaches || field.isCredential && !includesCredentials
        ? nil : "\u{0}\(field.name.lowercased()):\(field.value)"
    }
    let codec = format.map { "\u{0}\u{0}as \($0.rawValue)" } ?? ""
    let version = signature.map { "\u{0}\u{0}version \($0)" } ?? ""
    let program = hooks.map { "\u{0}\u{0}hooks \($0.id.utf8.count) \($0.id)" } ?? ""
    let mark =
      codec + version + program + (redirectChain?.isIsolated == true ? "\u{0}\u{0}redirected" : "")
    let key = location + lines.sorted().joined() + mark
    guard transfer.method != "GET" || transfer.body != nil else { return key }
    let body = transfer.body.map { "\(TableID(bytes: $0))" } ?? ""
    return key + "\u{0}\u{0}\(transfer.method) \(body)"
  }
}
