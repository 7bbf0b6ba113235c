#if canImport(UIKit) && canImport(QuartzCore)
import Foundation
public import Ikran
import ObjectiveC
import UIKit

/// What a pipeline does as its app goes to the background, returns, or is short of memory.
///
/// ```swift
/// let lifecycle = PipelineLifecycle(.shared)  // kept by the app's delegate
/// ```
/// At a memory warning the pipeline keeps no image that no view shows. In the background, what
/// waits is written, expired files are removed and all locks of files are released, as iOS ends a
/// suspended app that holds one in a shared container; a background task keeps the app running
/// until then. When the app returns, tables and caches are as before.
@available(iOSApplicationExtension, unavailable)
@MainActor
public final class PipelineLifecycle {
  private let observer: LifecycleObserver

  /// Follows the notifications of `UIApplication` until it ends.
  ///
  /// - Parameter pipeline: Each pipeline has one of these.
  public init(_ pipeline: ImagePipeline = .shared) {
    observer = LifecycleObserver(pipeline)
  }
}

/// Notification centres call it, and do not retain it.
@available(iOSApplicationExtension, unavailable)
@MainActor
private final class LifecycleObserver: NSObject {
  private let pipeline: ImagePipeline
  private var state = SuspensionState()
  /// The last step of what is done in the background.
  private var work: Task<Void, Never>?
  private var background = UIBackgroundTaskIdentifier.invalid

  init(_ pipeline: ImagePipeline) {
    self.pipeline = pipeline
    super.init()
    let center = NotificationCenter.default
    let calls: [(Selector, NSNotification.Name)] = [
      (#selector(didReceiveMemoryWarning), UIApplication.didReceiveMemoryWarningNotification),
      (#selector(didEnterBackground), UIApplication.didEnterBackgroundNotification),
      (#selector(willEnterForeground), UIApplication.willEnterForegroundNotification),
    ]
    for (selector, name) in calls {
      center.addObserver(self, selector: selector, name: name, object: nil)
    }
  }

  @objc func didReceiveMemoryWarning() { pipeline.relieveMemory(.critical) }

  @objc func didEnterBackground() {
    pipeline.isInBackground = true
    guard state.enterBackground() else { return }
    let name = "org.ikran.suspend"
    background = UIApplication.shared.beginBackgroundTask(withName: name) { [weak self] in
      // The time is over: what is not done by now is done after the return.
      self?.endBackgroundTask()
    }
    work = Task { [weak self, pipeline] in
      await pipeline.removeExpiredFiles()
      await pipeline.suspend()
      self?.didSuspend()
    }
  }

  @objc func willEnterForeground() {
    pipeline.isInBackground = false
    if state.enterForeground() { pipeline.resume() }
  }

  private func didSuspend() {
    if state.didSuspend() { pipeline.resume() }
    endBackgroundTask()
    // The app may have gone to the background again.
    if state.needsSuspension { didEnterBackground() }
  }

  private func endBackgroundTask() {
    guard background != .invalid else { return }
    UIApplication.shared.endBackgroundTask(background)
    background = .invalid
  }
}
#endif
