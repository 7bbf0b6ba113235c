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
    let key = styledKey(request)
    let mayRead = request.cachePolicy != .reload
    // 1 and 2. Memory and the tables.
    if mayRead, let hit = hit(for: request) { return hit }
    let fitting = try fitting(of: key)
    let flight = FlightKey(key: key, policy: request.cachePolicy)
    return try await styledFlights.value(for: flight, interest: interest) {
      (interest) async throws(ImageError) in
      // Somebody may have finished it while this flight was starting.
      if mayRead, let hit = self.images.value(for: key) { return LoadedImage(hit, from: .memory) }
      let decoded = try await self.sharedDecode(request, key, fitting, interest, supplied)
      // 6. Style.
      let image = try await self.styled(decoded.image, key, interest)
      // 7. Store in memory before anyone is told, so that the next request finds it; in a table
      // behind them. The disk has had the body since it arrived.
      let cached = CachedImage(image, of: decoded)
      var newest = key
      newest.edition = decoded.body.edition
      self.images.store(cached, cost: image.byteCount, for: newest)
      await self.keepInTable(image, of: decoded, request, newest)
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
    let flight = FlightKey(key: key, policy: request.cachePolicy)
    return try await decodeFlights.value(for: flight, interest: interest) {
      (interest) async throws(ImageError) in
      if request.cachePolicy != .reload, let recent = self.decodes.value(for: key) {
        return recent.recalled
      }
      let decoded = try await self.decoded(request, key.source, fitting, interest, supplied)
      var newest = key
      newest.edition = decoded.body.edition
      self.decodes.store(decoded, cost: decoded.byteCount, for: newest)
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
      forget(first, source, error)
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
        forget(second, source, error)
        throw .decode(error, url: url)
      }
    }
  }

  /// 3 and 4: the bytes, from recent memory, the disk, or the network.
  private func body(
    _ request: ImageRequest,
    _ source: String,
    _ interest: Interest
  ) async throws(ImageError) -> Body {
    guard case .url(let url) = request.source else {
      return try request.inlineBody(edition: editions.current(of: source))
    }
    let flight = FlightKey(key: source, policy: request.cachePolicy)
    return try await bodyFlights.value(for: flight, interest: interest) {
      (interest) async throws(ImageError) in
      let origin = ImageSource(scheme: url)
      let edition = self.editions.current(of: source)
      if request.cachePolicy != .reload {
        if let recent = self.bodies.value(for: source) {
          return Body(
            bytes: recent,
            source: origin == .network ? .memory : origin,
            edition: edition
          )
        }
        if origin == .network, let bytes = try await self.disk.body(for: source, interest) {
          return self.keep(Body(bytes: bytes, source: .disk, edition: edition), source)
        }
        if origin == .network, request.cachePolicy == .onlyCached {
          throw .offline(url: redacted(url))
        }
      }
      let body = try await self.fetch(url, request, origin, source, interest)
      return self.keep(body, source)
    }
  }
}
