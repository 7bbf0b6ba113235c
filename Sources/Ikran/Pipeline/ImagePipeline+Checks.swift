import IkranCodecs
import IkranStores

// How old what the caches hold may be, and asking the origin whether it still holds.

/// What asking the origin brought.
enum Check: Sendable {
  /// What is kept still holds.
  case unchanged
  /// The newer file, which the caches hold from now on.
  case changed(Body)
  /// The source is elsewhere now.
  case redirected(Redirect)
}

/// Whether what a cache holds may be used.
enum Standing: Sendable {
  case current
  /// A newer file has come since it was found: the caches are to be asked again.
  case outdated
  /// The origin had a newer file.
  case replaced(Body)
}

extension ImagePipeline {
  /// Whether what a cache held of a request's source, while `edition` was the newest, may be used
  /// now; asks the origin if need be.
  ///
  /// - Throws: ``ImageError`` when the origin has to be asked and cannot be.
  func standing(
    of request: ImageRequest,
    since edition: Int,
    _ interest: Interest
  ) async throws(ImageError) -> Standing {
    let standing = try await judgement(of: request, interest)
    let source = request.sourceKey(filteredBy: options.keyFilter)
    if case .current = standing, editions.current(of: source) != edition { return .outdated }
    return standing
  }

  /// Whether what a cache holds of a request's source may be used, as far as that is known without
  /// asking anybody; it never waits.
  func isKnownCurrent(_ request: ImageRequest) -> Bool {
    guard request.cachePolicy == .standard, request.isDownload,
      options.network.answers.expiry == .asAnswered
    else { return true }
    var request = request
    for _ in 0...Self.maximumRedirects {
      let source = request.sourceKey(filteredBy: options.keyFilter)
      guard let kept = answers.value(for: source) else {
        return disk.isAbsent || isKnownFresh(source)
      }
      guard kept.answer == nil || kept.fresh.contains(clock.now()) else { return false }
      guard let next = target(of: kept, request) else { return true }
      request = next
    }
    return false
  }

  /// Whether what a cache holds now of a request's source may be used, by what its origin says.
  private func judgement(
    of request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) -> Standing {
    if isKnownCurrent(request) { return .current }
    let source = request.sourceKey(filteredBy: options.keyFilter)
    let kept = try await keptAnswer(of: source, interest)
    let now = clock.now()
    // What was stored before its URL began to redirect.
    if kept.answer?.redirectTarget != nil { return .outdated }
    guard let answer = kept.answer, !kept.fresh.contains(now) else { return .current }
    switch Freshness(of: answer, at: now) {
    case .fresh:
      remember(answer, of: source)
      return .current
    case .usableWhileChecked:
      revalidateInBackground(request, source)
      return .current
    case .stale(let isUsableOnError):
      switch try await revalidateStale(request, isUsableOnError: isUsableOnError, interest) {
      case .unchanged: return .current
      case .changed(let body): return .replaced(body)
      case .redirected: return .outdated
      }
    }
  }

  /// Revalidates a stale source; `unchanged` too when that fails and the stale response may be used.
  ///
  /// Where it redirects now, the redirect is stored, and a file that had to be downloaded from its
  /// target is what has changed.
  func revalidateStale(
    _ request: ImageRequest,
    isUsableOnError: Bool,
    _ interest: Interest
  ) async throws(ImageError) -> Check {
    do throws(ImageError) {
      // With an image to show, a failed revalidation is not retried.
      let check = try await check(request, interest, mayRetry: !isUsableOnError)
      if case .redirected(let redirect) = check,
        let body = try await storeOnceItBringsAnImage(redirect, interest)
      {
        return .changed(body)
      }
      return check
    } catch {
      // Also where a redirect leads to what is gone.
      if error.isGone { invalidate(request.sourceKey(filteredBy: options.keyFilter)) }
      guard isUsableOnError, error.saysNothingOfTheSource else { throw error }
      counters.record(.usedStale("\(error)"))
      pauseRevalidation(of: request.sourceKey(filteredBy: options.keyFilter))
      return .unchanged
    }
  }

