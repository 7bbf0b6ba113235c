#if canImport(Glibc)
import IkranCodecs
import IkranPixels
import IkranSystem
import Synchronization

/// The decoders in other processes that one program has: as many as decode at once, and none after
/// a while without work.
///
/// Any thread may use it; the thread that asks waits for the response.
package final class DecoderPool: Sendable {
  /// The decoders of this process, which all pipelines share.
  package static let shared = DecoderPool()

  /// How long a file may keep a decoder busy, in seconds.
  package static let seconds = 20
  /// A file that has ended so many decoders gets no further one.
  static let mostCrashes = 10
  /// The most files whose crashes are counted.
  private static let mostRemembered = 1_000

  private struct State {
    var idle: [(process: DecoderProcess, since: Int64)] = []
    var lastNumber = 0
    /// Whether one is being started that no thread waits for.
    var isStartingAhead = false
    /// How many decoders a file has ended, by the digest of its bytes.
    var crashes: [UInt64: Int] = [:]
    /// Whether a thread ends those that have no work.
    var isTidied = false
  }

  private let state = Guarded(State())
  /// How many threads want a decoder or have one, and how many of these wait for its response.
  private let asking = Atomic(0)
  private let working = Atomic(0)
  /// Random, so that no file can be made whose digest is another's.
  private let seed = UInt64.random(in: 0 ... .max)
  private let path: Result<String, IsolationFailure>
  private let seconds: Int
  /// How long a decoder waits for work, in nanoseconds.
  private let idleNanoseconds: Int64

  /// Creates a pool that starts the program at `path`; without one, where it is found.
  package init(
    path: String? = nil,
    seconds: Int = DecoderPool.seconds,
    idleNanoseconds: Int64 = 30_000_000_000
  ) {
    self.path = path.map { .success($0) } ?? DecoderProgram.path
    (self.seconds, self.idleNanoseconds) = (seconds, idleNanoseconds)
  }

  /// How many decoders have been asked, and have not responded.
  package var workingCount: Int { working.load(ordering: .relaxed) }

  /// How many decoders have been started, those that did not start included.
  package var startedCount: Int { state.withLock { $0.lastNumber } }

  /// How many decoders wait for work.
  package var idleCount: Int { state.withLock { $0.idle.count } }

  /// The processes of the decoders that wait for work.
  package var idleProcesses: [Int32] { state.withLock { $0.idle.map(\.process.process) } }

  /// Ends the decoders that have had no work for so long.
  package func endIdle(after nanoseconds: Int64 = 0) {
    let now = WallClock.coarseNanoseconds()
    // They end outside the lock.
    let ended = state.withLock { state in
      let ended = state.idle.filter { now - $0.since >= nanoseconds }
      state.idle.removeAll { now - $0.since >= nanoseconds }
      return ended
    }
    _ = consume ended
  }

  /// Starts a decoder that no thread waits for yet, if there is none.
  ///
  /// It returns at once. Where that fails, who asks for a decoder learns why.
  func startAhead() {
    guard case .success(let path) = path else { return }
    let number = state.withLock { state -> Int? in
      guard state.idle.isEmpty, !state.isStartingAhead, asking.load(ordering: .relaxed) == 0 else {
        return nil
      }
      state.isStartingAhead = true
      state.lastNumber += 1
      return state.lastNumber
    }
    guard let number else { return }
    let hasStarted = BackgroundThread.start(name: "ikran-decoders") { [self] in
      if let process = try? DecoderProcess(path, number: number) { makeIdle(process) }
      state.withLock { $0.isStartingAhead = false }
    }
    if !hasStarted { state.withLock { $0.isStartingAhead = false } }
  }

  /// Asks a decoder, and waits for its response.
  ///
  /// - Parameters:
  ///   - request: What it is asked for.
  ///   - file: The file that belongs to it.
  ///   - blamed: The file that a crash is counted against, where `file` is not sent again.
  ///   - cancellation: Ends the wait when no caller wants the response any more.
  ///   - number: The decoder that would be best.
  /// - Returns: The response, the picture's pixels, and the decoder's number.
  /// - Throws: ``DecodeError/isolated(_:_:)``.
  func response(
    to request: DecoderRequest,
    _ file: Span<UInt8>,
    blaming blamed: Span<UInt8>,
    _ cancellation: (any DecodeCancellation)?,
    from number: Int? = nil
  ) throws(DecodeError) -> (response: DecoderResponse, bitmap: Bitmap?, number: Int) {
    do throws(IsolationFailure) {
      try refuseWhatCrashes(blamed)
      if cancellation?.isCancelled == true, !request.isForHeader { throw .cancelled }
      asking.add(1, ordering: .relaxed)
      defer { asking.subtract(1, ordering: .relaxed) }
      while true {
        let (process, isNew) = try decoder(number)
        let asked = process.nextRequest()
        let isWanted = cancellation?.onCancel { process.abandon(asked) } ?? true
        defer { cancellation?.ignore() }
        // A header that takes no time is read all the same: a download is kept by what it says.
        if !isWanted { process.abandon(asked) }
        do throws(DecoderProcess.Loss) {
          try process.send(request, file)
          working.add(1, ordering: .relaxed)
          defer { working.subtract(1, ordering: .relaxed) }
          let (response, bitmap) = try process.response(
            to: request,
            number: asked,
            within: seconds
          )
          makeIdle(process)
          return (response, bitmap, process.number)
        } catch {
          // One that ended while it had no work has nothing to do with this file.
          if case .gone = error {
            guard isNew else { continue }
            throw IsolationFailure.notStarted(reason: process.exitReason())
          }
          throw failure(of: error, blamed)
        }
      }
    } catch {
      throw .isolated(request.format, error)
    }
  }

  private func failure(of loss: DecoderProcess.Loss, _ file: Span<UInt8>) -> IsolationFailure {
    switch loss {
    case .cancelled: return .cancelled
    case .noMemory: return .notStarted(reason: "there is no memory for the file")
    case .gone: return .crashed(reason: "it had ended before")
    case .isUnfit(let reason): return .notStarted(reason: reason)
    case .tookTooLong:
      rememberCrash(file)
      return .tookTooLong(seconds: seconds)
    case .crashed(let reason):
      rememberCrash(file)
      return .crashed(reason: reason)
    }
  }

  // MARK: - Decoders

  /// A decoder without work, or a new one, after a wait for the one that is being started ahead.
  private func decoder(
    _ wanted: Int?
  ) throws(IsolationFailure) -> (process: DecoderProcess, isNew: Bool) {
    while state.withLock({ $0.idle.isEmpty && $0.isStartingAhead }) { BackgroundThread.pause() }
    let (idle, number) = state.withLock { state in
      let index = state.idle.lastIndex { $0.process.number == wanted } ?? state.idle.indices.last
      if let index { return (state.idle.remove(at: index).process as DecoderProcess?, 0) }
      state.lastNumber += 1
      return (nil, state.lastNumber)
    }
    guard let idle else { return (try DecoderProcess(path.get(), number: number), true) }
    // One that has ended, or has sent more than its response, is of no more use.
    return idle.isSilent ? (idle, false) : try decoder(wanted)
  }

  private func makeIdle(_ process: DecoderProcess) {
    let now = WallClock.coarseNanoseconds()
    let needsThread = state.withLock { state in
      state.idle.append((process, now))
      defer { state.isTidied = true }
      return !state.isTidied
    }
    guard needsThread else { return }
    let hasStarted = BackgroundThread.start(name: "ikran-decoders") { [weak self] in
      while let pause = self?.tidy() { BackgroundThread.sleep(nanoseconds: pause) }
    }
    if !hasStarted { state.withLock { $0.isTidied = false } }
  }

  /// Ends the decoders that have been without work for long; the time until the next one has been,
  /// nil when none is left.
  private func tidy() -> Int64? {
    endIdle(after: idleNanoseconds)
    let now = WallClock.coarseNanoseconds()
    return state.withLock { state in
      guard let oldest = state.idle.map(\.since).min() else {
        state.isTidied = false
        return nil
      }
      return max(1_000_000, oldest + idleNanoseconds - now)
    }
  }

  // MARK: - Files that end decoders

  private func refuseWhatCrashes(_ file: Span<UInt8>) throws(IsolationFailure) {
    guard state.withLock({ !$0.crashes.isEmpty }) else { return }
    let id = digest(of: file)
    let crashes = state.withLock { $0.crashes[id] ?? 0 }
    if crashes >= Self.mostCrashes { throw .refused(crashes: crashes) }
  }

  private func rememberCrash(_ file: Span<UInt8>) {
    let id = digest(of: file)
    state.withLock { state in
      if state.crashes.count >= Self.mostRemembered { state.crashes = [:] }
      state.crashes[id, default: 0] += 1
    }
  }

  private func digest(of file: Span<UInt8>) -> UInt64 {
    file.withUnsafeBytes {
      Checksum.of(Slice(base: $0, bounds: $0.startIndex..<$0.endIndex), seed: seed)
    }
  }
}
#endif
