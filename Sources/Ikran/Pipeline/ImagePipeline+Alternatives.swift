extension ImagePipeline {
  /// Whether data is to be saved: switched by this property, by the environment, or by what the
  /// system says of the network.
  public var lowDataMode: LowDataMode {
    get { lowData.withLock { $0 } }
    set { lowData.withLock { $0 = newValue } }
  }

  /// How fast downloads have arrived lately, in bytes a second; nil before the first that tells.
  public var downloadSpeed: Int? { network.speed.bytesPerSecond }

  /// Loads the image of a request with alternatives.
  ///
  /// - Throws: ``ImageError/lowData(url:)`` when it may not be downloaded now.
  func loadChosen(
    _ request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) -> LoadedImage {
    var chosen = chosen(request)
    chosen.alternatives = []
    do throws(ImageError) {
      return try await load(chosen, interest)
    } catch .offline(let url) where request.cachePolicy != .onlyCached {
      throw .lowData(url: url)
    }
  }

  /// The request to load in place of one with alternatives.
  private func chosen(_ request: ImageRequest) -> ImageRequest {
    guard request.isDownload, hit(for: request) == nil else { return request }
    if request.alternatives.contains(where: \.isForLowData), isLowData {
      for alternative in request.alternatives {
        switch alternative {
        case .onLowData(let url): return request.with(location: url)
        case .notOnLowData:
          // What the disk holds costs no data.
          var kept = request
          kept.cachePolicy = .onlyCached
          return kept
        case .below: continue
        }
      }
    }
    guard let speed = downloadSpeed else { return request }
    var best: (limit: Int, url: String)?
    for case .below(let limit, let url) in request.alternatives where speed < limit {
      if limit < best?.limit ?? .max { best = (limit, url) }
    }
    return best.map { request.with(location: $0.url) } ?? request
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
