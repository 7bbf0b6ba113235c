import CMicroHTTPD

/// A running libmicrohttpd daemon: its listening socket and its threads.
final class DaemonHandle: @unchecked Sendable {  // immutable; Origin calls stop exactly once
  let port: Int
  private let pointer: OpaquePointer
  private let context: Unmanaged<RequestHandler>

  /// Listens and starts `threads` threads, each with its own epoll loop.
  ///
  /// libmicrohttpd blocks SIGPIPE in its own threads; the process's signal handling does not
  /// change. C functions: getaddrinfo, socket, bind, listen, MHD_start_daemon.
  init(handler: RequestHandler, host: String, port: Int, threads: Int) throws(ServerError) {
    guard let number = UInt16(exactly: port) else { throw .invalidPort(port) }
    let socket = ikran_listen(host, number)
    guard socket >= 0 else { throw Self.error(-socket, host: host, port: port) }
    context = Unmanaged.passRetained(handler)
    self.port = Int(ikran_bound_port(socket))
    let daemon = ikran_mhd_start(
      socket,
      CUnsignedInt(threads),
      handleRequest,
      requestEnded,
      context.toOpaque()
    )
    guard let daemon else {
      ikran_close(socket)
      context.release()
      throw .daemonFailed
    }
    pointer = daemon
  }

  /// Closes every connection, joins the threads and frees the daemon.
  ///
  /// No connection may be suspended. C function: MHD_stop_daemon.
  func stop() {
    MHD_stop_daemon(pointer)
    context.release()
  }

  private static func error(_ code: CInt, host: String, port: Int) -> ServerError {
    switch code {
    case EADDRINUSE: .portInUse(host: host, port: port)
    case EACCES, EPERM: .portForbidden(host: host, port: port)
    case EDESTADDRREQ, EADDRNOTAVAIL: .hostNotHere(host)
    default: .cannotListen(host: host, port: port, code: code)
    }
  }
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
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let path, let method, let slot else { return .NO }
  let handler = Unmanaged<RequestHandler>.fromOpaque(context).takeUnretainedValue()
  let client = ConnectionHandle(connection)
  guard let state = slot.pointee else {
    let needsAll = handler.routes.needsWholeRequests
    let head = client.head(method: method, path: path, withAllFields: needsAll)
    let exchange = handler.begin(head)
    slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    return .YES
  }
  let exchange = Unmanaged<Exchange>.fromOpaque(state).takeUnretainedValue()
  if let uploadCount, uploadCount.pointee > 0 {
    // Only a custom handler needs the body; it is discarded otherwise.
    if handler.routes.needsWholeRequests, let upload {
      exchange.append(Array(UnsafeRawBufferPointer(start: upload, count: uploadCount.pointee)))
    }
    uploadCount.pointee = 0
    return .YES
  }
  return handler.proceed(exchange, on: client) ? .YES : .NO
}

private func requestEnded(
  _ context: UnsafeMutableRawPointer?,
  _ connection: OpaquePointer?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ reason: MHD_RequestTerminationCode
) {
  guard let context, let slot, let state = slot.pointee else { return }
  slot.pointee = nil
  let exchange = Unmanaged<Exchange>.fromOpaque(state).takeRetainedValue()
  Unmanaged<RequestHandler>.fromOpaque(context).takeUnretainedValue().end(exchange)
}
