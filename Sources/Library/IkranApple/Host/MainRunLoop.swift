import Dispatch
import IkranViews

/// The main dispatch queue, which the main run loop empties in all of its common modes: also while
/// the user scrolls.
final class MainRunLoop: ViewLoop {
  typealias Job = @MainActor @Sendable () -> Void

  static let shared = MainRunLoop()

  @MainActor let pendingLoads = PendingLoads()

  /// In microseconds, of the clock that display links have.
  static var now: Int { Int(clamping: DispatchTime.now().uptimeNanoseconds / 1000) }

  func post(_ job: @escaping Job) {
    DispatchQueue.main.async { MainActor.assumeIsolated { job() } }
  }

  func post(afterMilliseconds delay: Int, _ job: @escaping Job) {
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(max(0, delay))) {
      MainActor.assumeIsolated { job() }
    }
  }
}

/// Frames by a timer, for an object that no display link follows.
@MainActor
final class TimedFrames: FrameCallback {
  /// In milliseconds.
  private let interval: @MainActor () -> Int
  private var body: (@MainActor (Int) -> Bool)?

  /// - Parameters:
  ///   - milliseconds: From one to the next, asked for each time; by default they are thirty a
  ///     second.
  ///   - body: Called until it returns false, with the time in microseconds.
  init(
    every milliseconds: @escaping @MainActor () -> Int = { 33 },
    _ body: @escaping @MainActor (Int) -> Bool
  ) {
    (interval, self.body) = (milliseconds, body)
    wait()
  }

  func cancel() { body = nil }

  private func wait() {
    MainRunLoop.shared.post(afterMilliseconds: interval()) { [weak self] in self?.step() }
  }

  private func step() {
    guard let body else { return }
    if body(MainRunLoop.now) { wait() } else { self.body = nil }
  }
}
