import FoundationEssentials
import Glibc
import Ikran
import IkranText

/// The results as bars on a logarithmic scale: ours and each peer's.
struct Chart {
  private struct Row: Codable {
    let name: String
    let value: Double
    let unit: String
    let peer: String?
    let ratio: Double?
  }

  private struct Group {
    let name: String
    let unit: String
    let ours: Double
    var peers: [(name: String, value: Double)]
  }

  private static let units = ["ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1]
  private static let (width, labels, right, bar, gap) = (1400, 250, 260, 14, 10)
  private static let ink = Color(red: 0x22, green: 0x22, blue: 0x22)
  private static let ours = Color(red: 0x1F, green: 0x77, blue: 0xB4)
  private static let peers = Color(red: 0xB8, green: 0xB8, blue: 0xB8)
  private static let line = Color(red: 0xDD, green: 0xDD, blue: 0xDD)

  private let groups: [Group]

  /// Reads what a run wrote; times that have a peer are drawn.
  init(results path: String) throws {
    let rows = try JSONDecoder().decode([Row].self, from: Data(contentsOf: URL(filePath: path)))
    var groups: [Group] = []
    for row in rows {
      guard Self.units[row.unit] != nil, let peer = row.peer, let ratio = row.ratio else {
        continue
      }
      let other = (peer, row.value * ratio)
      if groups.last?.name == row.name {
        groups[groups.count - 1].peers.append(other)
      } else {
        groups.append(Group(name: row.name, unit: row.unit, ours: row.value, peers: [other]))
      }
    }
    guard !groups.isEmpty else { throw NothingToDraw() }
    self.groups = groups
  }

  /// Draws the chart as a PNG file.
  func write(to path: String) throws {
    let top = 70
    let bars = groups.reduce(0) { $0 + 1 + $1.peers.count }
    let height = top + bars * Self.bar + groups.count * Self.gap + 40
    let size = PixelSize(width: Self.width, height: height)
    var canvas = try Canvas(size: size, format: .bgrx)
    canvas.fill(RoundedShape(size), with: .white)
    let title = TextStyle(fontSize: 22, color: Self.ink, weight: .bold)
    try canvas.draw("Time for one job: shorter is better", x: 20, y: 12, style: title)
    let small = TextStyle(fontSize: 13, color: Self.ink)
    try canvas.draw(
      "\(Self.today) · \(Self.processor) · repeat: Scripts/bench, Scripts/bench --chart",
      x: 20,
      y: 44,
      style: small
    )
    let scale = LogarithmicScale(
      groups.flatMap { group in
        ([group.ours] + group.peers.map(\.value)).map { $0 * (Self.units[group.unit] ?? 1) }
      }
    )
    try drawGrid(scale, on: &canvas, from: top, to: height - 30)
    var y = top
    for group in groups {
      try draw(group, scale, on: &canvas, y: &y)
      y += Self.gap
    }
    try Data(canvas.finish().encoded(as: .png)).write(to: URL(filePath: path))
  }

  private func drawGrid(
    _ scale: LogarithmicScale,
    on canvas: inout Canvas,
    from top: Int,
    to bottom: Int
  ) throws {
    let style = TextStyle(fontSize: 12, color: Self.ink)
    for power in scale.powers {
      let x = Double(Self.labels) + scale.part(Self.raised(power)) * Double(space)
      canvas.fill(
        RoundedShape(x: x, y: Double(top), width: 1, height: Double(bottom - top)),
        with: Self.line
      )
      try canvas.draw(Self.text(Self.raised(power)), x: Int(x) - 12, y: bottom + 4, style: style)
    }
  }

  private func draw(
    _ group: Group,
    _ scale: LogarithmicScale,
    on canvas: inout Canvas,
    y: inout Int
  ) throws {
    let style = TextStyle(fontSize: 13, color: Self.ink, weight: .semibold)
    let length = try style.size(of: group.name).width
    try canvas.draw(group.name, x: Self.labels - 10 - length, y: y - 1, style: style)
    let unit = Self.units[group.unit] ?? 1
    for (index, entry) in ([("Ikran", group.ours)] + group.peers).enumerated() {
      let wide = max(2, scale.part(entry.1 * unit) * Double(space))
      let shape = RoundedShape(
        x: Double(Self.labels),
        y: Double(y + 1),
        width: wide,
        height: Double(Self.bar - 2),
        radius: 2
      )
      canvas.fill(shape, with: index == 0 ? Self.ours : Self.peers)
      let times = index == 0 ? "" : ", \(Self.short(entry.1 / group.ours)) ×"
      let text = "\(entry.0) \(Self.short(entry.1)) \(group.unit)\(times)"
      let words = TextStyle(fontSize: 11, color: Self.ink)
      try canvas.draw(text, x: Self.labels + Int(wide) + 6, y: y, style: words)
      y += Self.bar
    }
  }

  private var space: Int { Self.width - Self.labels - Self.right }

  private static func raised(_ power: Int) -> Double { pow(10, Double(power)) }

  /// A power of ten seconds.
  private static func text(_ seconds: Double) -> String {
    let unit = seconds < 0.9e-6 ? "ns" : seconds < 0.9e-3 ? "µs" : seconds < 0.9 ? "ms" : "s"
    return "\(Int((seconds / (units[unit] ?? 1)).rounded())) \(unit)"
  }

  private static func short(_ value: Double) -> String {
    value >= 100 ? "\(Int(value.rounded()))" : "\((value * 100).rounded() / 100)"
  }

  private static var today: String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    let (month, day) = (parts.tm_mon + 101, parts.tm_mday + 100)
    return "\(parts.tm_year + 1900)-\("\(month)".dropFirst())-\("\(day)".dropFirst())"
  }

  private static var processor: String {
    let text = (try? String(contentsOf: URL(filePath: "/proc/cpuinfo"), encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    let name = line?.split(separator: ":").last.map { $0.drop { $0 == " " } } ?? "a processor"
    return "\(name), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) threads"
  }
}

/// Places of times between the powers of ten around them.
private struct LogarithmicScale {
  let powers: ClosedRange<Int>

  init(_ values: [Double]) {
    let low = Int(log10(values.min() ?? 1).rounded(.down))
    powers = low...max(low + 1, Int(log10(values.max() ?? 1).rounded(.up)))
  }

  /// 0 at the lowest power, 1 at the highest.
  func part(_ value: Double) -> Double {
    (log10(value) - Double(powers.lowerBound)) / Double(powers.upperBound - powers.lowerBound)
  }
}

/// `results.json` has no time with a peer.
struct NothingToDraw: Error {}
