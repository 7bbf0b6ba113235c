/// The main loop of GLib, and Swift's main actor in it.
public enum MainLoop {
  /// Runs a closure on the main thread, after the frame that is due; call it from any thread.
  ///
  /// Cost: one lock, and a wake-up of the main loop if nothing was waiting. While frames take all
  /// of the time, closures get their four milliseconds once every 50. Closures run in the order in
  /// which they were posted, for four milliseconds at a time; frames are drawn in between. No
  /// `@MainActor` task is needed: it works in programs that never call ``attach()``.
  ///
  /// - Parameter body: Called once, while the default main context is iterated.
  public static func post(_ body: @escaping @MainActor @Sendable () -> Void) {
    MainQueue.shared.post(body)
  }

  /// Lets `@MainActor` tasks, `Task.sleep` and `DispatchQueue.main` run while GLib's main loop
  /// does.
  ///
  /// A plain `g_application_run` runs none of them. Call it once on the main thread before; further
  /// calls do nothing. Start the program from a synchronous `main`: below an asynchronous one the
  /// main actor is busy.
  ///
  /// - Returns: Whether libdispatch's main queue can be attached.
  @MainActor
  @discardableResult
  public static func attach() -> Bool { DispatchMainQueueSource.shared.attach() }
}
