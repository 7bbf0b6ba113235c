import IkranSystem

/// One line of a service's log.
package struct LogLine: Sendable {
  /// What it is about.
  package enum Subject: Sendable {
    case request(RequestRecord)
    /// Something of the service itself, as a sentence.
    case notice(String)
  }

  /// When, in microseconds since 1970.
  package let time: Int64
  package let level: LogLevel
  package let subject: Subject
}

/// Where the lines of a service go.
package struct ServiceLog: Sendable {
  /// The least that lines have to matter.
  var level = LogLevel.debug
  private let hasRequests: Bool
  private let write: @Sendable (LogLine) -> Void

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - hasRequests: Whether it has a line for each request.
  ///   - write: Called with each line, on any thread; keep it short.
  package init(hasRequests: Bool = true, _ write: @escaping @Sendable (LogLine) -> Void) {
    (self.hasRequests, self.write) = (hasRequests, write)
  }

  /// This log, without lines that matter less.
  func from(_ level: LogLevel) -> ServiceLog {
    var log = self
    log.level = level
    return log
  }

  /// Whether it has lines of requests that matter so much.
  func hasRequests(_ level: LogLevel) -> Bool {
    hasRequests && level.matters(asMuchAs: self.level)
  }

  /// Writes the line of a request.
  func add(_ record: RequestRecord) {
    write(LogLine(time: WallClock.microseconds(), level: record.level, subject: .request(record)))
  }

  /// Writes a sentence about the service itself.
  func notice(_ level: LogLevel, _ sentence: String) {
    guard level.matters(asMuchAs: self.level) else { return }
    write(LogLine(time: WallClock.microseconds(), level: level, subject: .notice(sentence)))
  }
}
