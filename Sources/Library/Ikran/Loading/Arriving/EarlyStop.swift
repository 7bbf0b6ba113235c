import IkranCodecs
import IkranPixels
import IkranStores
import IkranTransport

// Decision 49: downloads end when enough has arrived.
/// Ends a transfer as soon as what has arrived is enough for every request that waits for it.
///
/// With each chunk it asks what the waiting requests need, and whether the scans of a
/// progressive JPEG that have arrived are enough for them.
///
/// Only resumable transfers stop early: those with a strong validator whose origin does not refuse
/// ranges. Its scans read at most ``scanLimit`` times the bytes that have arrived.
final class EarlyStop: Sendable {
  private struct State {
    var scans = JPEGScans()
    /// The scans that `prefix` has, and how many bytes have been read for all prefixes.
    var (known, readBytes) = (0, 0)
    var prefix: JPEGPrefix?
    /// Nil when the response cannot be resumed.
    var validator: String?
    var total: Int?
    var hasStopped = false
  }

  /// The fewest bytes that are worth a new connection: as many come with one round trip.
  static let minimumSaving = 16 << 10
  private static let scanLimit = 16

  private let state = Guarded(State())
  private let codecs: CodecList
  private let format: ImageFormat?
  /// What is enough for the waiting requests; nil when any of them needs the whole file, and when
  /// no request waits.
  private let wanted: @Sendable () -> FileNeeds?

  init(
    _ codecs: CodecList,
    format: ImageFormat?,
    wanted: @escaping @Sendable () -> FileNeeds?
  ) {
    (self.codecs, self.format, self.wanted) = (codecs, format, wanted)
  }

  /// Begins with the head of a response; `earlier` is what the request asked to go on from.
  func begin(_ head: TransportResponse, after earlier: PartialBody?) {
    let partial = PartialBody(head, after: earlier)
    state.withLock { state in
      state = State()
      guard let partial else { return }
      (state.validator, state.total) = (partial.validator, partial.total)
    }
  }

  /// Updates the state by the file so far, on the transport's thread; returns whether the transfer
  /// may end.
  func shouldStop(_ file: borrowing [UInt8]) -> Bool {
    // A program's codec says what the bytes are, so it is asked between two visits of the lock.
    if state.withLock({ hasNewScans(file.span, &$0) }) {
      let prefix = codecs.prefix(file.span, as: format)
      state.withLock { $0.prefix = prefix }
    }
    guard let prefix = state.withLock({ savingPrefix(at: file.count, $0) }),
      let needs = wanted(), !needs.isEmpty, needs.areMet(by: prefix)
    else { return false }
    state.withLock { $0.hasStopped = true }
    return true
  }

  /// The beginning of the file that was enough; nil when the transfer did not end early.
  var prefix: BodyPrefix? {
    state.withLock { state in
      state.hasStopped ? Self.prefix(state) : nil
    }
  }

  /// Whether there are new whole scans, and reading them costs little enough.
  private func hasNewScans(_ file: Span<UInt8>, _ state: inout State) -> Bool {
    guard state.validator != nil else { return false }
    state.scans.read(file)
    guard state.scans.isProgressive != false else {
      state.validator = nil
      return false
    }
    guard state.scans.count > state.known,
      state.readBytes + file.count <= Self.scanLimit * file.count
    else { return false }
    state.known = state.scans.count
    state.readBytes += file.count
    return true
  }

  /// The beginning of the file as far as it can be shown, if ending now saves enough.
  private func savingPrefix(at count: Int, _ state: State) -> BodyPrefix? {
    if let total = state.total, total - count < Self.minimumSaving { return nil }
    return Self.prefix(state)
  }

  private static func prefix(_ state: State) -> BodyPrefix? {
    guard let scans = state.prefix, let validator = state.validator else { return nil }
    return BodyPrefix(jpeg: scans, validator: validator, total: state.total)
  }
}
