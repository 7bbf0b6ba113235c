import FoundationEssentials
import IkranService

extension LogLine {
  /// The line as the settings want it.
  func text(_ form: LogSettings.Form) -> String {
    switch form {
    case .json: JSON.object(pairs).text
    case .structured: pairs.map { "\($0.key)=\(Self.word($0.value))" }.joined(separator: " ")
    }
  }

  private var pairs: [(key: String, value: JSON)] {
    let head = [
      (key: "time", value: JSON.string(Self.stamp(time))),
      (key: "level", value: .string(level.rawValue)),
    ]
    switch subject {
    case .notice(let sentence): return head + [(key: "message", value: .string(sentence))]
    case .request(let record): return head + record.pairs
    }
  }

  /// The moment in UTC (ISO 8601), with milliseconds.
  private static func stamp(_ microseconds: Int64) -> String {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return style.format(Date(timeIntervalSince1970: Double(microseconds) / 1e6))
  }

  /// A value without quotes where it is one word.
  private static func word(_ value: JSON) -> String {
    guard case .string(let text) = value else { return value.text }
    let isWord = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"\\=".utf8.contains($0) }
    return isWord && !text.isEmpty ? text : value.text
  }
}

extension RequestRecord {
  fileprivate var pairs: [(key: String, value: JSON)] {
    func optional(_ key: String, _ text: String?) -> [(key: String, value: JSON)] {
      text.map { [(key: key, value: JSON.string($0))] } ?? []
    }
    let id = [(key: "id", value: JSON.string(id))]
    let rest = [
      (key: "method", value: JSON.string(method)), (key: "path", value: .string(path)),
      (key: "status", value: .integer(status)),
      (key: "milliseconds", value: .milliseconds(duration)),
    ]
    return id + optional("client", client) + rest + optional("error", error)
      + optional("trace", trace)
  }
}
