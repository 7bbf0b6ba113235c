import FoundationEssentials
import IkranCodecs
import IkranPixels
import IkranStores

// One function for each stage of the straight line.

extension ImagePipeline {
  /// The pixels that a style needs.
  func fitting(of key: StyledKey) throws(ImageError) -> Fitting {
    do throws(StyleError) {
      return try key.style.fitting(scale: key.scale)
    } catch {
      throw .style(error)
    }
  }

  /// Reads a body from the disk cache.
  func readFromDisk(_ source: String, _ interest: Interest) async throws(ImageError) -> [UInt8]? {
    guard !disk.isAbsent else { return nil }
    return try await blocking.run(interest) { (_) throws(ImageError) in
      self.disk.body(for: source)
    }
  }

  /// Downloads a body, when its turn comes, and judges the answer's status.
  func fetch(
    _ url: String,
    _ request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) -> [UInt8] {
    let fetch = TransportRequest(
      url: url,
      headers: request.headers,
      connectTimeout: options.network.connectTimeout,
      timeout: request.timeout ?? options.network.timeout,
      maximumBodyBytes: min(
        options.network.maximumBodyBytes,
        options.decoding.limits.maximumBytes
      )
    )
    return try await downloads.pass(interest) { () async throws(ImageError) in
      let clock = ContinuousClock()
      let start = clock.now
      let response: TransportResponse
      do throws(TransportError) {
        response = try await transport.fetch(fetch) { interest.report($0) }
      } catch .cancelled {
        throw .cancelled
      } catch {
        throw .transport(error, url: redacted(url))
      }
      guard (200..<300).contains(response.status), response.status != 204 else {
        throw .status(response.status, url: redacted(url))
      }
      if ImageSource(scheme: url) == .network {
        counters.record(.downloaded(bytes: response.body.count, duration: clock.now - start))
      }
      return response.body
    }
  }

  /// Keeps a body for the other styles that may want it soon.
  func keep(_ body: Body, _ source: String) -> Body {
    bodies.store(body.bytes, cost: body.bytes.count, for: source)
    return body
  }

  /// Puts a downloaded body on the disk, behind everything that somebody waits for.
  ///
  /// What is no image is not worth keeping. When too many bytes wait to be written it waits
  /// too, which slows the downloads to the disk's speed.
  func persist(_ bytes: [UInt8], _ source: String, _ interest: Interest) async {
    // A header that cannot be read is decode's to report; here it means: not an image.
    guard !disk.isAbsent, (try? codecs.probe(bytes.span)) != nil else { return }
    if disk.begin(bytes.count) {
      blocking.later { [disk] in
        disk.store(bytes, for: source)
        disk.ended(bytes.count)
      }
    } else {
      defer { disk.ended(bytes.count) }
      // A cancelled caller leaves the queue, and the write with it: only the cache is poorer.
      try? await blocking.run(interest) { (_) throws(ImageError) in
        self.disk.store(bytes, for: source)
      }
    }
  }

  /// Decodes a body to the pixels a style needs; a body that is no image leaves the caches.
  func decode(
    _ body: Body,
    _ fitting: Fitting,
    _ request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) -> DecodedImage {
    let limits = options.decoding.limits
    let source = options.keyFilter?(request.sourceKey) ?? request.sourceKey
    do throws(ImageError) {
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
    } catch {
      if case .decode = error {
        bodies.remove(source)
        if !disk.isAbsent { blocking.later { [disk] in disk.remove(source) } }
      }
      throw error
    }
  }

  /// Draws a style's edges; styles that are done with the decode cost nothing.
  func styled(
    _ image: Bitmap,
    _ key: StyledKey,
    _ interest: Interest
  ) async throws(ImageError) -> Bitmap {
    try await computing.run(interest) { (workspace) throws(ImageError) in
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
    case .url(let url): redacted(url)
    case .bytes: String(sourceKey.dropFirst("bytes:".count))
    }
  }

  /// The body that came with the request.
  func inlineBody() throws(ImageError) -> Body {
    guard case .bytes(let bytes) = source else {
      throw .invalidRequest("the request brings no data")
    }
    return Body(bytes: bytes, source: .data)
  }
}

extension ImageSource {
  /// What a URL's scheme says about where its bytes come from.
  init(scheme url: String) {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    self = scheme == "file" ? .file : scheme == "data" ? .data : .network
  }
}
