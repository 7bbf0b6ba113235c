#if canImport(UIKit) && !os(watchOS)
import Foundation
public import Ikran
import ObjectiveC
import UIKit

// Decision 99: suspended for as long as there is a reason, also from the start.
/// What a pipeline does as its app goes to the background, returns, or is short of memory.
///
/// ```swift
/// let lifecycle = PipelineLifecycle(.shared)  // kept by the app's delegate
/// ```
/// At a memory warning the pipeline keeps no image that no view shows. In the background, what
/// waits is written, expired files are removed if there is time, loads wait, and all locks of
/// files are released, as iOS ends a suspended app that holds one in a shared container; a
/// background task keeps the app running until then. When the app returns, tables and caches are
/// as before. The same happens while the device is locked, if files have
/// ``FileProtection/complete``.
///
/// An app that is started in the background is suspended after some seconds: it loads in
/// ``performInBackground(_:)``.
@available(iOSApplicationExtension, unavailable)
@MainActor
public final class PipelineLifecycle {
  private let observer: LifecycleObserver

  /// Follows the notifications of `UIApplication` until it ends.
  ///
  /// It is made when the app has been launched, not earlier: before that there is no application.
  ///
  /// - Parameter pipeline: Each pipeline has one of these.
  public init(_ pipeline: ImagePipeline = .shared) {
    observer = LifecycleObserver(pipeline)
  }

  /// Does something that loads images although the app is in the background, such as what a
  /// background refresh or a silent notification is for.
  ///
  /// - Parameter work: Has the pipeline as in the foreground, but for a device that is locked.
  /// When the system's time for it is over, the pipeline is suspended all the same, and what is
  /// left of `work` waits for the return.
  ///
  /// - Returns: What `work` returns, once all locks of files are released again.
  public func performInBackground<Result>(
    _ work: () async throws -> Result
  ) async rethrows -> Result {
    let time = await observer.beginWork()
    do {
      let result = try await work()
      await observer.endWork(time)
      return result
    } catch {
      await observer.endWork(time)
      throw error
    }
  }
}

/// Notification centres call it, and do not retain it.
@available(iOSApplicationExtension, unavailable)
@MainActor
private final class LifecycleObserver: NSObject {
  /// How long an app that was launched may take to come to the foreground, and how long expired
  /// files are removed: background time is some 30 seconds.
  private static let (launchTime, removalTime) = (Duration.seconds(3), Duration.seconds(10))

  private let pipeline: ImagePipeline
  private var state = SuspensionState()
  /// Suspends the pipeline, if it is being suspended.
  private var suspending: Task<Void, Never>?
  private var works = 0

  init(_ pipeline: ImagePipeline) {
    self.pipeline = pipeline
    super.init()
    follow([
      (#selector(didReceiveMemoryWarning), UIApplication.didReceiveMemoryWarningNotification),
      (#selector(didEnterBackground), UIApplication.didEnterBackgroundNotification),
      (#selector(willEnterForeground), UIApplication.willEnterForegroundNotification),
      // An app with scenes may be launched without the last one.
      (#selector(willEnterForeground), UIApplication.didBecomeActiveNotification),
    ])
    // An app with scenes is there until its first scene is, too.
    if UIApplication.shared.applicationState == .background {
      pipeline.isInBackground = true
      begin(.background, after: Self.launchTime)
    }
    guard pipeline.needsUnlockedDevice else { return }
    follow([
      (#selector(willBeLocked), UIApplication.protectedDataWillBecomeUnavailableNotification),
      (#selector(wasUnlocked), UIApplication.protectedDataDidBecomeAvailableNotification),
    ])
    if !UIApplication.shared.isProtectedDataAvailable { willBeLocked() }
  }

  /// Does nothing unless the pipeline is suspended.
  deinit { pipeline.resume() }

  private func follow(_ calls: [(Selector, NSNotification.Name)]) {
    for (selector, name) in calls {
      NotificationCenter.default.addObserver(self, selector: selector, name: name, object: nil)
    }
  }

  @objc func didReceiveMemoryWarning() { pipeline.relieveMemory(.critical) }

  @objc func didEnterBackground() {
    pipeline.isInBackground = true
    if works == 0 { begin(.background) }
  }

  @objc func willEnterForeground() {
    pipeline.isInBackground = false
    end(.background)
  }

  @objc func willBeLocked() { begin(.lock) }

  @objc func wasUnlocked() { end(.lock) }

  /// Wakes the pipeline; the time is to be given back to ``endWork(_:)``.
  func beginWork() async -> BackgroundTime {
    works += 1
    let time = BackgroundTime { [weak self] in
      if self?.pipeline.isInBackground == true { self?.begin(.background) }
    }
    end(.background)
    await suspending?.value
    return time
  }

  func endWork(_ time: BackgroundTime) async {
    works -= 1
    if works == 0, pipeline.isInBackground { begin(.background) }
    await suspending?.value
    time.end()
  }

  /// Suspends the pipeline, if it is not.
  private func begin(_ reason: SuspensionState.Reasons, after delay: Duration = .zero) {
    guard state.begin(reason) else { return }
    let removing = Task {
      try? await Task.sleep(for: delay)
      guard reason == .background, state.isWanted else { return }
      await pipeline.removeExpiredFiles()
    }
    let ending = Task {
      try? await Task.sleep(for: delay + Self.removalTime)
      removing.cancel()
    }
    // There is no time for more than to release the locks.
    let time = BackgroundTime { removing.cancel() }
    // Not weakly: the time that was asked for is to be given back.
    suspending = Task {
      await removing.value
      ending.cancel()
      if state.isWanted { await pipeline.suspend() }
      if state.didSuspend() { pipeline.resume() }
      suspending = nil
      time.end()
    }
  }

  /// Resumes the pipeline, if nothing else keeps it suspended.
  private func end(_ reason: SuspensionState.Reasons) {
    if state.end(reason) { pipeline.resume() }
  }
}

/// Time that the system gives an app in the background.
@available(iOSApplicationExtension, unavailable)
@MainActor
private final class BackgroundTime {
  private var identifier = UIBackgroundTaskIdentifier.invalid

  /// Asks for it.
  ///
  /// - Parameter isOver: Called when it is, or there is none: some moments are left then.
  init(isOver: @escaping @MainActor @Sendable () -> Void) {
    let name = "org.ikran.suspend"
    identifier = UIApplication.shared.beginBackgroundTask(
      withName: name,
      expirationHandler: isOver
    )
    if identifier == .invalid { isOver() }
  }

  /// Gives it back.
  func end() {
    guard identifier != .invalid else { return }
    UIApplication.shared.endBackgroundTask(identifier)
    identifier = .invalid
  }
}
#endif
