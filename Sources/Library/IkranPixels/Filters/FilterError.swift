/// Why a filter could not be read or run.
public enum FilterError: Error, Sendable, Hashable {
  /// The text is no filter; `part` is what could not be read, `reason` says what belongs there.
  case invalidText(_ text: String, part: String, reason: String)
  /// A number is not finite, or the scale is not above zero.
  case notFinite(filter: String, parameter: String)
  /// The file cannot be read, or is no picture or table of colours.
  case invalidTable(reason: String)
  /// A custom filter threw.
  case failed(name: String, reason: String)
  /// The pixels could not be allocated or converted.
  case bitmap(BitmapError)
}

extension FilterError: CustomStringConvertible {
  /// One sentence that says what to do.
  public var description: String {
    switch self {
    case .invalidText(let text, let part, let reason):
      "the filter “\(Self.short(text))” is not understood"
        + (part.isEmpty || part == text ? "" : " at “\(Self.short(part))”")
        + ": \(reason); see ikran filters"
    case .notFinite(let filter, let parameter):
      "\(parameter) of the filter “\(filter)” is no usable number; take a finite one"
        + (parameter == "scale" ? " above zero" : "")
    case .invalidTable(let reason):
      "the filter's picture or table cannot be used: \(Self.short(reason, 600))"
    case .failed(let name, let reason): "the filter “\(name)” failed: \(reason)"
    case .bitmap(let error): error.description
    }
  }

  /// The first characters: some texts are a file by mistake.
  private static func short(_ text: String, _ limit: Int = 60) -> String {
    text.count > limit ? text.prefix(limit) + "…" : text
  }
}
