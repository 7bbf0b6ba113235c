#if canImport(Glibc)
/// Reads the memory pressure from the files.
struct PressureGauge: Sendable {
  /// How often the group has reached its limits.
  struct Events: Sendable, Equatable {
    var high = 0
    var max = 0
  }

  /// The percentage of the time that tasks wait for memory, from which on it counts as pressure.
  static let stallPercent = 10.0
  /// The parts of its limit from which on a group's memory counts as pressure.
  static let (warningPart, criticalPart) = (0.85, 0.95)
  /// The part of the machine's memory that must be available for stalls to be ignored: tasks then
  /// wait because dropped files are read again, or because a file is written back.
  static let plentyPart = 0.2

  let paths: PressurePaths
  private var events = Events()

  init(_ paths: PressurePaths) {
    self.paths = paths
    events = readEvents() ?? events
  }

  /// The worst level that any file reports now; nil when memory is plentiful or nothing is known.
  mutating func read() -> MemoryPressure? {
    level(withStall: stalled())
  }

  /// The level for a reported stall, together with what the other files report.
  mutating func level(withStall stalled: MemoryPressure?) -> MemoryPressure? {
    let group = [newEvents(), filled].compactMap(\.self).max()
    guard let stalled, group != nil || !isPlentiful() else { return group }
    return max(stalled, group ?? stalled)
  }

  /// The level of the group's events since the last call.
  ///
  /// A group also reaches its limits when its file cache fills it. That is no pressure while both
  /// the group and the machine have free memory: the kernel then drops cached files.
  mutating func newEvents() -> MemoryPressure? {
    guard let now = readEvents() else { return nil }
    defer { events = now }
    guard now != events, !isRoomy || !isPlentiful() else { return nil }
    return now.max > events.max ? .critical : now.high > events.high ? .warning : nil
  }

  private func stalled() -> MemoryPressure? {
    paths.stall.flatMap { ControlGroup.text(of: $0) }.flatMap { Self.stall(in: $0) }
  }

  /// Whether the machine has plenty of available memory; false when that is not known.
  private func isPlentiful() -> Bool {
    guard let text = paths.memory.flatMap({ ControlGroup.text(of: $0) }),
      let total = ControlGroup.number(of: "MemTotal:", in: text),
      let available = ControlGroup.number(of: "MemAvailable:", in: text)
    else { return false }
    return Double(available) > Double(total) * Self.plentyPart
  }

  private func readEvents() -> Events? {
    paths.group.flatMap { ControlGroup.text(of: "\($0)/memory.events") }.map { text in
      Events(
        high: ControlGroup.number(of: "high", in: text) ?? 0,
        max: ControlGroup.number(of: "max", in: text) ?? 0
      )
    }
  }

  /// The level of the group's memory compared with its limit.
  private var filled: MemoryPressure? {
    guard let part = takenPart else { return nil }
    return part >= Self.criticalPart ? .critical : part >= Self.warningPart ? .warning : nil
  }

  /// Whether the group is far from its limit; false when that is not known.
  private var isRoomy: Bool { takenPart.map { $0 < Self.warningPart } ?? false }

  /// The part of the group's limit that its memory takes; nil without a limit.
  ///
  /// Cached files do not count: they can be read again.
  private var takenPart: Double? {
    guard let group = paths.group,
      let current = ControlGroup.number(in: "\(group)/memory.current"),
      let limit = ["high", "max"].compactMap({ ControlGroup.number(in: "\(group)/memory.\($0)") })
        .min(), limit > 0
    else { return nil }
    let text = ControlGroup.text(of: "\(group)/memory.stat") ?? ""
    let files = ["inactive_file", "active_file"].reduce(0.0) { sum, word in
      sum + Double(ControlGroup.number(of: word, in: text) ?? 0)
    }
    return (Double(current) - files) / Double(limit)
  }

  /// The level in the text of a file of pressure stall information, for the last ten seconds.
  static func stall(in text: String) -> MemoryPressure? {
    func percent(_ word: String) -> Double {
      let line = text.split(separator: "\n").first { $0.hasPrefix("\(word) ") } ?? ""
      let field = line.split(separator: " ").first { $0.hasPrefix("avg10=") }
      return field.flatMap { Double($0.dropFirst(6)) } ?? 0
    }
    if percent("full") >= stallPercent { return .critical }
    return percent("some") >= stallPercent ? .warning : nil
  }
}
#endif
