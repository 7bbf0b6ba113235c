/// Where a service listens, and how much it does at a time.
struct ServerSettings: Sendable, Hashable {
  var address: ListeningAddress
  /// Another address for statistics; nil is none.
  var statistics: StatisticsSettings?
  /// Before all paths: empty, or begins with `/` and does not end with it.
  var pathPrefix: String
  /// Another path for health checks than `/health`; empty, or begins with `/`.
  var healthPath: String
  /// Open connections at most; 0 is any number.
  var maximumClients: Int
  var work: WorkSettings
  var timeouts: TimeoutSettings
  var responses: ResponseSettings

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    address = try ListeningAddress.main(&reader)
    statistics = try StatisticsSettings.read(&reader)
    if let statistics, statistics.address == address {
      throw SettingsError(
        variable: reader.wholeName("PROMETHEUS_BIND"),
        value: statistics.address.description,
        expected: "another address than that of \(reader.wholeName("BIND"))"
      )
    }
    pathPrefix = reader.path("PATH_PREFIX")
    healthPath = reader.path("HEALTH_CHECK_PATH")
    maximumClients = try reader.integer("MAX_CLIENTS", 2048, in: 0...10_000_000)
    work = try WorkSettings(&reader)
    timeouts = try TimeoutSettings(&reader)
    responses = try ResponseSettings(&reader)
  }
}

/// A port, of one address or of all, or a Unix socket.
struct ListeningAddress: Sendable, Hashable, CustomStringConvertible {
  /// A name or a number; empty is all addresses.
  var host = ""
  var port: UInt16 = 8080
  /// Where the Unix socket is; nil for a port.
  var path: String?

  /// `HOST:PORT`, with brackets around numbers of IPv6, or the path.
  var description: String {
    path ?? (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
  }

  init(host: String = "", port: UInt16 = 8080) {
    self.host = host
    self.port = port
  }

  /// Reads `:8080`, `127.0.0.1:8080` or `[::1]:8080`; nil for anything else.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    self.init(host: String(host), port: port)
  }

  /// The address for pictures: that of `BIND`, or all addresses with the port of `PORT`.
  static func main(_ reader: inout SettingsReader) throws(SettingsError) -> ListeningAddress {
    if let network = reader.variable("NETWORK"), network.text != "tcp" {
      guard network.text == "unix", let place = reader.variable("BIND") else {
        throw network.fault("tcp, or unix and a path in BIND")
      }
      var address = ListeningAddress(port: 0)
      address.path = place.text
      guard place.text.hasPrefix("/") else {
        throw place.fault("the path of a socket, from the root on, as NETWORK is unix")
      }
      return address
    }
    if let variable = reader.variable("BIND") { return try read(variable) }
    guard let port = reader.system("PORT") else { return ListeningAddress() }
    guard let number = UInt16(port.text) else { throw port.fault("a port of 0 to 65535") }
    return ListeningAddress(port: number)
  }

  /// The host in a form that can be listened on.
  var boundHost: String { host.isEmpty ? "0.0.0.0" : host }

  /// What a program on this machine finds the service by, without a slash at the end.
  func url(port: Int) -> String {
    if let path { return "unix:\(path)" }
    let reachable = boundHost == "0.0.0.0" ? "127.0.0.1" : boundHost == "::" ? "::1" : boundHost
    return "http://\(reachable.contains(":") ? "[\(reachable)]" : reachable):\(port)"
  }

  static func read(_ variable: SettingsReader.Variable) throws(SettingsError) -> ListeningAddress {
    guard let address = ListeningAddress(variable.text) else {
      let forms = "such as :8080, 127.0.0.1:8080 or [::]:8080"
      throw variable.fault("a colon and a port, with an address before them or none, \(forms)")
    }
    return address
  }
}

/// Statistics for Prometheus.
struct StatisticsSettings: Sendable, Hashable {
  var address: ListeningAddress
  /// Before the names of all statistics, with a `_` behind it.
  var namespace: String?

  /// Nil where no address is set.
  static func read(_ reader: inout SettingsReader) throws(SettingsError) -> StatisticsSettings? {
    let namespace = reader.text("PROMETHEUS_NAMESPACE")
    guard let variable = reader.variable("PROMETHEUS_BIND") else { return nil }
    return StatisticsSettings(
      address: try ListeningAddress.read(variable),
      namespace: namespace
    )
  }
}

/// How many pictures are made at a time.
struct WorkSettings: Sendable, Hashable {
  /// Nil is one for each processor.
  var workers: Int?
  /// Requests that wait at most; 0 is any number.
  var queueSize: Int

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    let count = try reader.integer("WORKERS", 0, in: 0...100_000)
    workers = count == 0 ? nil : count
    queueSize = try reader.integer("REQUESTS_QUEUE_SIZE", 0, in: 0...10_000_000)
  }
}

/// How long things may take.
struct TimeoutSettings: Sendable, Hashable {
  /// Of a request in all.
  var request: Duration
  var readingRequest: Duration
  var writingResponse: Duration
  /// Between two requests of a connection; 0 closes it after each.
  var keepAlive: Duration
  /// Between two requests to a source.
  var clientKeepAlive: Duration
  var download: Duration
  /// For open requests when the program is stopped.
  var gracefulStop: Duration

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    request = try reader.duration("TIMEOUT", 10, atLeast: 1)
    readingRequest = try reader.duration("READ_REQUEST_TIMEOUT", 10, atLeast: 1)
    writingResponse = try reader.duration("WRITE_RESPONSE_TIMEOUT", 10, atLeast: 1)
    keepAlive = try reader.duration("KEEP_ALIVE_TIMEOUT", 10)
    clientKeepAlive = try reader.duration("CLIENT_KEEP_ALIVE_TIMEOUT", 90)
    download = try reader.duration("DOWNLOAD_TIMEOUT", 5, atLeast: 1)
    gracefulStop = try reader.duration("GRACEFUL_STOP_TIMEOUT", 20)
  }
}

/// What responses and the log show.
struct ResponseSettings: Sendable, Hashable {
  /// The field `Access-Control-Allow-Origin`; nil is none.
  var allowedOrigin: String?
  /// Whether errors have their details.
  var showsDetails: Bool
  /// Whether fields have the sizes of source and result.
  var showsSizes: Bool
  var log: LogSettings

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    allowedOrigin = reader.text("ALLOW_ORIGIN")
    showsDetails = try reader.flag("DEVELOPMENT_ERRORS_MODE", false)
    showsSizes = try reader.flag("ENABLE_DEBUG_HEADERS", false)
    log = try LogSettings(&reader)
  }
}
