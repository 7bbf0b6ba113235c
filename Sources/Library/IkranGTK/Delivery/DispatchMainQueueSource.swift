import CGTK
import Glibc

/// libdispatch's main queue as a source of GLib's main context.
///
/// The two functions are those that CoreFoundation's run loop calls on Linux; they have no header.
@MainActor
final class DispatchMainQueueSource {
  static let shared = DispatchMainQueueSource()

  private typealias Drain = @convention(c) (UnsafeMutableRawPointer?) -> Void
  private typealias Port = @convention(c) () -> CInt

  nonisolated private static let drain = dlsym(nil, "_dispatch_main_queue_callback_4CF").map {
    unsafeBitCast($0, to: Drain.self)
  }

  private var isAttached = false

  /// Attaches the queue, once; returns whether that is possible.
  func attach() -> Bool {
    guard !isAttached else { return true }
    guard Self.drain != nil, let symbol = dlsym(nil, "_dispatch_get_main_queue_port_4CF") else {
      return false
    }
    let file = unsafeBitCast(symbol, to: Port.self)()
    guard file >= 0 else { return false }
    let run: GUnixFDSourceFunc = { file, _, _ in
      // The counter goes to zero before the queue is drained, so that no wake-up is lost.
      var count: UInt64 = 0
      _ = read(file, &count, 8)
      DispatchMainQueueSource.drain?(nil)
      return 1
    }
    g_unix_fd_add_full(MainQueue.priority, file, G_IO_IN, run, nil, nil)
    isAttached = true
    return true
  }
}
