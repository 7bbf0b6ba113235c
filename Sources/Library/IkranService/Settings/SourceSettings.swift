import IkranTransport

/// Where sources may be, and how they are fetched.
struct SourceSettings: Sendable, Hashable {
  /// Beginnings of the URLs that are allowed; none allows all.
  var allowed: [WildcardPattern]
  var addresses: AddressSettings
  /// The folder of `local:///` URLs; nil has none.
  var localRoot: String?
  /// Nil has no `s3://` URLs.
  var s3: S3Settings?
  var http: HTTPSourceSettings
  var urls: URLSettings

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    allowed = try reader.names("ALLOWED_SOURCES").map(WildcardPattern.init)
    addresses = try AddressSettings(&reader)
    localRoot = reader.text("LOCAL_FILESYSTEM_ROOT")
    let usesS3 = try reader.flag("USE_S3", false)
    let values = try S3Settings(&reader, isUsed: usesS3)
    s3 = usesS3 ? values : nil
    http = try HTTPSourceSettings(&reader)
    urls = try URLSettings(&reader)
  }

  /// What of these settings allows more than it seems to, as sentences.
  var warnings: [String] {
    allowed.map(\.text).filter { text in
      let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && !parts[1].isEmpty && !parts[1].contains("/")
    }
    .map { text in
      "“\(text)” among the allowed sources is also the beginning of “\(text).example.org”; end it"
        + " with a slash"
    }
  }

  /// Whether a source may be fetched.
  func allows(_ url: String) -> Bool {
    if let s3, let bucket = S3Object.bucket(of: url), !s3.allows(bucket) { return false }
    guard !allowed.isEmpty else { return true }
    let bytes = Array(url.utf8)
    return !Self.climbs(bytes) && allowed.contains { $0.match(of: bytes) != nil }
  }

  /// Whether a URL has a `.` or `..` among the folders of its path (RFC 3986, section 5.2.4): it is
  /// not where it begins to be.
  private static func climbs(_ url: [UInt8]) -> Bool {
    let path = url.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    return path.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
      .contains { folder in
        var (rest, dots) = (folder, 0)
        while dots < 3, let length = dotLength(at: rest) {
          rest = rest.dropFirst(length)
          dots += 1
        }
        return rest.isEmpty && (1...2).contains(dots)
      }
  }

  /// The bytes of a dot, or of `%2E`; nil for anything else.
  private static func dotLength(at text: ArraySlice<UInt8>) -> Int? {
    if text.first == UInt8(ascii: ".") { return 1 }
    return text.starts(with: "%2e".utf8) || text.starts(with: "%2E".utf8) ? 3 : nil
  }
}

/// Addresses of this and neighbouring machines that sources may have.
struct AddressSettings: Sendable, Hashable {
  var allowsLoopback: Bool
  var allowsLinkLocal: Bool
  var allowsPrivate: Bool

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    allowsLoopback = try reader.flag("ALLOW_LOOPBACK_SOURCE_ADDRESSES", false)
    allowsLinkLocal = try reader.flag("ALLOW_LINK_LOCAL_SOURCE_ADDRESSES", false)
    allowsPrivate = try reader.flag("ALLOW_PRIVATE_SOURCE_ADDRESSES", true)
  }
}

/// How sources are fetched with HTTP.
struct HTTPSourceSettings: Sendable, Hashable {
  var maximumRedirects: Int
  var ignoresCertificates: Bool
  /// `%current_version` is the program's version.
  var userAgent: String
  /// Whether a client's cookies are sent to sources of the same host.
  var passesCookies: Bool
  /// Whether they are sent to all sources.
  var passesCookiesToAll: Bool
  /// The URL that the cookies are of; nil is that of the request.
  var cookieBaseURL: String?
  /// Whether sources get a trace also where the client has none, and all of the client's.
  var beginsTraces: Bool
  /// Whether a download ends once what has arrived of a progressive JPEG is enough for the result.
  var endsEarly: Bool

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    maximumRedirects = try reader.integer("MAX_REDIRECTS", 10, in: 0...1000)
    ignoresCertificates = try reader.flag("IGNORE_SSL_VERIFICATION", false)
    userAgent = reader.text("USER_AGENT") ?? "imgproxy/%current_version"
    passesCookies = try reader.flag("COOKIE_PASSTHROUGH", false)
    passesCookiesToAll = try reader.flag("COOKIE_PASSTHROUGH_ALL", false)
    cookieBaseURL = reader.text("COOKIE_BASE_URL")
    beginsTraces = try reader.flag("OPEN_TELEMETRY_PROPAGATE_EXTERNAL", false)
    endsEarly = try reader.flag("EARLY_END", false)
  }
}

/// How the URLs of a service have their options and sources.
struct URLSettings: Sendable, Hashable {
  /// Between the path and the query of sources that are no HTTP; empty is none.
  var querySeparator: String
  /// Before each source that does not begin with it.
  var base: String
  var replacements: [URLReplacement]
  /// Whether the last segment of a source in base64 only looks nice.
  var base64HasFilename: Bool
  /// Between an option and its arguments.
  var argumentsSeparator: String

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    querySeparator = reader.blankable("SOURCE_URL_QUERY_SEPARATOR") ?? "?"
    base = reader.text("BASE_URL") ?? ""
    replacements = try Self.replacements(&reader)
    base64HasFilename = try reader.flag("BASE64_URL_INCLUDES_FILENAME", false)
    argumentsSeparator = ":"
    if let variable = reader.variable("ARGUMENTS_SEPARATOR") {
      guard !variable.text.contains(where: { $0 == "/" || $0 == "?" }) else {
        throw variable.fault("a text without “/” and “?”")
      }
      argumentsSeparator = variable.text
    }
  }

  private static func replacements(
    _ reader: inout SettingsReader
  ) throws(SettingsError) -> [URLReplacement] {
    guard let variable = reader.variable("URL_REPLACEMENTS") else { return [] }
    return try variable.text.split(separator: ";", omittingEmptySubsequences: false).map {
      (rule) throws(SettingsError) in
      guard let sign = rule.firstIndex(of: "=") else {
        throw variable.fault("a pattern, “=” and a URL, with “;” between several")
      }
      let replacement = String(rule[rule.index(after: sign)...])
      return URLReplacement(pattern: String(rule[..<sign]), replacement: replacement)
    }
  }
}

extension [UInt8] {
  /// The bytes of pairs of hexadecimal digits; nil for anything else.
  init?(hexadecimal text: String) {
    let digits = text.utf8.map(hexadecimalValue)
    guard digits.count % 2 == 0 else { return nil }
    self = []
    for position in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[position], let low = digits[position + 1] else { return nil }
      append(high << 4 | low)
    }
  }
}
