import IkranTransport

extension ImagePipeline {
  /// Whether data is to be saved: switched by this property, by the environment, or by what the
  /// system says of the network.
  public var lowDataMode: LowDataMode {
    get { lowData.withLock { $0 } }
    set { lowData.withLock { $0 = newValue } }
  }

  /// How fast downloads have arrived lately, in bytes a second; nil before the first that tells.
  public var downloadSpeed: Int? { context.network.speed.bytesPerSecond }

  /// Does `work` with a request, or with what is chosen in its place, then with its fallbacks until
  /// one succeeds.
  ///
  /// - Throws: What `work` throws for the request's own URL, or ``ImageError/cancelled``.
  func withSources<Value: Sendable>(
    of request: ImageRequest,
    _ work: (ImageRequest) async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard !request.transfer.fallbacks.isEmpty else {
      return try await withChoice(of: request, work)
    }
    var own = request
    own.transfer.fallbacks = []
    do throws(ImageError) {
      return try await withChoice(of: own, work)
    } catch {
      guard error != .cancelled else { throw error }
      for url in request.transfer.fallbacks {
        do throws(ImageError) {
          return try await work(request.fallingBack(to: url))
        } catch .cancelled {
          throw .cancelled
        } catch {
          // The next one may succeed.
        }
      }
      throw error
    }
  }

  /// The request in place of one with alternatives; it has none itself.
  private enum Choice {
    case one(ImageRequest)
    /// The first from the caches, which costs no data; else the other one, if there may be any.
    case cached(ImageRequest, else: ImageRequest?)
  }

  /// Does `work` with what is chosen in place of a request with alternatives.
  ///
  /// - Throws: What `work` throws, or ``ImageError/lowData(url:)`` when nothing may be downloaded
  ///   now.
  private func withChoice<Value: Sendable>(
    of request: ImageRequest,
    _ work: (ImageRequest) async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard !request.transfer.alternatives.isEmpty else { return try await work(request) }
    switch choice(of: request) {
    case .one(let chosen):
      do throws(ImageError) {
        return try await work(chosen)
      } catch {
        return try await work(replacement(of: request, after: error))
      }
    case .cached(let kept, let other):
      do throws(ImageError) {
        return try await work(kept)
      } catch {
        if let other, error != .cancelled { return try await work(other) }
        if case .offline(let url) = error, request.caching.policy != .onlyCached {
          throw .lowData(url: url)
        }
        throw error
      }
    }
  }

  private func choice(of request: ImageRequest) -> Choice {
    var plain = request
    plain.transfer.alternatives = []
    guard request.isDownload else { return .one(plain) }
    if request.transfer.alternatives.contains(where: \.isForLowData), isLowData {
      for alternative in request.transfer.alternatives {
        var kept = plain
        kept.caching.policy = .onlyCached
        switch alternative {
        case .onLowData(let url):
          let other = plain.onLowData(url)
          return request.caching.policy == .reload ? .one(other) : .cached(kept, else: other)
        case .notOnLowData: return .cached(kept, else: nil)
        case .below: continue
        }
      }
    }
    guard hit(for: request) == nil, let speed = downloadSpeed else { return .one(plain) }
    var best: (limit: Int, url: String)?
    for case .below(let limit, let url) in request.transfer.alternatives where speed < limit {
      if limit < best?.limit ?? .max { best = (limit, url) }
    }
    return .one(best.map { plain.elsewhere($0.url) } ?? plain)
  }

  /// The request in place of one that the system refuses to send on a network where data is to be
  /// saved, or which is expensive; where the user allows no network, there is none.
  ///
  /// - Throws: The error, when it is another one or the request has no alternative for it;
  ///   ``ImageError/lowData(url:)`` when nothing may be downloaded then.
  private func replacement(
    of request: ImageRequest,
    after error: ImageError
  ) throws(ImageError) -> ImageRequest {
    guard case .transport(.forbiddenNetwork(let refusal), let url) = error, refusal != .cellular
    else { throw error }
    var plain = request
    plain.transfer.alternatives = []
    for alternative in request.transfer.alternatives {
      switch alternative {
      case .onLowData(let other): return plain.onLowData(other)
      case .notOnLowData: throw .lowData(url: url)
      case .below: continue
      }
    }
    throw error
  }

  private var isLowData: Bool {
    switch lowDataMode {
    case .on: true
    case .off: false
    case .automatic:
      switch environment("IKRAN_LOW_DATA") {
      case "1": true
      case "0": false
      default: metered.isMetered()
      }
    }
  }
}
