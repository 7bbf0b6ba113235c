/// How often a display link calls, in frames a second.
package struct FrameRate: Sendable, Equatable {
  package let minimum: Double
  package let maximum: Double
  package let preferred: Double

  package init(minimum: Double, maximum: Double, preferred: Double) {
    (self.minimum, self.maximum, self.preferred) = (minimum, maximum, preferred)
  }
}

/// What follows the frames of a window, and how many of them that takes.
package struct FrameDemand {
  /// The shortest time between two changes, in milliseconds, by the number of its follower.
  private var intervals: [Int: Int] = [:]
  private var next = 0

  package init() {}

  /// Whether no frame is wanted: the display link stands.
  package var isEmpty: Bool { intervals.isEmpty }

  /// Adds a follower.
  ///
  /// - Parameter interval: The shortest time between two changes, in milliseconds; 0 for what
  ///   changes with each frame.
  /// - Returns: Its number.
  package mutating func add(interval: Int) -> Int {
    next += 1
    intervals[next] = max(0, interval)
    return next
  }

  /// Removes a follower; doing it again does nothing.
  package mutating func remove(_ number: Int) { intervals[number] = nil }

  /// As many frames as the fastest animation has; half of them while power is saved.
  ///
  /// - Parameter savesPower: Whether the system saves power.
  /// - Returns: The rate; nil for that of the display.
  package func rate(savesPower: Bool) -> FrameRate? {
    guard let shortest = intervals.values.min() else { return nil }
    guard shortest > 0 else {
      return savesPower ? FrameRate(minimum: 15, maximum: 30, preferred: 30) : nil
    }
    // No display is that fast; a file's frames take 11 ms at least.
    let own = min((1000 / Double(shortest)).rounded(.up), 120)
    let part = savesPower ? 0.5 : 1
    return FrameRate(minimum: own * part, maximum: max(60, own) * part, preferred: own * part)
  }
}