  /// Asks the origin whether what is kept of a request's source still holds: once for all who ask.
  func check(
    _ request: ImageRequest,
    _ interest: Interest,
    mayRetry: Bool = true
  ) async throws(ImageError) -> Check {
    guard case .url(let url) = request.source, request.isDownload else { return .unchanged }
    let source = request.sourceKey(filteredBy: options.keyFilter)
    return try await checkFlights.value(for: FlightKey(source, of: request), interest: interest) {
      (interest) async throws(ImageError) in
      let kept = try await self.keptAnswer(of: source, interest).answer
      return try await self.download(
        url,
        request,
        source,
        kept: .some(kept),
        mayRetry: mayRetry,
        interest
      )
    }
  }

  /// 4: downloads a source, or asks whether what is kept of it still holds.
  ///
  /// `kept` is nil for a source of which nothing is kept, and what is known of it otherwise.
  func download(
    _ url: String,
    _ request: ImageRequest,
    _ source: String,
    kept: StoredAnswer??,
    mayRetry: Bool = true,
    _ interest: Interest
  ) async throws(ImageError) -> Check {
    let isReload = request.cachePolicy == .reload
    let download = NetworkStage.Download(
      request: request,
      source: source,
      url: url,
      name: request.displayName,
      kept: kept ?? nil,
      mayRetry: mayRetry,
      ignoresFailures: isReload
    )
    let isSafe = HTTPMethod.isSafe(request.method)
    let edition = editions.current(of: source)
    let start = clock.now()
    do throws(ImageError) {
      let check = try await network.fetch(download, interest) { (reply) throws(ImageError) in
        switch reply {
        case .redirected(let redirect): return Check.redirected(redirect)
        case .notModified(let answer):
          if !mayStore(answer) {
            invalidate(source)
          } else if !request.stores.isEmpty {
            confirm(answer, of: source)
          }
          return .unchanged
        case .body(let bytes, let answer, let mayStore):
          counters.record(
            .downloaded(bytes: bytes.count, duration: .microseconds(clock.now() - start))
          )
          let file = DownloadedFile(
            bytes: bytes,
            answer: answer,
            source: source,
            edition: edition,
            mayStore: mayStore,
            kept: kept
          )
          return try await storeIfNew(file, request, interest)
        }
      }
      if !isSafe { invalidateGet(of: request) }
      return check
    } catch {
      if !isSafe, error.followsSuccess { invalidateGet(of: request) }
      if isSafe, error.isGone {
        try await invalidateGone(source, kept, request, interest)
      }
      throw error
    }
  }

  /// Whether a response may still be stored, after a 304 has changed its fields.
  private func mayStore(_ answer: StoredAnswer) -> Bool {
    options.network.answers.expiry == .never || answer.mayStore(method: "GET")
  }

  /// A downloaded file, and what was known before it came.
  private struct DownloadedFile: Sendable {
    let bytes: [UInt8]
    let answer: StoredAnswer
    let source: String
    /// The newest edition when the download began.
    let edition: Int
    let mayStore: Bool
    /// What is known of the file that the caches have: `.some(nil)` is nothing, nil is no file.
    let kept: StoredAnswer??
  }

  /// Stores a downloaded file, if it is an image and not the one that is known.
  private func storeIfNew(
    _ file: DownloadedFile,
    _ request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) -> Check {
    let (answer, source) = (file.answer, file.source)
    // What is no image never reaches the caches, and so replaces no image there.
    let frames: Int
    do throws(DecodeError) { frames = try codecs.probe(file.bytes.span).frames } catch {
      throw .decode(error, url: request.displayName)
    }
    let isSame = try await isSame(file.bytes, answer, file.kept, request, source, interest)
    if file.kept != nil, isSame == true {
      confirm(answer, of: source)
      return .unchanged
    }
    let isNew = request.cachePolicy == .reload || isSame == false
    var body = Body(
      bytes: file.bytes,
      source: .network,
      edition: isNew ? renew(source) : file.edition,
      sourceKey: source,
      mayStore: file.mayStore
    )
    let place = StorePlace(source: source, frames: frames, isNew: isNew, isSame: isSame == true)
    body.isOnDisk = await store(body, answer, place, request)
    return .changed(keep(body, request))
  }

