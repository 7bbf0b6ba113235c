import CGTK
import IkranSystem

/// Watches folders for files that come, change or go.
@MainActor
final class FolderMonitor {
  private typealias Handler =
    @convention(c) (gpointer?, gpointer?, gpointer?, GFileMonitorEvent, gpointer?) -> Void

  private let onChange: @MainActor () -> Void
  private var monitors: [String: OpaquePointer] = [:]
  /// Whether a change was seen that ``onChange`` has not been called for.
  private var isChanged = false

  /// The most folders that are watched: the system has a limit for all programs.
  private static let most = 2000

  /// Watches nothing.
  ///
  /// - Parameter onChange: Called some time after a change, once for those that come together.
  init(onChange: @escaping @MainActor () -> Void) { self.onChange = onChange }

  isolated deinit { for path in Array(monitors.keys) { end(path) } }

  /// Watches these folders and no others.
  func watch(_ folders: [String]) {
    let wanted = Set(folders.prefix(Self.most))
    for path in monitors.keys.filter({ !wanted.contains($0) }) { end(path) }
    for path in wanted where monitors[path] == nil { begin(path) }
  }

  private func begin(_ path: String) {
    guard let file = path.withPath({ g_file_new_for_path($0) }) else { return }
    defer { g_object_unref(UnsafeMutableRawPointer(file)) }
    // Folders that cannot be watched are read again with a key.
    guard let monitor = g_file_monitor_directory(file, G_FILE_MONITOR_WATCH_MOVES, nil, nil) else {
      return
    }
    let handler: Handler = { _, _, _, event, data in
      // Of a file that is being written only the end counts.
      guard event != G_FILE_MONITOR_EVENT_CHANGED else { return }
      CallbackData<Void, Void>.call(data, ())
    }
    let callback = CallbackData<Void, Void> { [weak self] in self?.change() }
    g_signal_connect_data(
      UnsafeMutableRawPointer(monitor),
      "changed",
      unsafeBitCast(handler, to: GCallback.self),
      callback.retained(),
      { data, _ in releaseCallbackData(data) },
      GConnectFlags(0)
    )
    monitors[path] = OpaquePointer(monitor)
  }

  private func end(_ path: String) {
    guard let monitor = monitors.removeValue(forKey: path) else { return }
    let raw = UnsafeMutableRawPointer(monitor)
    g_file_monitor_cancel(raw.assumingMemoryBound(to: GFileMonitor.self))
    g_object_unref(raw)
  }

  private func change() {
    guard !isChanged else { return }
    isChanged = true
    Timer.repeating(milliseconds: 300) { [weak self] in
      self?.isChanged = false
      self?.onChange()
      return false
    }
  }
}
