import CGTK

/// Connects closures to the signals of objects; they are released with the object.
@MainActor
enum Signals {
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
    let handler: Plain = { CallbackData<Void, Void>.call($1, ()) }
    add(
      object,
      signal,
      unsafeBitCast(handler, to: GCallback.self),
      CallbackData<Void, Void>(body),
      after
    )
  }

  /// A signal with an object, such as a list item or a changed property.
  static func connect(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    object body: @escaping @MainActor (OpaquePointer) -> Void
  ) {
    let handler: WithPointer = { _, argument, data in
      if let argument { CallbackData<OpaquePointer, Void>.call(data, OpaquePointer(argument)) }
    }
    add(object, signal, unsafeBitCast(handler, to: GCallback.self), CallbackData(body), false)
  }

  /// A signal with a number, such as a position.
  static func connect(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    number body: @escaping @MainActor (CUnsignedInt) -> Void
  ) {
    let handler: WithNumber = { CallbackData<CUnsignedInt, Void>.call($2, $1) }
    add(object, signal, unsafeBitCast(handler, to: GCallback.self), CallbackData(body), false)
  }

  /// A window's request to close, which is left to the closure.
  static func connectClosing(
    _ object: UnsafeMutableRawPointer,
    _ body: @escaping @MainActor () -> Void
  ) {
    let handler: Closing = {
      CallbackData<Void, Void>.call($1, ())
      return 1
    }
    add(
      object,
      "close-request",
      unsafeBitCast(handler, to: GCallback.self),
      CallbackData<Void, Void>(body),
      false
    )
  }

  private static func add<Value>(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    _ handler: GCallback,
    _ callback: CallbackData<Value, Void>,
    _ after: Bool
  ) {
    let flags = after ? G_CONNECT_AFTER : GConnectFlags(0)
    g_signal_connect_data(
      object,
      signal,
      handler,
      callback.retained(),
      { data, _ in releaseCallbackData(data) },
      flags
    )
  }
}
