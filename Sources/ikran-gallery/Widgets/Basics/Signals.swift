import CGTK

/// Connects closures to the signals of objects; they are released with the object.
@MainActor
enum Signals {
  /// A closure as the data of a C callback.
  private final class Box<Value> {
    let body: @MainActor (Value) -> Void
    init(_ body: @escaping @MainActor (Value) -> Void) { self.body = body }
  }

  private typealias Plain = @convention(c) (gpointer?, gpointer?) -> Void
  private typealias WithPointer = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void
  private typealias WithNumber = @convention(c) (gpointer?, CUnsignedInt, gpointer?) -> Void
  private typealias Closing = @convention(c) (gpointer?, gpointer?) -> gboolean

  /// A signal without arguments.
  static func connect(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    after: Bool = false,
    _ body: @escaping @MainActor () -> Void
  ) {
    let handler: Plain = { Signals.call($1, ()) }
    add(object, signal, unsafeBitCast(handler, to: GCallback.self), Box<Void>(body), after)
  }

  /// A signal with an object, such as a list item or a changed property.
  static func connect(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    object body: @escaping @MainActor (OpaquePointer) -> Void
  ) {
    let handler: WithPointer = { _, argument, data in
      if let argument { Signals.call(data, OpaquePointer(argument)) }
    }
    add(object, signal, unsafeBitCast(handler, to: GCallback.self), Box(body), false)
  }

  /// A signal with a number, such as a position.
  static func connect(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    number body: @escaping @MainActor (CUnsignedInt) -> Void
  ) {
    let handler: WithNumber = { Signals.call($2, $1) }
    add(object, signal, unsafeBitCast(handler, to: GCallback.self), Box(body), false)
  }

  /// A window's request to close, which is left to the closure.
  static func connectClosing(
    _ object: UnsafeMutableRawPointer,
    _ body: @escaping @MainActor () -> Void
  ) {
    let handler: Closing = {
      Signals.call($1, ())
      return 1
    }
    add(
      object,
      "close-request",
      unsafeBitCast(handler, to: GCallback.self),
      Box<Void>(body),
      false
    )
  }

  private static func add<Value>(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    _ handler: GCallback,
    _ box: Box<Value>,
    _ after: Bool
  ) {
    let flags = after ? G_CONNECT_AFTER : GConnectFlags(0)
    g_signal_connect_data(
      object,
      signal,
      handler,
      Unmanaged.passRetained(box).toOpaque(),
      { data, _ in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } },
      flags
    )
  }

  nonisolated private static func call<Value>(_ data: gpointer?, _ value: Value) {
    nonisolated(unsafe) let (data, value) = (data, value)  // GTK emits its signals on its thread
    MainActor.assumeIsolated {
      guard let data else { return }
      Unmanaged<Box<Value>>.fromOpaque(data).takeUnretainedValue().body(value)
    }
  }
}

/// Closures that GLib's main loop calls.
@MainActor
enum Timer {
  private final class Box {
    let body: @MainActor () -> Bool
    init(_ body: @escaping @MainActor () -> Bool) { self.body = body }
  }

  /// Calls a closure again and again while it returns true.
  static func repeating(milliseconds: Int, _ body: @escaping @MainActor () -> Bool) {
    let data = Unmanaged.passRetained(Box(body)).toOpaque()
    g_timeout_add_full(G_PRIORITY_DEFAULT, CUnsignedInt(milliseconds), run, data, release)
  }

  /// Calls a closure at a signal of the system's, such as SIGINT, again and again while it returns true.
  static func at(signal: CInt, _ body: @escaping @MainActor () -> Bool) {
    let data = Unmanaged.passRetained(Box(body)).toOpaque()
    g_unix_signal_add_full(G_PRIORITY_HIGH, signal, run, data, release)
  }

  nonisolated private static let run: GSourceFunc = { data in
    nonisolated(unsafe) let data = data  // the main loop runs on the main thread
    return MainActor.assumeIsolated {
      guard let data else { return 0 }
      return Unmanaged<Box>.fromOpaque(data).takeUnretainedValue().body() ? 1 : 0
    }
  }

  nonisolated private static let release: GDestroyNotify = { data in
    if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
  }
}
