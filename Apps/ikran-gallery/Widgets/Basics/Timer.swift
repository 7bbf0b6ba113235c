import CGTK

/// Closures that GLib's main loop calls.
@MainActor
enum Timer {
  private typealias Callback = CallbackData<Void, Bool>

  /// Calls a closure again and again while it returns true.
  static func repeating(milliseconds: Int, _ body: @escaping @MainActor () -> Bool) {
    let data = Callback(body).retained()
    let delay = CUnsignedInt(milliseconds)
    g_timeout_add_full(G_PRIORITY_DEFAULT, delay, run, data, releaseCallbackData)
  }

  /// Calls a closure at a signal of the system's, such as SIGINT, again and again while it returns
  /// true.
  static func at(signal: CInt, _ body: @escaping @MainActor () -> Bool) {
    let data = Callback(body).retained()
    g_unix_signal_add_full(G_PRIORITY_HIGH, signal, run, data, releaseCallbackData)
  }

  nonisolated private static let run: GSourceFunc = { Callback.call($0, ()) == true ? 1 : 0 }
}
