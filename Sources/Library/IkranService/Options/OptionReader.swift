/// What a service allows of options, and its presets.
struct OptionRules: Sendable {
  /// Between an option's name and each of its arguments.
  var separator = Array(":".utf8)
  /// The names that URLs may use; empty is all.
  var allowed: Set<String> = []
  var allowsSecurityOptions = false
  var presets = Presets()
}

/// Reads options one after the other; a later one overrides an earlier.
struct OptionReader {
  /// A source that begins with one of these has lost what is before it.
  private static let schemes: Set = ["http", "https", "s3", "local"]
  private static let resizingTypes = ["fit", "fill", "fill-down", "force", "auto"]

  var options: ProcessingOptions
  private let rules: OptionRules
  private let endpoint: Endpoint
  /// Seconds since 1970.
  let now: Int64
  /// The presets that are being read, from the outermost.
  private var openPresets: [String] = []

  init(
    _ options: ProcessingOptions,
    _ rules: OptionRules,
    of endpoint: Endpoint = .picture,
    now: Int64
  ) {
    self.options = options
    self.rules = rules
    self.endpoint = endpoint
    self.now = now
  }

  /// Reads the options at the beginning of a path without its first `/`; the source is left.
  mutating func readOptions(
    of path: ArraySlice<UInt8>
  ) throws(ServiceError) -> ArraySlice<UInt8> {
    var rest = path
    var isFirst = true
    while true {
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      let segment = rest[..<end]
      if isFirst, Self.resizingTypes.contains(where: { segment.elementsEqual($0.utf8) }) {
        throw .path(reason: "URLs whose first segment is a resizing type are no longer read")
      }
      guard let arguments = OptionArguments(segment: segment, separator: rules.separator) else {
        return rest
      }
      try read(arguments)
      guard end < rest.endIndex else {
        if needsNoSource { return rest[end...] }
        throw .path(reason: "the path has no source")
      }
      rest = rest[(end + 1)...]
      isFirst = false
    }
  }

  /// Reads the names of presets, which are the first segment of a path; the source is left.
  mutating func readPresets(
    of path: ArraySlice<UInt8>
  ) throws(ServiceError) -> ArraySlice<UInt8> {
    var names = path.prefix { $0 != UInt8(ascii: "/") }
    let source = path[names.endIndex...].dropFirst()
    while let end = names.position(of: rules.separator) {
      try readPreset(names[..<end].text)
      names = names[(end + rules.separator.count)...]
    }
    try readPreset(names.text)
    guard !source.isEmpty || needsNoSource else { throw .path(reason: "the path has no source") }
    return source
  }

  /// Reads the options of the preset that is for all requests, where there is one.
  mutating func readDefaultPreset() throws(ServiceError) {
    if rules.presets.segments["default"] != nil { try readPreset("default") }
  }

  /// Reads the options of a preset, but not within itself.
  mutating func readPreset(_ name: String) throws(ServiceError) {
    guard let segments = rules.presets.segments[name] else {
      throw .option(name: "preset", reason: "has the unknown name “\(name.prefix(100))”")
    }
    guard !openPresets.contains(name) else { return }
    openPresets.append(name)
    defer { openPresets.removeLast() }
    for segment in segments {
      guard let arguments = OptionArguments(segment: segment, separator: rules.separator) else {
        throw .option(name: "preset", reason: "has “\(segment.text)”, which is no option")
      }
      try read(arguments)
    }
  }

  /// Whether a path may end with its options: their own rules say what they then need.
  private var needsNoSource: Bool { endpoint == .avatar }

  private static func bareSource(_ scheme: String) -> ServiceError {
    .path(reason: "the source has no plain/ before it; write plain/\(scheme):… or base64url")
  }

  private mutating func read(_ arguments: OptionArguments) throws(ServiceError) {
    var arguments = arguments
    if Self.schemes.contains(arguments.name) { throw Self.bareSource(arguments.name) }
    guard !openPresets.isEmpty || rules.allowed.isEmpty || rules.allowed.contains(arguments.name)
    else { throw arguments.fault("is not among those of IKRAN_ALLOWED_PROCESSING_OPTIONS") }
    guard let rule = OptionRule.table(of: endpoint)[arguments.name] else {
      let isKnown = OptionRule.isName(arguments.name)
      throw arguments.fault(isKnown ? "has no meaning for \(endpoint)" : "is unknown")
    }
    switch rule {
    case .flag(let set): set(&options, try arguments.flag())
    case .integer(let range, let set): set(&options, try arguments.integer(in: range))
    case .number(let range, let set): set(&options, try arguments.number(in: range))
    case .custom(let read): try read(&self, &arguments)
    case .security(let read):
      guard rules.allowsSecurityOptions else {
        throw .securityOption(name: arguments.name)
      }
      try read(&self, &arguments)
    case .unsupported:
      throw .unsupportedOption(name: arguments.name, reason: "is not supported by this service")
    }
    try arguments.end()
  }
}
