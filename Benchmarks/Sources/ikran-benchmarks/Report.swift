import FoundationEssentials
import Glibc

/// The results of one run: printed as they are measured, written as JSON at the end.
struct Report {
  private struct Row {
    let name: String
    let value: Double
    let unit: String
    let peer: String?
    let ratio: Double?

    init(
      _ name: String,
      _ value: Double,
      _ unit: String,
      peer: String? = nil,
      ratio: Double? = nil
    ) {
      self.name = name
      self.value = value
      self.unit = unit
      self.peer = peer
      self.ratio = ratio
    }
  }

  private var rows: [Row] = []

  /// Adds Ikran's time, and how many times as long each peer took.
  ///
  /// The first measurement is Ikran's; `scale` turns nanoseconds into `unit`.
  mutating func add(_ name: String, _ measurements: [Measurement], unit: String, scale: Double) {
    guard let own = measurements.first else { return }
    let value = own.median * scale
    line(name, "\(text(value)) ± \(text(own.spread * scale)) \(unit)")
    if measurements.count == 1 { rows.append(Row(name, value, unit)) }
    for peer in measurements.dropFirst() {
      let ratio = peer.median / own.median
      rows.append(Row(name, value, unit, peer: peer.name, ratio: ratio))
      let spread = text(peer.spread * scale)
      line("", "\(text(peer.median * scale)) ± \(spread) \(unit)", peer.name, ratio)
    }
  }

  /// Adds a figure that is not a time, with the peer's if there is one.
  mutating func add(
    _ name: String,
    value: Double,
    unit: String,
    peer: String? = nil,
    ratio: Double? = nil
  ) {
    rows.append(Row(name, value, unit, peer: peer, ratio: ratio))
    line(name, "\(text(value)) \(unit)", peer ?? "", ratio)
  }

  /// Prints a note about the run, such as a peer that is not installed.
  func note(_ words: String) { print("  (\(words))") }

  /// Prints the heading of the table.
  func begin() {
    line("benchmark", "median ± spread", "peer", nil)
    print(String(repeating: "-", count: 84))
  }

  /// The lines of an earlier run whose rows this one did not measure.
  private func kept(from path: String) -> [String] {
    let names = Set(rows.map { "{\"name\": \"\($0.name)\"," })
    let text = (try? String(contentsOf: URL(filePath: path), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { line in
      line.contains("{\"name\"") && !names.contains { line.contains($0) }
    }.map { $0.last == "," ? String($0.dropLast()) : String($0) }
  }

  /// Writes the rows to `path` as a JSON list, after those of earlier runs; false when the file cannot
  /// be written.
  func write(to path: String) -> Bool {
    let objects = rows.map { row in
      let peer = row.peer.map { "\"\($0)\"" } ?? "null"
      let ratio = row.ratio.map(text) ?? "null"
      return "  {\"name\": \"\(row.name)\", \"value\": \(text(row.value)), "
        + "\"unit\": \"\(row.unit)\", \"peer\": \(peer), \"ratio\": \(ratio)}"
    }
    let all = kept(from: path) + objects
    let json = "[\n" + all.joined(separator: ",\n") + "\n]\n"
    guard let file = fopen(path, "w") else { return false }
    fputs(json, file)
    return fclose(file) == 0
  }

  private func line(_ name: String, _ value: String, _ peer: String = "", _ ratio: Double? = nil) {
    let times = ratio.map { " \(text($0)) ×" } ?? ""
    print(padded(name, 24) + padded(value, 30) + padded(peer, 20) + times)
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  /// Three significant digits, or all before the point.
  private func text(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
    let power = [1.0, 10, 100][digits]
    let rounded = (value * power).rounded() / power
    return digits == 0 ? "\(Int(rounded))" : "\(rounded)"
  }
}
