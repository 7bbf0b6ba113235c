import Ikran
import IkranHTTP
import IkranTransport

extension ImagePipeline {
  /// The pipeline of a service: its sources as the settings have it, and no images in its caches,
  /// only their files.
  ///
  /// - Parameters:
  ///   - settings: Where sources may be.
  ///   - cache: The folder of the files; nil keeps them in memory.
  ///   - transport: Where sources come from.
  ///   - onEvent: Called with what happens.
  convenience init(
    _ settings: ServiceSettings,
    cache: CacheSettings,
    transport: any Transport,
    onEvent: (@Sendable (PipelineEvent) -> Void)? = nil
  ) {
    var options = PipelineOptions()
    options.memory = MemoryOptions(limit: .bytes(cache.memoryBytes))
    options.disk = cache.folder.map {
      DiskOptions(directory: $0 + "/sources", limit: .bytes(cache.diskBytes / 2))
    }
    options.decoding.maximumConcurrent = settings.server.work.workers
    options.network.queue.maximumPerHost = 64
    options.network.queue.maximumConcurrent = 256
    options.network.retry = .none
    options.network.failures = .none
    if settings.limits.sourceBytes > 0 {
      options.network.maximumBodyBytes = settings.limits.sourceBytes
    }
    self.init(options: options, transport: transport, onEvent: onEvent)
  }
}

extension SchemeTransport {
  /// The transport for the sources of a service.
  ///
  /// - Parameters:
  ///   - sources: Where they may be.
  ///   - version: The program's, for the field `User-Agent`.
  ///   - shared: What processes share of those that come by HTTP; nil for nothing.
  /// - Throws: ``FolderError`` when the folder of local sources cannot be read.
  init(
    _ sources: SourceSettings,
    version: String,
    shared: (any SharedFiles)? = nil
  ) throws(FolderError) {
    var curl = CurlOptions()
    curl.destinations.addresses = .publicAnd(LocalNetworks(sources.addresses))
    curl.limits.maximumRedirects = sources.http.maximumRedirects
    curl.tls.allowsInvalidCertificates = sources.http.ignoresCertificates
    curl.identity.userAgent =
      sources.http.userAgent.split(separator: "%current_version", omittingEmptySubsequences: false)
      .joined(separator: version)
    var network: any Transport = TracingTransport(
      network: CurlTransport(curl),
      passesState: sources.http.beginsTraces
    )
    if let shared { network = SharingTransport(network: network, files: shared) }
    self.init(network: network, file: nil, data: NoTransport())
    if let s3 = sources.s3 { register(S3Transport(s3, curl), for: "s3") }
    if let root = sources.localRoot {
      register(LocalTransport(try RealFolder(path: root)), for: "local")
    }
  }
}

/// Refuses `data:` URLs, which no source of this grammar is.
private struct NoTransport: Transport {
  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    throw .invalidURL("the scheme “data” is not allowed here; use http or https")
  }
}

extension LocalNetworks {
  fileprivate init(_ settings: AddressSettings) {
    self = []
    if settings.allowsLoopback { insert(.loopback) }
    if settings.allowsLinkLocal { insert(.linkLocal) }
    if settings.allowsPrivate { insert(.privateUse) }
  }
}

extension DecodeLimits {
  /// Those of a service.
  init(_ settings: LimitSettings) {
    self.init()
    if settings.sourceBytes > 0 { maximumBytes = settings.sourceBytes }
    // The service counts pixels itself: where none is counted, the decoders' own bound holds.
    maximumPixels = max(maximumPixels, settings.sourcePixels)
    maximumFrames = max(maximumFrames, settings.animationFrames)
  }
}
