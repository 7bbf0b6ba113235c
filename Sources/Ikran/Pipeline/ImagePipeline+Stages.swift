import FoundationEssentials
import IkranCodecs
import IkranPixels
import IkranStores

// One function for each stage of the straight line.

extension ImagePipeline {
  /// What memory or a table has: the stages that nobody waits for.
  func hit(for request: ImageRequest) -> LoadedImage? {
    guard request.cachePolicy != .reload else { return nil }
    let request = withKnownRedirects(request)
    let key = styledKey(request)
    if request.reads.contains(.memory), let hit = images.value(for: key) {
      return LoadedImage(hit, from: .memory)
    }
    // A style that makes no sense is reported when the image is made.
    guard let tables, request.reads.contains(.tables), request.isDownload,
      case .cover(let size)? = try? fitting(of: key),
      let image = tables.image(for: key, size: size)
    else { return nil }
    return LoadedImage(CachedImage(image), from: .table)
  }

  /// Stores a downloaded still of a fixed size in its table, unless its file is out of date by then.
  ///
  /// - Returns: Whether tables are the place for it.
  func keepInTable(
    _ image: Bitmap,
    of decoded: DecodedImage,
    _ request: ImageRequest,
    _ key: StyledKey
  ) async -> Bool {
    guard let tables, request.stores.contains(.tables), mayKeep(decoded, request),
      case .cover(image.size)? = try? fitting(of: key)
    else { return false }
    return await tables.store(image, for: key) { [editions] in
      editions.current(of: key.source) == key.edition
    }
  }

  /// Whether later runs may have what was made from a file: from a downloaded still.
  func mayKeep(_ decoded: DecodedImage, _ request: ImageRequest) -> Bool {
    request.isDownload && decoded.frames == 1 && decoded.body.mayStore
      && decoded.body.source != .avatar
  }

  /// Begins the next edition of a source, whose older file and images then leave memory and the
  /// tables.
  func renew(_ source: String) -> Int {
    let edition = tables?.renew(source) { editions.begin(source) } ?? editions.begin(source)
    bodies.remove(source)
    return edition
  }

  /// The pixels that a style needs.
  func fitting(of key: StyledKey) throws(ImageError) -> Fitting {
    // Also of styles that need no scale: NaN is unequal to itself, and so is a key with it.
    guard key.scale > 0, key.scale.isFinite else {
      throw .style(.invalidSize(style: key.style.key, scale: key.scale))
    }
    do throws(StyleError) {
      return try key.style.fitting(scale: key.scale)
    } catch {
      throw .style(error)
    }
  }

  /// Fetches a local body.
  func fetchLocal(
    _ url: String,
    _ request: ImageRequest,
    _ origin: ImageSource,
    _ source: String,
    _ interest: Interest
  ) async throws(ImageError) -> Body {
    let edition = editions.current(of: source)
    let limit = min(options.network.maximumBodyBytes, options.decoding.limits.maximumBytes)
    let fetch = TransportRequest(url: url, maximumBodyBytes: limit)
    let response: TransportResponse
    do throws(TransportError) {
      response = try await transport.fetch(fetch) { interest.report($0) }
    } catch .cancelled {
      throw .cancelled
    } catch {
      throw .transport(error, url: redacted(url))
    }
    let isReload = request.cachePolicy == .reload
    return Body(
      bytes: response.body,
      source: origin,
      edition: isReload ? renew(source) : edition,
      sourceKey: source
    )
  }

  /// Keeps a body for the other styles that may want it soon.
  func keep(_ body: Body, _ request: ImageRequest) -> Body {
    let source = body.sourceKey
    if body.mayStore, request.stores.contains(.memory), body.edition == editions.current(of: source)
    {
      bodies.store(body.bytes, cost: body.bytes.count, for: source)
      // A newer file may have come between the look and the store.
      if body.edition != editions.current(of: source) { bodies.remove(source) }
    }
    return body
  }

  /// Removes from the caches what cannot be decoded; what they never held stays out of it.
  func forget(_ body: Body, _ error: DecodeError) {
    let source = body.sourceKey
    // A want of memory says nothing about the file.
    if case .bitmap = error { return }
    switch body.source {
    case .memory, .disk, .network:
      bodies.remove(source)
      disk.remove(source)
    case .file: bodies.remove(source)
    case .table, .avatar, .data: break
    }
  }

  /// Decodes a body to the pixels a style needs.
  func decode(
    _ body: Body,
    _ fitting: Fitting,
    _ request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) -> DecodedImage {
    let limits = options.decoding.limits
    return try await computing.run(interest) { (workspace) throws(ImageError) in
      do throws(DecodeError) {
        return try self.counters.measure { () throws(DecodeError) in
          let bytes = body.bytes.span
          let info = try self.codecs.probe(bytes)
          let image = try self.codecs.decode(
            bytes,
            fitting: fitting,
            limits: limits,
            workspace: workspace
          )
          return DecodedImage(image: image, frames: info.frames, body: body)
        } as: {
          .decoded(bytes: body.bytes.count, duration: $0)
        }
      } catch {
        throw .decode(error, url: request.displayName)
      }
    }
  }

  /// Draws a style's edges; a style without edges returns them as they are.
  func styled(
    _ image: Bitmap,
    _ key: StyledKey,
    _ interest: Interest
  ) async throws(ImageError) -> Bitmap {
    guard key.style.needsFinish else {
      // Not worth another thread's waking.
      counters.record(.styled(duration: .zero))
      return image
    }
    return try await computing.run(interest, finishes: true) { (workspace) throws(ImageError) in
      do throws(StyleError) {
        return try self.counters.measure { () throws(StyleError) in
          try key.style.finish(image, scale: key.scale, workspace: workspace)
        } as: {
          .styled(duration: $0)
        }
      } catch {
        throw .style(error)
      }
    }
  }
}

extension ImageRequest {
  /// What to call the source in a message: the URL without its secrets, or the data's id.
  var displayName: String {
    switch source {
    case .url(let url): redirectChain?.name ?? redacted(url)
    case .bytes: String(sourceKey.dropFirst("bytes:".count))
    }
  }

  /// Whether its bytes come over the network.
  var isDownload: Bool {
    guard case .url(let url) = source else { return false }
    return ImageSource(scheme: url) == .network
  }

  /// Whether it is a GET without a body: only these are resumed, and redirected through the caches.
  var isPlainGet: Bool { method == "GET" && body == nil }

  /// The body that came with the request.
  func inlineBody(edition: Int, _ key: String) throws(ImageError) -> Body {
    guard case .bytes(let bytes) = source else {
      throw .invalidRequest("the request brings no data")
    }
    return Body(bytes: bytes, source: .data, edition: edition, sourceKey: key)
  }
}

extension ImageSource {
  /// What a URL's scheme says about where its bytes come from.
  init(scheme url: String) {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    self = scheme == "file" ? .file : scheme == "data" ? .data : .network
  }
}
