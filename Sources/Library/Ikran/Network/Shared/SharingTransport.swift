import IkranCodecs
import IkranStores
package import IkranTransport

// Decision 91: processes share what a cache of several users may keep.

/// A transport with a cache before it that several processes share.
///
/// It keeps whole images that any client would have been sent, as RFC 9111 lets a shared cache, and
/// checks those that are stale with their origin. Redirects and ranges are not kept.
package struct SharingTransport: Transport {
  private let network: any Transport
  private let files: any SharedFiles
  private let clock: PipelineClock
  private let codecs = CodecList.standard
  /// No digest is made with it: no field is sent that `Vary` may name.
  private let secret = FolderSecret(folder: nil)

  /// Takes the transport to the origins, and the files that processes share.
  package init(
    network: any Transport,
    files: any SharedFiles,
    clock: PipelineClock = .system
  ) {
    (self.network, self.files, self.clock) = (network, files, clock)
  }

  package func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    guard request.mayBeShared else { return try await network.fetch(request, progress: progress) }
    guard request.mayUseShared else { return try await fetchAndShare(request, progress) }
    guard let found = await file(at: request.url) else {
      return try await fetchAndShare(request, isThere: false, progress)
    }
    if Task.isCancelled { throw .cancelled }
    let now = clock.now()
    if found.response.isFresh(at: now) {
      return try reply(found, to: request, at: now, progress)
    }
    guard found.response.hasConditions else { return try await fetchAndShare(request, progress) }
    var conditional = request
    conditional.headers += found.response.conditions
    let current = try await fetchAndShare(conditional, progress)
    guard current.status == 304 else { return current }
    // It speaks of another version.
    guard found.response.isConfirmed(by: current) else {
      return try await fetchAndShare(request, progress)
    }
    let confirmed = found.response.refreshed(by: current, requested: now, received: clock.now())
    confirm(confirmed, found.bytes, at: request.url)
    return try reply((confirmed, found.bytes), to: request, at: clock.now(), progress)
  }

  /// A file that processes share and that may still be.
  private func file(at url: String) async -> (response: StoredResponse, bytes: [UInt8])? {
    guard let file = await files.file(at: url), !file.bytes.isEmpty,
      let response = StoredResponse(file.response), response.mayBeShared
    else { return nil }
    return (response, file.bytes)
  }

  /// The response of a cache, whose age counts from when its origin sent it.
  private func reply(
    _ found: (response: StoredResponse, bytes: [UInt8]),
    to request: TransportRequest,
    at now: Int64,
    _ progress: (TransferProgress) -> Void
  ) throws(TransportError) -> TransportResponse {
    let (count, limit) = (found.bytes.count, request.maximumBodyBytes)
    guard count <= limit else { throw .bodyTooLarge(limit: limit) }
    progress(TransferProgress(received: count, expected: count))
    let age = (Freshness.age(of: found.response, at: now) + 999_999) / 1_000_000
    let fields =
      found.response.headers.filter { !$0.isNamed("age") } + [HeaderField("Age", "\(age)")]
    return TransportResponse(status: 200, headers: fields, body: found.bytes, url: request.url)
  }

  /// Keeps what a 304 says; of a file that has to be confirmed each time, others learn nothing.
  private func confirm(_ response: StoredResponse, _ bytes: [UInt8], at url: String) {
    guard response.mayBeShared, response.isFresh(at: clock.now()) else { return }
    files.confirm(SharedFile(response: response.bytes, bytes: bytes), at: url)
  }

  /// Asks the origin, and shares what it sends, or takes back what was shared before.
  ///
  /// `isThere` is false where a look has found nothing that could be taken back.
  private func fetchAndShare(
    _ request: TransportRequest,
    isThere: Bool = true,
    _ progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let sent = clock.now()
    let response = try await network.fetch(request, progress: progress)
    let isWanted =
      switch response.status {
      case 200, 206, 304: share(response, to: request, sentAt: sent)
      // The source is there, and is sent another time.
      case 408, 416, 429: true
      case 300..<500: false
      default: true
      }
    if !isWanted, isThere { files.remove(at: request.url) }
    return response
  }

  /// Shares what has arrived.
  ///
  /// - Returns: Whether what was shared before may still be used.
  private func share(
    _ response: TransportResponse,
    to request: TransportRequest,
    sentAt sent: Int64
  ) -> Bool {
    var stored = StoredResponse(
      response,
      to: [],
      secret: secret,
      requested: sent,
      received: clock.now()
    )
    // Of a range and of a confirmation it is that of the file.
    stored.status = 200
    guard stored.mayBeShared, response.addedFields.isEmpty else { return false }
    guard response.status == 200, response.header("content-range") == nil else { return true }
    // Its beginning may be that of a newer one.
    guard response.isComplete, codecs.mayBeImage(response.body.span) else { return false }
    // What is stale at once and cannot be checked would be read for nothing.
    guard stored.hasConditions || stored.isFresh(at: clock.now()) else { return false }
    files.store(SharedFile(response: stored.bytes, bytes: response.body), at: request.url)
    return true
  }
}

extension StoredResponse {
  /// Whether a cache of several users may keep it (RFC 9111, section 3).
  ///
  /// Each of them has to have been sent the same; files are kept without their content encoding.
  fileprivate var mayBeShared: Bool {
    status == 200 && mayStore(method: "GET") && !cacheControl.isPrivate
      && Self.varyNames(headers).allSatisfy {
        ["accept", "accept-encoding", "origin", "priority"].contains($0)
      }
  }

  /// Whether a cache of several users may use it without asking, and the pipeline, too.
  fileprivate func isFresh(at now: Int64) -> Bool {
    guard case .fresh = Freshness(of: self, at: now) else { return false }
    guard let seconds = cacheControl.sharedMaxAge else { return true }
    return Freshness.age(of: self, at: now) < Int64(seconds) * 1_000_000
  }
}

extension TransportRequest {
  /// Whether what it brings may be shared.
  ///
  /// It says nothing of who asks, and its URL is no permission.
  fileprivate var mayBeShared: Bool {
    let fields: Set<String> = [
      "cache-control", "if-modified-since", "if-none-match", "if-range", "pragma", "priority",
      "range",
    ]
    guard method == "GET", body == nil, signature == nil, reportsRedirects,
      headers.allSatisfy({ fields.contains($0.name.lowercased()) }),
      !CacheControl(headers).noStore, let address = try? HTTPAddress(url)
    else { return false }
    return !address.hasUserInfo && !mayBeSigned
  }

  /// Whether the caller lets caches reply.
  fileprivate var mayUseShared: Bool { headers.allSatisfy { $0.isNamed("priority") } }

  /// Whether its query may be a permission, as that of a signed URL.
  ///
  /// The target of a redirect often is one.
  private var mayBeSigned: Bool {
    guard let mark = url.firstIndex(of: "?") else { return false }
    return redirectCount > 0
      || url[mark...].dropFirst().split(separator: "&").contains { item in
        let name = item.prefix { $0 != "=" }.lowercased()
        return ["sig", "st", "md5", "policy", "verify", "hdnts", "hdnea"].contains(name)
          || ["token", "secret", "password", "jwt"].contains { Self.has($0, in: name) }
          || ["signature", "expires", "hmac", "auth", "key"].contains { name.hasSuffix($0) }
      }
  }

  /// Whether a word is a part of a name.
  private static func has(_ word: String, in name: String) -> Bool {
    name.indices.contains { name[$0...].hasPrefix(word) }
  }
}
