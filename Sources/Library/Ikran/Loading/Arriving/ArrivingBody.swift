import IkranStores
import IkranTransport

/// The body of a transfer as far as it is there, with the beginning that the transfer goes on from.
///
/// Only the transport's thread uses it. Each byte is copied once; without a beginning none is.
final class ArrivingBody: Sendable {
  private struct State {
    /// The beginning, and what has arrived since; empty when the response is the whole file.
    var file: [UInt8] = []
    /// How many bytes of the file were there before; nil as long as no head says how the file goes
    /// on.
    var earlierCount: Int?
    var hasHead = false
  }

  private let earlier: PartialBody?
  private let state: Guarded<State>

  /// Creates one; `earlier` is what the request asks to go on from.
  init(after earlier: PartialBody?) {
    self.earlier = earlier
    state = Guarded(State(earlierCount: earlier == nil ? 0 : nil))
  }

  /// Takes the head of a response, which says whether it goes on from the beginning.
  func begin(_ head: TransportResponse) {
    guard let earlier else { return }
    let goesOn = head.status == 206 && earlier.isContinued(by: head)
    // Another range, or one under another status, is no beginning of a file.
    let isWhole = head.status != 206 && !head.isMislabelledPart
    let earlierCount = goesOn ? earlier.bytes.count : isWhole ? 0 : nil
    state.withLock { state in
      let file = goesOn ? earlier.bytes : []
      state = State(file: file, earlierCount: earlierCount, hasHead: true)
    }
  }

  /// How much of the file there is when `progress` has been made with the body.
  ///
  /// A response that does not go on from the beginning counts from zero.
  func progress(_ progress: TransferProgress) -> TransferProgress {
    guard let earlier else { return progress }
    // Some transports call back with no head: then only the length tells.
    let length = progress.expected.map { $0 + earlier.bytes.count }
    let assumed = length != nil && length == earlier.total ? earlier.bytes.count : 0
    let earlierCount = state.withLock { $0.hasHead ? $0.earlierCount ?? 0 : assumed }
    return TransferProgress(
      received: progress.received + earlierCount,
      expected: progress.expected.map { $0 + earlierCount }
    )
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

extension [UInt8] {
  /// A copy in separate memory: the transport goes on appending to the original.
  borrowing func copied() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    bytes.append(contentsOf: copy self)
    return bytes
  }
}