  /// Where a downloaded file comes in.
  private struct StorePlace {
    let source: String
    let frames: Int
    /// Whether it takes the place of another.
    let isNew: Bool
    /// Whether it is what was kept already.
    let isSame: Bool
  }

  /// Serve first, persist after.
  ///
  /// - Returns: Whether the disk keeps the file.
  private func store(
    _ body: Body,
    _ answer: StoredAnswer,
    _ place: StorePlace,
    _ request: ImageRequest
  ) async -> Bool {
    let source = place.source
    guard body.mayStore else {
      forget(source)
      return false
    }
    let leavesTraces = !request.stores.isDisjoint(with: [.disk, .tables])
    remember(answer, of: source, isNew: place.isNew || !leavesTraces)
    let includesFile = options.disk?.contents.includesFile(of: request, frames: place.frames)
    let keepsFile = request.stores.contains(.disk) && includesFile ?? true
    if keepsFile {
      await store(body, answer, for: source, request)
    } else if place.isSame {
      disk.extend(answer, for: source)
    } else if leavesTraces {
      // What is known of a file is kept also without the file: what was made from it needs it.
      await disk.store(answer.bytes, for: source, cost: 0) { [editions] in
        editions.current(of: source) == body.edition ? [] : nil
      }
    } else if place.isNew {
      disk.remove(source)
    }
    return keepsFile
  }

  private func store(
    _ body: Body,
    _ answer: StoredAnswer,
    for source: String,
    _ request: ImageRequest
  ) async {
    let (bytes, willStore) = (body.bytes, options.hooks.willStore)
    await disk.store(answer.bytes, for: source, cost: bytes.count) { [editions] in
      guard editions.current(of: source) == body.edition else { return nil }
      guard let willStore else { return bytes }
      return (try? willStore(bytes, request)) ?? []
    }
  }

  /// Sees to it that the disk has the file of a request that wants it there, however it was found:
  /// an earlier one may have kept it in memory only.
  func keepFile(
    _ body: Body,
    _ request: ImageRequest,
    _ source: String,
    _ interest: Interest
  ) async throws(ImageError) {
    let contents = options.disk?.contents ?? .originals
    guard request.isForDisk || contents == .automatic && request.style == .original,
      body.source == .memory || body.source == .network, body.mayStore, !body.isOnDisk,
      request.stores.contains(.disk), let answer = answers.value(for: source)?.answer,
      try await disk.entry(for: source, interest)?.body.isEmpty != false
    else { return }
    await store(body, answer, for: source, request)
  }

  /// Whether a downloaded file is the one that is known of its source; nil when none is.
  private func isSame(
    _ bytes: [UInt8],
    _ answer: StoredAnswer,
    _ kept: StoredAnswer??,
    _ request: ImageRequest,
    _ source: String,
    _ interest: Interest
  ) async throws(ImageError) -> Bool? {
    let known: StoredAnswer?
    if let kept { known = kept } else { known = try await keptAnswer(of: source, interest).answer }
    if let known, known.body != 0 { return known.body == answer.body }
    if let recent = bodies.value(for: source) { return recent == bytes }
    // Who asked all caches has found no file; who passed some by may have passed one by.
    if kept != nil || request.reads != .all,
      let file = try await disk.file(for: source, interest).entry?.body
    {
      return file == bytes
    }
    return known == nil ? nil : false
  }
}

extension ImageError {
  /// Whether it tells of trouble on the way to the origin rather than of the source (RFC 5861,
  /// section 4): no answer, an answer that is the server's fault, or one that is no image, as from a
  /// network that wants a log-in first.
  var saysNothingOfTheSource: Bool {
    switch self {
    case .transport, .decode, .contentType: true
    case .status(let code, _): code == 429 || code >= 500
    default: false
    }
  }
}
