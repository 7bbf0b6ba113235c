import IkranSystem

/// The requests and responses of an origin so far; `/stats` itself is not counted.
package struct OriginStatistics: Sendable, Hashable {
  /// Requests that arrived.
  package internal(set) var requests = 0
  /// Requests per path, without the query.
  package internal(set) var paths: [String: Int] = [:]
  /// Responses per status code; 0 counts connections closed without a response.
  package internal(set) var statuses: [Int: Int] = [:]
  /// Responses with a part of a body: 206.
  package var ranges: Int { statuses[206] ?? 0 }
  /// Requests in progress.
  package internal(set) var inFlight = 0
  /// The most requests that were in progress at one time.
  package internal(set) var maximumInFlight = 0
  /// The most requests of any one path that were in progress at one time.
  package internal(set) var maximumInFlightOfOnePath = 0

  /// Distinct paths beyond this many count as `*`, so that a scanner cannot fill the memory.
  static let maximumPaths = 100_000

  /// Counts one more request.
  fileprivate mutating func add(_ path: String, inFlight pathInFlight: Int) {
    requests += 1
    inFlight += 1
    maximumInFlight = max(maximumInFlight, inFlight)
    maximumInFlightOfOnePath = max(maximumInFlightOfOnePath, pathInFlight)
    let isKnown = paths.count < Self.maximumPaths || paths[path] != nil
    paths[isKnown ? path : "*", default: 0] += 1
  }

  /// The numbers as one JSON object, keys sorted.
  package var json: String {
    let paths = paths.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value)" }
    let statuses = statuses.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    return "{\"requests\":\(requests),\"inFlight\":\(inFlight),"
      + "\"maximumInFlight\":\(maximumInFlight),"
      + "\"maximumInFlightOfOnePath\":\(maximumInFlightOfOnePath),\"ranges\":\(ranges),"
      + "\"status\":{\(statuses.joined(separator: ","))},"
      + "\"paths\":{\(paths.joined(separator: ","))}}\n"
  }

  /// A JSON string (RFC 8259, section 7).
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

/// Counts requests from every thread of the daemon.
final class RequestLog: Sendable {
  private struct State {
    var numbers = 0
    /// Requests of each target so far, where routes count them.
    var targets: [String: Int] = [:]
    /// Requests of each path in progress.
    var inFlight: [String: Int] = [:]
    var statistics = OriginStatistics()
  }
  private let state = Guarded(State())

  /// The counts at this moment.
  var statistics: OriginStatistics { state.withLock { $0.statistics } }

  /// Counts a request for `path` that arrived.
  ///
  /// - Returns: Its number, and how many of the same target came before; both count from 0.
  func begin(_ path: String, target: String?) -> (number: Int, earlier: Int) {
    state.withLock { state in
      let inFlight = state.inFlight[path, default: 0] + 1
      state.inFlight[path] = inFlight
      state.statistics.add(path, inFlight: inFlight)
      defer { state.numbers += 1 }
      guard let target else { return (state.numbers, 0) }
      let isKnown = state.targets.count < OriginStatistics.maximumPaths
      let earlier = state.targets[isKnown ? target : "*", default: 0]
      state.targets[isKnown ? target : "*"] = earlier + 1
      return (state.numbers, earlier)
    }
  }

  /// Counts the status sent; 0 stands for a connection closed without a response.
  func count(status: Int) {
    state.withLock { $0.statistics.statuses[status, default: 0] += 1 }
  }

  /// Counts a request that ended.
  func end(_ path: String) {
    state.withLock { state in
      state.statistics.inFlight -= 1
      let left = (state.inFlight[path] ?? 1) - 1
      state.inFlight[path] = left > 0 ? left : nil
    }
  }

  /// Resets the counts; requests in progress stay in flight, and numbering starts at 0 again.
  func reset() {
    state.withLock { state in
      let running = state.statistics.inFlight
      state.statistics = OriginStatistics()
      state.statistics.inFlight = running
      state.statistics.maximumInFlight = running
      state.statistics.maximumInFlightOfOnePath = state.inFlight.values.max() ?? 0
      state.targets = [:]
      state.numbers = 0
    }
  }
}
