import Ikran
import IkranHTTP
import IkranStores
import IkranSystem
import Synchronization

// Decision 86: a service by imgproxy's URLs.
/// Pictures over HTTP, by URLs in the grammar of imgproxy.
package final class ImageService: Sendable {
  /// The port it listens on; 0 for a Unix socket.
  package let port: Int
  /// `http://HOST:PORT`, without a slash at the end; `unix:PATH` for a Unix socket.
  package let baseURL: String
  /// The port of its statistics; nil where there is none.
  package let statisticsPort: Int?

  /// Variables with a prefix that are none of the service's: misspelt ones, or of other versions.
  package let unknownVariables: [String]

  /// What of the settings allows more than it seems to, as sentences.
  package let warnings: [String]

  private let handler: ServiceHandler
  private let daemon: DaemonHandle
  private let statistics: DaemonHandle?
  let responses: ResponseMaker
  private let patience: Duration
  private let manager: ServiceManager
  /// Reads the keys again; nil where no file has them.
  private let readKeys: (@Sendable () throws(SettingsError) -> [KeySettings.Pair])?
  private let isStopped = Atomic(false)
  /// The Unix socket that this service has made.
  private let path: String?
  private let isSocketRemoved = Atomic(false)

  /// Loads the pictures of the settings, listens and starts the threads.
  ///
  /// - Parameters:
  ///   - environment: Variables by their names: `IKRAN_…`, and `IMGPROXY_…` in their place; those
  ///     of systemd for its socket and for word of how things stand count, too.
  ///   - cache: Where results and sources are kept.
  ///   - version: The program's.
  ///   - log: Gets a line for each request that has ended, and for what the caches could not do.
  ///   - contents: What a file holds that a setting names; nil where it cannot be read.
  /// - Throws: ``SettingsError``, ``ListenError``, ``FolderError``, ``DiskCacheError`` or
  ///   ``ServiceError``, each a sentence that says what to do.
  package init(
    environment: [String: String],
    cache: CacheSettings,
    version: String,
    log: ServiceLog? = nil,
    contents: @escaping @Sendable (String) -> [UInt8]? = { _ in nil }
  ) async throws {
    manager = ServiceManager(environment)
    var reader = SettingsReader(environment, contents: contents)
    let settings = try ServiceSettings(&reader)
    (unknownVariables, warnings) = (reader.unknownNames, settings.sources.warnings)
    readKeys = Self.reader(of: settings.keys, environment, contents)
    let cache = try settings.caching.folder.sized(cache)
    let log = log?.from(settings.server.responses.log.level)
    let faults = CacheFaults(say: { log?.notice(.error, $0) })
    let tiers = settings.caching.tiers.stores()
    let pictures = try PictureSource(
      settings,
      cache: cache,
      version: version,
      tiers: tiers,
      faults: faults
    )
    let extras = try await pictures.prepare(contents)
    let known = environment.filter { [unknownVariables] in !unknownVariables.contains($0.key) }
    let fingerprint = SettingsFingerprint(known, settings.presets.texts, extras: extras).text
    let tables = settings.caching.folder.tables
    pictures.use(try PixelTables(tables, cache: cache, fingerprint: fingerprint))
    let shared = tiers.isEmpty ? nil : SharedResults(tiers, settings, fingerprint: fingerprint)
    let results = try ResultCache(cache, fingerprint: fingerprint, shared: shared, faults: faults)
    responses = try ResponseMaker(settings, pictures: pictures, results: results, log: log)
    handler = ServiceHandler(responses, settings.server.timeouts)
    patience = settings.server.timeouts.gracefulStop
    let address = settings.server.address
    path = manager.socket == nil ? address.path : nil
    daemon = try Self.daemon(handler, socket: manager.socket, at: address, settings.server)
    port = daemon.port
    baseURL = address.url(port: port)
    do {
      statistics = try Self.statistics(of: responses, daemon, settings.server)
    } catch {
      if let path { _ = try? Files.remove(path) }
      daemon.stop()
      throw error
    }
    statisticsPort = statistics?.port
    manager.tell("READY=1")
  }

  deinit { stop() }

  private static func daemon(
    _ handler: ServiceHandler,
    socket: CInt?,
    at address: ListeningAddress,
    _ settings: ServerSettings
  ) throws(ListenError) -> DaemonHandle {
    let options = DaemonOptions(settings)
    if let socket { return try DaemonHandle(handler: handler, socket: socket, options: options) }
    if let path = address.path {
      return try DaemonHandle(handler: handler, path: path, options: options)
    }
    let (host, port) = (address.boundHost, Int(address.port))
    return try DaemonHandle(handler: handler, host: host, port: port, options: options)
  }

  private static func statistics(
    of responses: ResponseMaker,
    _ daemon: DaemonHandle,
    _ settings: ServerSettings
  ) throws(ListenError) -> DaemonHandle? {
    guard let address = settings.statistics?.address else { return nil }
    var options = DaemonOptions(settings)
    options.threads = 1
    let tiers = responses.results.shared?.tiers ?? []
    let sources = responses.pictures.shared
    return try DaemonHandle(
      handler: StatisticsHandler { [metrics = responses.metrics, daemon] in
        metrics.text(connections: daemon.connections, tiers: tiers, sources: sources)
      },
      host: address.boundHost,
      port: Int(address.port),
      options: options
    )
  }

  /// Reads the files of keys and salts again, and uses them from the next request on.
  ///
  /// Open requests and connections stay. Files that have a mistake change nothing.
  ///
  /// - Returns: How many pairs of keys and salts there are now; nil where no file has them.
  /// - Throws: ``SettingsError``, which names the file.
  package func reloadKeys() throws(SettingsError) -> Int? {
    manager.tellReloading()
    defer { manager.tell("READY=1") }
    guard let pairs = try readKeys?() else { return nil }
    responses.use(pairs)
    return pairs.count
  }

  private static func reader(
    of keys: KeySettings,
    _ environment: [String: String],
    _ contents: @escaping @Sendable (String) -> [UInt8]?
  ) -> (@Sendable () throws(SettingsError) -> [KeySettings.Pair])? {
    guard keys.areInFiles else { return nil }
    return { () throws(SettingsError) in
      var reader = SettingsReader(environment, contents: contents)
      return try KeySettings(&reader).pairs
    }
  }

  /// Refuses further connections, lets the requests that are open end, and stops.
  ///
  /// They have as long as the setting `GRACEFUL_STOP_TIMEOUT` says.
  package func drain() async {
    manager.tell("STOPPING=1")
    removeSocket()
    daemon.stopListening()
    handler.closeConnections()
    let end = ContinuousClock.now + patience
    // A task of its own: the caller's may be cancelled, and would not sleep.
    await Task { [responses] in
      while responses.metrics.inProgress > 0 || responses.isSharing, ContinuousClock.now < end {
        try? await Task.sleep(for: .milliseconds(20))
      }
      await responses.results.flush()
    }.value
    stop()
  }

  /// Ends every request, closes every connection and joins the threads.
  ///
  /// Blocks until the last handler has returned. Does nothing the second time.
  package func stop() {
    guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    removeSocket()
    // The statistics ask the daemon.
    statistics?.stop()
    handler.suspended.stop()
    daemon.stop()
  }

  /// Removes the Unix socket, while it is still this service's: once nothing listens, another may
  /// have replaced it.
  private func removeSocket() {
    guard let path, !isSocketRemoved.exchange(true, ordering: .relaxed) else { return }
    _ = try? Files.remove(path)
  }
}

