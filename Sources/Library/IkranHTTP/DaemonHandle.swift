import CMicroHTTPD
import IkranSystem

/// A running libmicrohttpd daemon: its listening socket and its threads.
package final class DaemonHandle: @unchecked Sendable {  // immutable; stopped exactly once
  /// The port it listens on; 0 for a Unix socket.
  package let port: Int
  private let pointer: OpaquePointer
  private let context: Unmanaged<DaemonContext>
  private let deadlines: ConnectionDeadlines?

  /// Listens and starts the threads.
  ///
  /// libmicrohttpd blocks SIGPIPE in its own threads; the process's signal handling does not
  /// change. C functions: getaddrinfo, socket, bind, listen, MHD_start_daemon.
  package convenience init(
    handler: some RequestHandling,
    host: String,
    port: Int,
    options: DaemonOptions
  ) throws(ListenError) {
    guard let number = UInt16(exactly: port) else { throw .invalidPort(port) }
    let socket = ikran_listen(host, number)
    guard socket >= 0 else { throw Self.error(-socket, host: host, port: port) }
    try self.init(handler: handler, socket: socket, options: options)
  }

  /// Listens at a path, with a Unix socket, and starts the threads.
  ///
  /// A socket that another program has left there is replaced. C functions: socket, bind, connect,
  /// unlink, listen, MHD_start_daemon.
  package convenience init(
    handler: some RequestHandling,
    path: String,
    options: DaemonOptions
  ) throws(ListenError) {
    let socket = ikran_listen_at(path)
    guard socket >= 0 else {
      throw socket == -EADDRINUSE ? .pathInUse(path) : .cannotListenAt(path: path, code: -socket)
    }
    try self.init(handler: handler, socket: socket, options: options)
  }

  /// Serves a listening socket that another program has opened, and that it owns from now on.
  ///
  /// C function: MHD_start_daemon.
  package init(
    handler: some RequestHandling,
    socket: CInt,
    options: DaemonOptions
  ) throws(ListenError) {
    let deadlines = options.limits.flatMap(ConnectionDeadlines.init)
    guard options.limits == nil || deadlines != nil else {
      ikran_close(socket)
      throw .daemonFailed
    }
    self.deadlines = deadlines
    context = Unmanaged.passRetained(DaemonContext(handler, deadlines))
    port = Int(ikran_bound_port(socket))
    var start = ikran_daemon_start()
    start.socket = socket
    start.threads = CUnsignedInt(max(1, min(options.threads, 64)))
    start.connections = CUnsignedInt(options.maximumConnections)
    start.idle_seconds = CUnsignedInt(options.idleSeconds)
    start.head_bytes = options.headBytes
    start.strictness = options.isStrict ? 1 : 0
    start.handler = handleRequest
    start.completed = requestEnded
    start.target = options.keepsTarget ? keepTarget : nil
    start.connection = deadlines == nil ? nil : connectionChanged
    start.context = context.toOpaque()
    guard let daemon = ikran_mhd_start(&start) else {
      ikran_close(socket)
      deadlines?.stop()
      context.release()
      throw .daemonFailed
    }
    pointer = daemon
  }

  /// Refuses further connections: the listening socket is closed, and those that are open go on.
  ///
  /// C function: MHD_quiesce_daemon.
  package func stopListening() {
    let socket = MHD_quiesce_daemon(pointer)
    if socket >= 0 { ikran_close(socket) }
  }

  /// How many connections are open.
  ///
  /// C function: MHD_get_daemon_info.
  package var connections: Int { Int(ikran_daemon_connections(pointer)) }

  /// Closes every connection, joins the threads and frees the daemon.
  ///
  /// No connection may be suspended. C function: MHD_stop_daemon.
  package func stop() {
    MHD_stop_daemon(pointer)
    deadlines?.stop()
    context.release()
  }

  private static func error(_ code: CInt, host: String, port: Int) -> ListenError {
    switch code {
    case EADDRINUSE: .portInUse(host: host, port: port)
    case EACCES, EPERM: .portForbidden(host: host, port: port)
    case EDESTADDRREQ, EADDRNOTAVAIL: .hostNotHere(host)
    default: .cannotListen(host: host, port: port, code: code)
    }
  }
}

