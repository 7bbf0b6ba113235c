import IkranCodecs
import IkranStores

// How old what the caches hold may be, and asking the origin whether it still holds.

/// What asking the origin brought.
enum Check: Sendable {
  /// What is kept still holds.
  case unchanged
  /// The newer file, which the caches hold from now on.
  case changed(Body)
}

/// Whether what a cache holds may be used.
enum Standing: Sendable {
  case current
  /// The origin had a newer file.
  case replaced(Body)
}

/// What is known of how long a source is good for; nothing, for one that came without.
struct KeptAnswer: Sendable {
  let answer: StoredAnswer?
  /// The time in which nobody needs to ask, in microseconds since 1970.
  let fresh: Range<Int64>

  init(_ answer: StoredAnswer?, at now: Int64) {
    self.answer = answer
    switch answer.map({ Freshness(of: $0, at: now) }) {
    case nil: fresh = .min..<(.max)
    case .fresh(let until): fresh = min(now, until)..<until
    case .usableWhileChecked, .stale: fresh = 0..<0
    }
  }
}

extension ImagePipeline {
  /// Whether what a cache holds of a request's source may be used now; asks the origin if need be.
  ///
  /// - Throws: ``ImageError`` when the origin has to be asked and cannot be.
  func standing(
    of request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) -> Standing {
    guard request.cachePolicy == .standard, request.isDownload,
      options.network.answers.expiry == .asAnswered
    else { return .current }
    let source = request.sourceKey(filteredBy: options.keyFilter)
    if isKnownFresh(source) { return .current }
    let kept = try await keptAnswer(of: source, interest)
    let now = clock.now()
    guard let answer = kept.answer, !kept.fresh.contains(now) else { return .current }
    switch Freshness(of: answer, at: now) {
    case .fresh:
      remember(answer, of: source)
      return .current
    case .usableWhileChecked:
      // Nobody waits for it, and its failure is the next request's to find.
      Task { _ = try? await self.check(request, Interest(.low)) }
      return .current
    case .stale(let isUsableOnError):
      do throws(ImageError) {
        // Who has an image to show need not wait for a second try.
        let check = try await check(request, interest, mayRetry: !isUsableOnError)
        guard case .changed(let body) = check else { return .current }
        return .replaced(body)
      } catch {
        guard isUsableOnError, error.saysNothingOfTheSource else { throw error }
        counters.record(.usedStale("\(error)"))
        return .current
      }
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
    return try await checkFlights.value(for: source, interest: interest) {
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

  /// What the caches hold, given to `onCached`, then what the origin says of it.
  ///
  /// A request of another policy is loaded as ever.
  func refresh(
    _ request: ImageRequest,
    _ interest: Interest,
    onCached: @Sendable (LoadedImage) -> Void = { _ in }
  ) async throws(ImageError) -> (image: LoadedImage, isUnchanged: Bool) {
    guard request.cachePolicy == .refresh else {
      return (try await load(request, interest), false)
    }
    var (old, new) = (request, request)
    old.cachePolicy = .onlyCached
    new.cachePolicy = .standard
    let shown: LoadedImage
    do throws(ImageError) {
      shown = try await load(old, interest)
    } catch .cancelled {
      throw .cancelled
    } catch {
      return (try await load(new, interest), false)
    }
    onCached(shown)
    switch try await check(request, interest) {
    case .unchanged: return (shown, true)
    case .changed(let body): return (try await load(new, interest, supplied: body), false)
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
      name: redacted(url),
      kept: kept ?? nil,
      mayRetry: mayRetry,
      ignoresFailures: isReload
    )
    let edition = editions.current(of: source)
    let start = clock.now()
    return try await network.fetch(download, interest) { (reply) async throws(ImageError) in
      switch reply {
      case .notModified(let answer):
        confirm(answer, of: source)
        return .unchanged
      case .body(let bytes, let answer, let mayStore):
        let duration = Duration.microseconds(clock.now() - start)
        counters.record(.downloaded(bytes: bytes.count, duration: duration))
        // What is no image never reaches the caches, and so replaces no image there.
        let frames: Int
        do throws(DecodeError) { frames = try codecs.probe(bytes.span).frames } catch {
          throw .decode(error, url: request.displayName)
        }
        if kept != nil, try await isKept(bytes, source, interest) {
          confirm(answer, of: source)
          return .unchanged
        }
        // Who passed a cache by may have passed an older file by.
        let isNew = kept != nil || isReload || request.reads != .all
        let edition = isNew ? renew(source) : edition
        let body = Body(bytes: bytes, source: .network, edition: edition, mayStore: mayStore)
        await store(body, answer, frames: frames, isNew: isNew, request, source)
        return .changed(keep(body, request, source))
      }
    }
  }

  /// Serve first, persist after.
  private func store(
    _ body: Body,
    _ answer: StoredAnswer,
    frames: Int,
    isNew: Bool,
    _ request: ImageRequest,
    _ source: String
  ) async {
    guard body.mayStore else {
      answers.remove(source)
      lifetimes?.note(nil, of: TableID(source))
      return disk.remove(source)
    }
    remember(answer, of: source, isNew: isNew)
    guard request.stores.contains(.disk) else {
      if isNew { disk.remove(source) }
      return
    }
    let keepsFile = options.disk?.contents.includesFile(of: request, frames: frames) ?? true
    let (bytes, willStore) = (keepsFile ? body.bytes : [], options.hooks.willStore)
    await disk.store(answer.bytes, for: source, cost: bytes.count) { [editions] in
      guard editions.current(of: source) == body.edition else { return nil }
      // What is known of a file is kept also without the file: what was made from it needs it.
      guard keepsFile, let willStore else { return bytes }
      return (try? willStore(bytes, request)) ?? []
    }
  }

  /// Whether the disk or memory holds these very bytes.
  private func isKept(
    _ bytes: [UInt8],
    _ source: String,
    _ interest: Interest
  ) async throws(ImageError) -> Bool {
    if let recent = bodies.value(for: source) { return recent == bytes }
    return try await disk.file(for: source, interest)?.body == bytes
  }

  private func confirm(_ answer: StoredAnswer, of source: String) {
    counters.record(.confirmed)
    remember(answer, of: source)
    disk.extend(answer, for: source)
  }

  /// Notes what is known of a source from now on.
  ///
  /// Of a file that replaces an older one, later runs learn from the disk: the tables may still hold
  /// what was made of the older one when this process dies.
  func remember(_ answer: StoredAnswer, of source: String, isNew: Bool = false) {
    let kept = KeptAnswer(answer, at: clock.now())
    answers.store(kept, cost: 0, for: source)
    lifetimes?.note(isNew ? nil : kept.fresh, of: TableID(source))
  }

  /// Whether an earlier run left word that a source is fresh: the answer itself, which is on the
  /// disk, takes longer to find.
  private func isKnownFresh(_ source: String) -> Bool {
    guard let lifetimes, !answers.contains(source) else { return false }
    return lifetimes.lifetime(of: TableID(source))?.contains(clock.now()) == true
  }

  /// What is known of a source: from memory, else from the disk, which is asked once.
  func keptAnswer(
    of source: String,
    _ interest: Interest
  ) async throws(ImageError) -> KeptAnswer {
    if let kept = answers.value(for: source) { return kept }
    let kept = KeptAnswer(try await disk.answer(for: source, interest), at: clock.now())
    answers.store(kept, cost: 0, for: source)
    return kept
  }
}

extension ImageError {
  /// Whether it tells of trouble on the way to the origin rather than of the source (RFC 5861,
  /// section 4): no answer, an answer that is the server's fault, or one that is no image, as from a
  /// network that wants a log-in first.
  fileprivate var saysNothingOfTheSource: Bool {
    switch self {
    case .transport, .decode, .contentType: true
    case .status(let code, _): code == 429 || code >= 500
    default: false
    }
  }
}
