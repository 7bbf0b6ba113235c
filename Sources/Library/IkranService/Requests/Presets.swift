/// Options that URLs name together: `avatar=rs:fill:64:64/q:70`.
struct Presets: Sendable {
  /// The options of each by its name; those of `default` are for all requests.
  private(set) var segments: [String: [ArraySlice<UInt8>]] = [:]
  /// The variables that have them, for messages.
  private var variables = ""

  /// No presets.
  init() {}

  /// Reads presets, one of each text; empty texts and comments, which begin with `#`, are none.
  init(_ settings: PresetSettings, separator: [UInt8]) throws(SettingsError) {
    variables = settings.variables
    for text in settings.texts.map(Self.trimmed)
    where !text.isEmpty && text.first != UInt8(ascii: "#") {
      let parts = text.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
      guard parts.count == 2 else {
        throw fault(text, "a name, one “=” and options")
      }
      let (name, value) = (Self.trimmed(parts[0]), Self.trimmed(parts[1]))
      guard !name.isEmpty, !value.isEmpty else {
        throw fault(text, "a name before the “=”, and options after it")
      }
      let options = value.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      guard options.allSatisfy({ $0.position(of: separator) != nil }) else {
        throw fault(text, "options with arguments, with a “/” between them")
      }
      segments[name.text] = options
    }
  }

  /// Reads each preset once, so that a mistake shows before the first request.
  ///
  /// One that any endpoint can read has none; `default` is read by pictures alone.
  func check(_ rules: OptionRules) throws(SettingsError) {
    for name in segments.keys.sorted() {
      let readers = name == "default" ? [.picture] : Endpoint.allCases
      let faults = readers.map { fault(of: name, rules, $0) }
      guard faults.allSatisfy({ $0 != nil }), let fault = faults.first ?? nil else { continue }
      let expected = "options without mistakes, but \(fault.details)"
      throw SettingsError(variable: variables, value: name, expected: expected)
    }
  }

  /// Why an endpoint cannot read a preset; nil where it can.
  private func fault(of name: String, _ rules: OptionRules, _ endpoint: Endpoint) -> ServiceError? {
    var reader = OptionReader(ProcessingOptions(), rules, of: endpoint, now: .min)
    do {
      try reader.readPreset(name)
      return nil
    } catch {
      return error
    }
  }

  private static func trimmed(_ text: String) -> ArraySlice<UInt8> {
    trimmed(Array(text.utf8)[...])
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let begun = text.drop { $0 == 0x20 }
    let end = begun.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? begun.startIndex
    return begun[..<end]
  }

  private func fault(_ text: ArraySlice<UInt8>, _ expected: String) -> SettingsError {
    SettingsError(variable: variables, value: text.text, expected: expected)
  }
}
