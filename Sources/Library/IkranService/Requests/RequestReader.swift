import IkranCodecs
import IkranTransport

/// What a request asks for: a source, and what becomes of its picture.
struct ServiceRequest: Sendable, Hashable {
  /// Parts of a path as it was sent.
  struct Texts: Sendable, Hashable {
    /// The endpoint and the options, with a `/` at the end.
    var options = ""
    /// What is behind the source, with its `@`; empty where there is nothing.
    var ending = ""
  }

  var endpoint = Endpoint.picture
  var options: ProcessingOptions
  /// The source's URL, with a scheme where a base or the path gives one; empty where an avatar is
  /// drawn.
  var source: String
  /// Names what is asked for, apart from what the client wishes.
  var name = ""
  var texts = Texts()

  /// The path for a log: without its signature, and its source's URL without a password and what
  /// is behind the path.
  var shown: String {
    source.isEmpty ? texts.options : "\(texts.options)plain/\(redacted(source))\(texts.ending)"
  }
}

/// Reads requests: checks their signatures, and reads their options and sources.
struct RequestReader: Sendable {
  private let prefix: [UInt8]
  let signature: PathSignature
  private let rules: OptionRules
  private let isOnlyPresets: Bool
  private let source: SourceReader
  /// What a URL without options asks for.
  private let defaults: ProcessingOptions

  /// Makes a reader; the presets are checked here.
  init(_ settings: ServiceSettings) throws(SettingsError) {
    let separator = Array(settings.sources.urls.argumentsSeparator.utf8)
    var rules = OptionRules(
      separator: separator,
      allowed: Set(settings.limits.allowedOptions),
      allowsSecurityOptions: settings.limits.allowsSecurityOptions
    )
    rules.presets = try Presets(settings.presets, separator: separator)
    try rules.presets.check(rules)
    self.rules = rules
    isOnlyPresets = settings.presets.areAllThereIs
    prefix = Array(settings.server.pathPrefix.utf8)
    signature = PathSignature(settings.keys)
    source = SourceReader(settings.sources.urls)
    defaults = settings.formats.defaultOptions
  }

  /// Reads a request's target, as it was sent.
  ///
  /// - Parameters:
  ///   - target: The path and the query, undecoded.
  ///   - wishes: What the client says of its screen; the URL overrides it.
  ///   - now: Seconds since 1970.
  /// - Returns: The options, which are complete, and the source.
  /// - Throws: ``ServiceError`` of status 403 or 404.
  func read(
    _ target: [UInt8],
    wishes: ClientWishes = ClientWishes(),
    now: Int64
  ) throws(ServiceError) -> ServiceRequest {
    let path = try ServicePath(target, prefix: prefix)
    try signature.check(path.signature, of: path.message)
    var (request, end) = try read(path, wishes: wishes, now: now)
    request.name = path.name
    request.texts.options = Self.beginning(path) + path.signed[..<end].text
    return request
  }

  private static func beginning(_ path: ServicePath) -> String {
    path.endpoint == .picture ? "" : "/" + path.endpoint.rawValue
  }

  /// Reads a path, and where its source begins.
  private func read(
    _ path: ServicePath,
    wishes: ClientWishes,
    now: Int64
  ) throws(ServiceError) -> (request: ServiceRequest, end: Int) {
    var options = defaults
    // A table's pixels are the same for all clients.
    let wishes = path.endpoint == .pixels ? ClientWishes() : wishes
    if let dpr = wishes.dpr { options.resizing.dpr = dpr }
    if let width = wishes.width { options.resizing.width = width }
    var reader = OptionReader(options, rules, of: path.endpoint, now: now)
    // Its options are those of pictures.
    if path.endpoint == .picture { try reader.readDefaultPreset() }
    let segments = path.signed.dropFirst()
    let rest =
      isOnlyPresets ? try reader.readPresets(of: segments) : try reader.readOptions(of: segments)
    options = reader.options
    // Tables have no profiles.
    if path.endpoint == .pixels { options.output.stripsColorProfile = true }
    if path.endpoint == .avatar { _ = try options.avatar.style() }
    if rest.isEmpty, options.avatar.canBeDrawn {
      let drawn = ServiceRequest(endpoint: path.endpoint, options: options, source: "")
      return (drawn, rest.startIndex)
    }
    let place = try source.source(in: rest)
    if let ending = place.ending, !options.delivery.isRaw {
      guard !path.endpoint.isDescribed else {
        throw .path(reason: "the source has the ending “\(ending.prefix(100))”; JSON has none")
      }
      options.output.format = try format(of: ending)
    }
    var request = ServiceRequest(endpoint: path.endpoint, options: options, source: place.url)
    request.texts.ending = place.ending.map { "@" + $0 } ?? ""
    return (request, rest.startIndex)
  }

  /// What a log has of a target that is refused: the options, and the source where one can be read
  /// from what follows them.
  ///
  /// An option that is none has no arguments there, and what is no source is left out: a part of a
  /// URL with a password may be in its place.
  func shown(_ target: String) -> String {
    guard let path = try? ServicePath(Array(target.utf8), prefix: prefix) else { return "/…" }
    var (rest, text) = (path.signed.dropFirst(), Self.beginning(path))
    while let segment = rest.split(separator: UInt8(ascii: "/"), maxSplits: 1).first,
      segment.startIndex == rest.startIndex,
      let arguments = OptionArguments(segment: segment, separator: rules.separator)
    {
      let isKnown = OptionRule.isName(arguments.name)
      guard isKnown || arguments.isFilled else { break }
      let end = isKnown ? segment.text : arguments.name + rules.separator[...].text + "…"
      text += "/" + end
      rest = rest[segment.endIndex...].dropFirst()
    }
    guard let place = try? source.source(in: rest), Self.isURL(place.url) else {
      return text + "/…"
    }
    return text + "/plain/" + redacted(place.url) + (place.ending.map { "@" + $0 } ?? "")
  }

  /// Whether a text has a scheme of sources: others may be anything.
  private static func isURL(_ text: String) -> Bool {
    ["http://", "https://", "s3://", "local://"].contains { text.hasPrefix($0) }
  }

  /// Reads a request's target, as it was sent.
  func read(
    target: String,
    wishes: ClientWishes = ClientWishes(),
    now: Int64
  ) throws(ServiceError) -> ServiceRequest {
    try read(Array(target.utf8), wishes: wishes, now: now)
  }

  private func format(of ending: String) throws(ServiceError) -> ImageFormat {
    guard let format = ImageFormat(serviceName: ending) else {
      throw .path(reason: "“\(ending.prefix(100))” is no ending of a format, in small letters")
    }
    return format
  }
}
