/// Shows one picture after the other, each for some seconds after it is there.
@MainActor
final class SlideShow {
  /// How long a picture is shown unless the user says otherwise.
  static let usual = 5.0

  var seconds = SlideShow.usual
  private(set) var isRunning = false
  /// How many times it was started and has moved on: a timer from before does nothing.
  private var count = 0
  private let isReady: @MainActor () -> Bool
  private let next: @MainActor () -> Void

  /// Makes one that does not run.
  ///
  /// - Parameters:
  ///   - isReady: Whether the present picture is shown.
  ///   - next: Shows the next one.
  init(isReady: @escaping @MainActor () -> Bool, next: @escaping @MainActor () -> Void) {
    (self.isReady, self.next) = (isReady, next)
  }

  func start() {
    isRunning = true
    wait()
  }

  func stop() {
    isRunning = false
    count += 1
  }

  /// The user has chosen a picture: it has all of its time.
  func beginAgain() { if isRunning { wait() } }

  private func wait() {
    count += 1
    let count = count
    Timer.repeating(milliseconds: max(1, Int(seconds * 1000))) { [weak self] in
      guard let self, count == self.count else { return false }
      // A picture that takes long is waited for, and looked for a little later.
      guard isReady() else { return true }
      next()
      // Showing it begins its time.
      if count == self.count { wait() }
      return false
    }
  }
}
