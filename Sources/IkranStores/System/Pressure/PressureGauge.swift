/// How scarce memory is.
public enum MemoryPressure: Int, Sendable, Hashable, Comparable {
  /// Work waits for memory now and then: let go of what is easily made again.
  case warning = 1
  /// Nothing goes on for want of memory, or the next allocation may be the last: let go of
  /// everything that nobody looks at.
  case critical = 2

  /// Whether `lhs` is less pressing.
  public static func < (lhs: MemoryPressure, rhs: MemoryPressure) -> Bool {
    lhs.rawValue < rhs.rawValue
  }
}

/// Where Linux tells of memory pressure.
package struct PressurePlaces: Sendable {
  /// A file of pressure stall information; nil is none.
  package var stall: String?
  /// The folder of a control group (version 2); nil is none.
  package var group: String?
  /// A file of the machine's memory in kilobytes; nil is none.
  package var memory: String?

  package init(stall: String?, group: String?, memory: String? = nil) {
    self.stall = stall
    self.group = group
    self.memory = memory
  }

  /// Those of this process.
  package static var standard: PressurePlaces {
    PressurePlaces(
      stall: "/proc/pressure/memory",
      group: ControlGroup.folders().first,
      memory: "/proc/meminfo"
    )
  }
}

/// Reads what the places say.
struct PressureGauge: Sendable {
  /// How often the group met its limits.
  struct Events: Sendable, Equatable {
    var high = 0
    var max = 0
  }

  /// Tasks that wait for memory for so many percent of the time: some of them, or all of them.
  static let stallPercent = 10.0
  /// The parts of its limit that a group's memory takes.
  static let (warningPart, criticalPart) = (0.85, 0.95)
  /// The part of the machine's memory that is still to be had, above which waiting for memory is
  /// no want of it: files that were dropped too early are read again, or a file is written back.
  static let plentyPart = 0.2

  let places: PressurePlaces
  private var events = Events()

  init(_ places: PressurePlaces) {
    self.places = places
    events = readEvents() ?? events
  }

  /// The worst that any place says now; nil when memory is plentiful or nothing is known.
  mutating func read() -> MemoryPressure? {
    judge(stalled())
  }

  /// What tasks that wait for memory mean, if any do, beside what else the places say.
  mutating func judge(_ stalled: MemoryPressure?) -> MemoryPressure? {
    let group = [newEvents(), filled].compactMap(\.self).max()
    guard let stalled, group != nil || !isPlentiful() else { return group }
    return max(stalled, group ?? stalled)
  }

  /// What the group's limits have done since the last call.
  ///
  /// They also act when files of the group fill it, which then give way to others; that is no want
  /// while both the group and the machine have memory to spare.
  mutating func newEvents() -> MemoryPressure? {
    guard let now = readEvents() else { return nil }
    defer { events = now }
    guard now != events, !isRoomy || !isPlentiful() else { return nil }
    return now.max > events.max ? .critical : now.high > events.high ? .warning : nil
  }

  private func stalled() -> MemoryPressure? {
    places.stall.flatMap { ControlGroup.text(of: $0) }.flatMap { Self.stall(in: $0) }
  }

  /// Whether the machine has memory to spare; false when that is not known.
  private func isPlentiful() -> Bool {
    guard let text = places.memory.flatMap({ ControlGroup.text(of: $0) }),
      let total = ControlGroup.number(of: "MemTotal:", in: text),
      let available = ControlGroup.number(of: "MemAvailable:", in: text)
    else { return false }
    return Double(available) > Double(total) * Self.plentyPart
  }

  private func readEvents() -> Events? {
    places.group.flatMap { ControlGroup.text(of: "\($0)/memory.events") }.map { text in
      Events(
        high: ControlGroup.number(of: "high", in: text) ?? 0,
        max: ControlGroup.number(of: "max", in: text) ?? 0
      )
    }
  }

  /// How near the group is to its limit.
  private var filled: MemoryPressure? {
    guard let part = takenPart else { return nil }
    return part >= Self.criticalPart ? .critical : part >= Self.warningPart ? .warning : nil
  }

  /// Whether the group is far from its limit; false when that is not known.
  private var isRoomy: Bool { takenPart.map { $0 < Self.warningPart } ?? false }

  /// The part of the group's limit that its memory takes; nil without a limit.
  ///
  /// Files that the kernel keeps there do not count: they can be read again.
  private var takenPart: Double? {
    guard let group = places.group,
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

  /// What a file of pressure stall information says of the last ten seconds.
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
