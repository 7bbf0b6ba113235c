import IkranStores
import IkranTransport

/// The body of a transfer as far as it is there, with the beginning that the transfer goes on from.
///
/// Only the transport's thread uses it. Each byte is copied once; without a beginning none is.
final class ArrivingBody: Sendable {
  private struct State {
    /// The beginning, and what has arrived since; empty when the response is the whole file.
    var file: [UInt8] = []
    /// How many bytes of the file were there before; nil as long as no head says how the file goes on.
    var earlierCount: Int?
  }

  private let earlier: PartialBody?
  private let state: Guarded<State>

  /// Creates one; `earlier` is what the request asks to go on from.
  init(after earlier: PartialBody?) {
    self.earlier = earlier
    state = Guarded(State(earlierCount: earlier == nil ? 0 : nil))
  }

  /// Takes note of the head of a response, which says whether it goes on from the beginning.
  func begin(_ head: TransportResponse) {
    guard let earlier else { return }
    let goesOn = head.status == 206 && earlier.isContinued(by: head)
    // What comes with another status, or another range, is no part of this file.
    let earlierCount = goesOn ? earlier.bytes.count : head.status == 206 ? nil : 0
    state.withLock { state in
      state = State(file: goesOn ? earlier.bytes : [], earlierCount: earlierCount)
    }
  }

  /// Lends the file as far as it is there, given the body so far; nil without a head that fits.
  func withFile<Result>(
    _ body: borrowing [UInt8],
    _ use: (borrowing [UInt8]) -> Result
  ) -> Result? {
    // Taken out: neither the copy nor `use` belongs inside the lock.
    var taken = state.withLock { state in
      defer { state.file = [] }
      return state
    }
    guard let earlierCount = taken.earlierCount else { return nil }
    guard earlierCount > 0 else { return use(body) }
    let known = taken.file.count - earlierCount
    if known < body.count { taken.file += body[known...] }
    let result = use(taken.file)
    state.withLock { [taken] in $0 = taken }
    return result
  }
}
