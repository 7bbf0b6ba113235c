/// Why a filter could not be read or run.
public enum FilterError: Error, Sendable, Hashable {
  /// The text is no filter; `part` is the part that could not be read.
  case unknownFilter(text: String, part: String)
  /// A number is not finite, or the scale is not above zero.
  case notFinite(filter: String, parameter: String)
  /// The file cannot be read, or is no picture or table of colours.
  case invalidTable(reason: String)
  /// A filter of the program's own threw.
  case failed(name: String, reason: String)
  /// The pixels could not be allocated or converted.
  case bitmap(BitmapError)
}

extension FilterError: CustomStringConvertible {
  /// One sentence that says what to do.
  public var description: String {
    switch self {
    case .unknownFilter(let text, let part):
      "the filter “\(text)” is not understood at “\(part)”; see ikran filters"
    case .notFinite(let filter, let parameter):
      "\(parameter) of the filter “\(filter)” is no usable number; take a finite one"
        + (parameter == "scale" ? " above zero" : "")
    case .invalidTable(let reason): "the filter's picture or table cannot be used: \(reason)"
    case .failed(let name, let reason): "the filter “\(name)” failed: \(reason)"
    case .bitmap(let error): error.description
    }
  }
}
