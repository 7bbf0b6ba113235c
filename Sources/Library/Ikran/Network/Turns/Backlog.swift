import IkranSystem

/// Bytes that wait for the decoder, and bytes that wait to be written: both bounded.
///
/// A slow decoder slows the network: a transfer waits for room before it hands over its body. A
/// slow or stuck disk does not: what is over the limit is not written.
final class Backlog: Sendable {
  /// The bytes of one body, which count until it is released or dropped.
  final class Reservation: Sendable {
    private let backlog: Backlog
    private let bytes: Guarded<Int>

    fileprivate init(_ backlog: Backlog, _ bytes: Int) {
      (self.backlog, self.bytes) = (backlog, Guarded(bytes))
    }

    deinit { release() }

    /// Gives the bytes back; later calls do nothing.
    func release() {
      let left = bytes.withLock { bytes in
        defer { bytes = 0 }
        return bytes
      }
      backlog.release(left)
    }
  }

  private struct State {
    var bytes = 0
    var written = 0
    /// In order of arrival.
    var waiting: [(bytes: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let limit: Int
  private let state = Guarded(State())

  init(limit: Int) { self.limit = limit }

  /// The bytes that wait for a later stage.
  var bytes: Int { state.withLock { $0.bytes + $0.written } }

  /// Whether there is room for more that is to be written.
  var hasRoom: Bool { state.withLock { $0.written < limit } }

  /// The number of transfers that wait for room.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// Adds the bytes of a body when there is room; a body over the limit enters when it is alone.
  ///
  /// A cancelled caller waits, too: the stages that drain it never wait for the network.
  func reserve(_ bytes: Int) async -> Reservation {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isIn = state.withLock { state in
        if state.waiting.isEmpty, fits(bytes, state) {
          state.bytes += bytes
          return true
        }
        state.waiting.append((bytes, continuation))
        return false
      }
      if isIn { continuation.resume() }
    }
    return Reservation(self, bytes)
  }

  /// Adds bytes that are to be written; false when too many wait already, and the caller does not
  /// write these.
  func add(_ bytes: Int, always: Bool = false) -> Bool {
    state.withLock { state in
      guard always || state.written == 0 || state.written + bytes <= limit else { return false }
      state.written += bytes
      return true
    }
  }

  /// Takes bytes off that are written, or will not be.
  func remove(_ bytes: Int) { state.withLock { $0.written -= bytes } }

  private func release(_ bytes: Int) {
    guard bytes > 0 else { return }
    let admitted = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.bytes -= bytes
      var count = 0
      while count < state.waiting.count, fits(state.waiting[count].bytes, state) {
        state.bytes += state.waiting[count].bytes
        count += 1
      }
      defer { state.waiting.removeFirst(count) }
      return state.waiting[..<count].map(\.continuation)
    }
    for continuation in admitted { continuation.resume() }
  }

  private func fits(_ bytes: Int, _ state: State) -> Bool {
    state.bytes <= 0 || state.bytes + bytes <= limit
  }
}
