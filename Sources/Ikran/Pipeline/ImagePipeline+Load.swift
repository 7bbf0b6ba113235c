import IkranCodecs
import IkranPixels
import IkranStores

// The straight line: memory, table, disk, network, decode, style, store. Everything else is called
// from here, once.

extension ImagePipeline {
  /// Loads one image through every stage.
  ///
  /// A caller that has the source's bytes already gives them as `supplied`.
  func load(
    _ request: ImageRequest,
    _ interest: Interest,
    supplied: Body? = nil
  ) async throws(ImageError) -> LoadedImage {
    if request.cachePolicy == .refresh || !request.alternatives.isEmpty {
      return try await refresh(request, interest).image
    }
    var (request, supplied) = (request, supplied)
    if supplied == nil { (request, supplied) = try await followStoredRedirects(request, interest) }
    // 1 and 2. Memory and the tables, as long as what they hold is not too old.
    let edition = editions.current(of: request.sourceKey(filteredBy: options.keyFilter))
    if let hit = hit(for: request) {
      record(hit, of: request)
      switch try await standing(of: request, since: edition, interest) {
      case .current: return hit
      case .outdated: break
      case .replaced(let body): supplied = body
      }
    }
    if supplied == nil, let next = try await followRedirectOfEarlierRun(of: request, interest) {
      return try await load(next.request, interest, supplied: next.body)
    }
    let made = try await make(request, interest, supplied)
    record(made, of: request)
    return made
  }

  /// Writes a look-up down for `ikran cache simulate`.
  func record(_ image: LoadedImage, of request: ImageRequest) {
    guard let trace else { return }
    let key = styledKey(withKnownRedirects(request))
    trace.record(key: "\(key.id)", bytes: image.cached.image.byteCount)
  }

  /// Makes one image that neither memory nor a table holds.
  private func make(
    _ request: ImageRequest,
    _ interest: Interest,
    _ supplied: Body?
  ) async throws(ImageError) -> LoadedImage {
    watchPressure()
    let key = styledKey(request)
    let mayRead = request.cachePolicy != .reload && request.reads.contains(.memory)
    let fitting = try fitting(of: key)
    let flight = FlightKey(key, of: request)
    return try await styledFlights.value(for: flight, interest: interest) {
      (interest) async throws(ImageError) in
      // Somebody may have finished it while this flight was starting.
      if mayRead, let hit = self.images.value(for: key) { return LoadedImage(hit, from: .memory) }
      var (key, supplied) = (key, supplied)
      if supplied == nil {
        switch try await self.keptImage(request, key, interest) {
        case .image(let image): return image
        case .newerFile(let body): (key.edition, supplied) = (body.edition, body)
        case .none: key.edition = self.editions.current(of: key.source)
        }
      }
      let decoded = try await self.sharedDecode(request, key, fitting, interest, supplied)
      // 6. Style.
      let image = try await self.styled(decoded.image, key, interest)
      // 7. Store in memory before anyone is told, so that the next request finds it; in a table or
      // on the disk behind them. The disk has had the body since it arrived.
      let cached = CachedImage(image, of: decoded)
      var newest = key
      (newest.source, newest.edition) = (decoded.body.sourceKey, decoded.body.edition)
      if decoded.body.mayStore, request.stores.contains(.memory) {
        self.images.store(cached, for: newest)
      }
      if await !self.keepInTable(image, of: decoded, request, newest) {
        await self.keepOnDisk(image, of: decoded, request, newest)
      }
      return LoadedImage(cached, from: decoded.body.source, body: decoded.body.bytes)
    }
  }

  /// 5: the decode, once for each source and needed size.
  private func sharedDecode(
    _ request: ImageRequest,
    _ styled: StyledKey,
    _ fitting: Fitting,
    _ interest: Interest,
    _ supplied: Body?
  ) async throws(ImageError) -> DecodedImage {
    let key = DecodeKey(source: styled.source, edition: styled.edition, fitting: fitting)
    let flight = FlightKey(key, of: request)
    return try await decodeFlights.value(for: flight, interest: interest) {
      (interest) async throws(ImageError) in
      var supplied = supplied
      if supplied == nil, request.cachePolicy != .reload, request.reads.contains(.memory),
        let recent = self.decodes.value(for: key)
      {
        switch try await self.standing(of: request, since: key.edition, interest) {
        case .current: return recent.recalled
        case .outdated: break
        case .replaced(let body): supplied = body
        }
      }
      let decoded = try await self.decoded(request, key.source, fitting, interest, supplied)
      var newest = key
      (newest.source, newest.edition) = (decoded.body.sourceKey, decoded.body.edition)
      if decoded.body.mayStore, request.stores.contains(.memory) {
        self.decodes.store(decoded, cost: decoded.byteCount, for: newest)
      }
      return decoded
    }
  }