extension DaemonOptions {
  fileprivate init(_ settings: ServerSettings) {
    self.init()
    threads = 2
    // Each thread has its share of them, and those that come are not spread evenly.
    let clients = settings.maximumClients
    maximumConnections = clients == 0 ? 1 << 20 : clients + clients / 8 + 16
    let times = settings.timeouts
    limits = ConnectionLimits(
      request: times.readingRequest,
      response: times.writingResponse,
      pause: times.keepAlive
    )
    let idle = max(times.keepAlive, times.readingRequest, times.writingResponse)
    idleSeconds = Int(idle.components.seconds)
    keepsTarget = true
    isStrict = true
  }
}

/// The settings that results depend on.
private struct SettingsFingerprint {
  let text: String

  /// Without keys, addresses and times, which change no picture.
  private static let others = [
    "KEY", "SALT", "SECRET", "TRUSTED", "SIGNATURE", "BIND", "PORT", "NETWORK", "TIMEOUT",
    "WORKERS", "REQUESTS", "MAX_CLIENTS", "PROMETHEUS", "HEALTH", "ALLOW", "DEVELOPMENT", "CACHE",
    "S3_ALLOWED_BUCKETS", "S3_DENIED_BUCKETS", "TTL", "TIER_", "OPEN_TELEMETRY", "TABLES", "LOG_",
  ]

  /// Takes the variables, and what the files hold that they name.
  init(_ environment: [String: String], _ presets: [String], extras: TableID?) {
    var chosen: [Substring: String] = [:]
    // The later ones win.
    for prefix in ["IMGPROXY_", "IKRAN_"] {
      for (name, value) in environment where name.hasPrefix(prefix) {
        let rest = name.dropFirst(prefix.count)
        // One has a meaning when it is empty.
        if value.isEmpty, rest != "SOURCE_URL_QUERY_SEPARATOR" { continue }
        if Self.others.contains(where: { rest.hasPrefix($0) || rest.hasSuffix($0) }) { continue }
        chosen[rest] = value
      }
    }
    let lines = chosen.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)\n" }.joined()
    let files = presets.joined(separator: "\n") + (extras.map { "\n\($0)" } ?? "")
    text = "\(TableID(lines + files)) "
  }
}
