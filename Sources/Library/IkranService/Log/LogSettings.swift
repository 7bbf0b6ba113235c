/// How much a line of a log matters.
package enum LogLevel: String, Sendable, Hashable, CaseIterable {
  case error, warn, info, debug

  /// Whether it matters at least as much as another one.
  func matters(asMuchAs other: LogLevel) -> Bool { rank <= other.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Which lines a log has, and how they are written.
package struct LogSettings: Sendable, Hashable {
  /// How a line is written.
  package enum Form: String, Sendable, Hashable, CaseIterable {
    /// An object of JSON.
    case json
    /// `key=value`, with a space between them.
    case structured
  }

  /// Those that matter less are left out.
  package var level = LogLevel.info
  package var form = Form.json

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    if let found = reader.variable("LOG_LEVEL") {
      guard let named = LogLevel(rawValue: found.text.lowercased()) else {
        throw found.fault("error, warn, info or debug")
      }
      level = named
    }
    guard let found = reader.variable("LOG_FORMAT") else { return }
    guard let named = Form(rawValue: found.text.lowercased()) else {
      throw found.fault("json or structured; this service writes no other")
    }
    form = named
  }

  /// Reads them from variables, as ``ImageService`` does.
  package init(environment: [String: String]) throws(SettingsError) {
    var reader = SettingsReader(environment)
    try self.init(&reader)
  }
}