  /// Decodes the first copy that can be: what a store holds may be damaged, which fails nobody.
  private func decoded(
    _ request: ImageRequest,
    _ source: String,
    _ fitting: Fitting,
    _ interest: Interest,
    _ supplied: Body?
  ) async throws(ImageError) -> DecodedImage {
    let first = if let supplied { supplied } else { try await body(request, source, interest) }
    do throws(ImageError) {
      return try await decode(first, fitting, request, interest)
    } catch .decode(let error, let url) {
      forget(first, error)
      var again = request
      switch first.source {
      case .avatar:
        counters.record(.avatarStorageFailed("\(url): the stored original: \(error)"))
      case .memory, .disk:
        guard request.cachePolicy == .standard else { throw .decode(error, url: url) }
        again.cachePolicy = .reload
      case .network, .file, .data, .table: throw .decode(error, url: url)
      }
      let second = try await body(again, source, interest)
      do throws(ImageError) {
        return try await decode(second, fitting, request, interest)
      } catch .decode(let error, let url) {
        forget(second, error)
        throw .decode(error, url: url)
      }
    }
  }

  /// 3 and 4: the bytes, from recent memory, the disk, or the network, wherever redirects lead.
  func body(
    _ request: ImageRequest,
    _ source: String,
    _ interest: Interest
  ) async throws(ImageError) -> Body {
    var (request, source) = (request, source)
    var redirects: [Redirect] = []
    for _ in 0...Self.maximumRedirects {
      // Each hop is its own flight. Nested flights of a redirect loop would wait for each other
      // forever.
      switch try await bodyOrRedirect(request, source, interest) {
      case .body(let body):
        for redirect in redirects { await store(redirect) }
        try await keepFile(body, request, source, interest)
        return body
      case .redirected(let next, let redirect):
        if let redirect { redirects.append(redirect) }
        (request, source) = (next, next.sourceKey(filteredBy: options.keyFilter))
      }
    }
    throw tooManyRedirects(request)
  }

  private func bodyOrRedirect(
    _ request: ImageRequest,
    _ source: String,
    _ interest: Interest
  ) async throws(ImageError) -> BodyOrRedirect {
    guard case .url(let url) = request.source else {
      return .body(try request.inlineBody(edition: editions.current(of: source), source))
    }
    let flight = FlightKey(source, of: request)
    return try await bodyFlights.value(for: flight, interest: interest) {
      (interest) async throws(ImageError) in
      let origin = ImageSource(scheme: url)
      if request.cachePolicy != .reload {
        if let found = try await self.keptBody(request, origin, source, interest) {
          return .body(found)
        }
        // Reading the disk may have found a redirect.
        let (next, newer) = try await self.followStoredRedirects(request, interest)
        if let newer { return .body(newer) }
        if next.sourceKey != request.sourceKey { return .redirected(next, nil) }
        if origin == .network, request.cachePolicy == .onlyCached {
          throw .offline(url: request.displayName)
        }
      }
      guard origin == .network else {
        let body = try await self.fetchLocal(url, request, origin, source, interest)
        return .body(self.keep(body, request))
      }
      switch try await self.download(url, request, source, kept: nil, interest) {
      case .changed(let body): return .body(body)
      case .redirected(let redirect): return .redirected(redirect.target, redirect)
      // Without a kept answer nothing is asked that could be answered so.
      case .unchanged: throw .status(304, url: request.displayName)
      }
    }
  }

  /// A source's bytes from recent memory or the disk, unless they are too old; then the newer ones.
  func keptBody(
    _ request: ImageRequest,
    _ origin: ImageSource,
    _ source: String,
    _ interest: Interest
  ) async throws(ImageError) -> Body? {
    let edition = editions.current(of: source)
    var found: Body?
    if request.reads.contains(.memory), let recent = bodies.value(for: source) {
      let from = origin == .network ? ImageSource.memory : origin
      found = Body(bytes: recent, source: from, edition: edition, sourceKey: source)
    } else if origin == .network, request.reads.contains(.disk) {
      let (entry, answer) = try await disk.file(for: source, interest)
      learn(answer, of: source)
      found = entry.map { entry in
        let body = Body(bytes: entry.body, source: .disk, edition: edition, sourceKey: source)
        return keep(body, request)
      }
    }
    guard let found else { return nil }
    switch try await standing(of: request, since: edition, interest) {
    case .current: return found
    case .outdated: return try await keptBody(request, origin, source, interest)
    case .replaced(let body): return body
    }
  }
}