/// The calls of a handler, with its exchanges as pointers.
private final class DaemonContext: Sendable {
  let begin: @Sendable (RequestLine, ConnectionHandle) -> UnsafeMutableRawPointer
  let isEarly: @Sendable (UnsafeMutableRawPointer) -> Bool
  let receive: @Sendable (Span<UInt8>, UnsafeMutableRawPointer) -> Void
  let proceed: @Sendable (UnsafeMutableRawPointer, ConnectionHandle) -> Bool
  let end: @Sendable (UnsafeMutableRawPointer, Bool) -> Void
  let deadlines: ConnectionDeadlines?

  init<Handler: RequestHandling>(_ handler: Handler, _ deadlines: ConnectionDeadlines?) {
    self.deadlines = deadlines
    typealias Reference = Unmanaged<Handler.Exchange>
    begin = { Reference.passRetained(handler.begin($0, on: $1)).toOpaque() }
    isEarly = { handler.isEarly(Reference.fromOpaque($0).takeUnretainedValue()) }
    receive = { handler.receive($0, of: Reference.fromOpaque($1).takeUnretainedValue()) }
    proceed = { handler.proceed(Reference.fromOpaque($0).takeUnretainedValue(), on: $1) }
    end = { handler.end(Reference.fromOpaque($0).takeRetainedValue(), isComplete: $1) }
  }
}

/// What libmicrohttpd keeps for a request: its target, and later the handler's exchange.
private final class RequestSlot {
  let target: String?
  var exchange: UnsafeMutableRawPointer?

  init(target: String?) { self.target = target }

  static func pointer(target: String?) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(RequestSlot(target: target)).toOpaque()
  }
}

/// Called with the first line.
private let keepTarget:
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
  ) -> UnsafeMutableRawPointer? = { _, target, _ in
    RequestSlot.pointer(target: target.map { String(cString: $0) })
  }

/// Called with the head, with each part of a body, at the end, and again after each pause.
private func handleRequest(
  _ context: UnsafeMutableRawPointer?,
  _ connection: OpaquePointer?,
  _ path: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?,
  _ version: UnsafePointer<CChar>?,
  _ upload: UnsafePointer<CChar>?,
  _ uploadCount: UnsafeMutablePointer<Int>?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let path, let method, let state else { return .NO }
  let handler = Unmanaged<DaemonContext>.fromOpaque(context).takeUnretainedValue()
  let client = ConnectionHandle(connection, handler.deadlines)
  let kept = state.pointee ?? RequestSlot.pointer(target: nil)
  state.pointee = kept
  let slot = Unmanaged<RequestSlot>.fromOpaque(kept).takeUnretainedValue()
  guard let exchange = slot.exchange else {
    let target = slot.target ?? String(path: path)
    let line = RequestLine(method: String(cString: method), target: target)
    let exchange = handler.begin(line, client)
    slot.exchange = exchange
    guard handler.isEarly(exchange) else { return .YES }
    return handler.proceed(exchange, client) ? .YES : .NO
  }
  if let uploadCount, uploadCount.pointee > 0 {
    if let upload {
      let bytes = UnsafeRawBufferPointer(start: upload, count: uploadCount.pointee)
      bytes.withMemoryRebound(to: UInt8.self) { handler.receive($0.span, exchange) }
    }
    uploadCount.pointee = 0
    return .YES
  }
  return handler.proceed(exchange, client) ? .YES : .NO
}

private func requestEnded(
  _ context: UnsafeMutableRawPointer?,
  _ connection: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ reason: MHD_RequestTerminationCode
) {
  guard let context, let state, let kept = state.pointee else { return }
  state.pointee = nil
  let slot = Unmanaged<RequestSlot>.fromOpaque(kept).takeRetainedValue()
  let handler = Unmanaged<DaemonContext>.fromOpaque(context).takeUnretainedValue()
  if let connection { handler.deadlines?.rest(ikran_connection_socket(connection)) }
  guard let exchange = slot.exchange else { return }
  handler.end(exchange, reason == .REQUEST_TERMINATED_COMPLETED_OK)
}

/// Called with each new connection, and before the socket of an old one is closed.
private let connectionChanged: MHD_NotifyConnectionCallback = { context, connection, _, change in
  guard let context, let connection else { return }
  let handler = Unmanaged<DaemonContext>.fromOpaque(context).takeUnretainedValue()
  let socket = ikran_connection_socket(connection)
  if change == .CONNECTION_NOTIFY_STARTED {
    handler.deadlines?.open(socket)
  } else {
    handler.deadlines?.clear(socket)
  }
}
