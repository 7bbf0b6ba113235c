import CMicroHTTPD
import IkranSystem

/// A client's connection, owned by libmicrohttpd and valid during one request.
struct ConnectionHandle: @unchecked Sendable {  // libmicrohttpd locks what may be called elsewhere
  private let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// The client's socket, or -1; it stays open while the connection is suspended.
  ///
  /// C function: MHD_get_connection_info.
  var socket: CInt { ikran_connection_socket(pointer) }

  /// Suspends the connection until it is resumed, so that it occupies no thread.
  ///
  /// C function: MHD_suspend_connection.
  func suspend() { MHD_suspend_connection(pointer) }

  /// Resumes a suspended connection on its thread.
  ///
  /// C function: MHD_resume_connection.
  func resume() { MHD_resume_connection(pointer) }

  /// Closes the connection with a reset.
  ///
  /// C function: connect.
  func reset() { ikran_connection_reset(socket) }

  /// Reads the fields of the head that the origin uses, or all of them.
  ///
  /// C functions: MHD_lookup_connection_value, MHD_get_connection_values.
  func head(
    method: UnsafePointer<CChar>,
    path: UnsafePointer<CChar>,
    withAllFields: Bool
  ) -> RequestHead {
    RequestHead(
      method: String(cString: method),
      path: String(path: path),
      parameters: values(.GET_ARGUMENT_KIND),
      headers: withAllFields ? values(.HEADER_KIND) : [],
      host: header("Host"),
      range: header("Range"),
      ifRange: header("If-Range"),
      ifNoneMatch: header("If-None-Match"),
      ifModifiedSince: header("If-Modified-Since")
    )
  }

  /// Queues a response; false closes the connection.
  ///
  /// C function: MHD_queue_response.
  func send(_ response: Response, suspended: SuspendedConnections) -> Bool {
    guard let handle = ResponseHandle(response, connection: self, suspended: suspended) else {
      return false
    }
    return MHD_queue_response(pointer, CUnsignedInt(response.status), handle.pointer) == .YES
  }

  private func values(_ kind: MHD_ValueKind) -> [Field] {
    var found: [Field] = []
    withUnsafeMutablePointer(to: &found) { found in
      let add: MHD_KeyValueIterator = { context, _, name, value in
        guard let context, let name else { return .NO }
        let text = value.map { String(cString: $0) } ?? ""
        let list = context.assumingMemoryBound(to: [Field].self)
        list.pointee.append(Field(String(cString: name), text))
        return .YES
      }
      _ = MHD_get_connection_values(pointer, kind, add, found)
    }
    return found
  }

  private func header(_ name: String) -> String? {
    MHD_lookup_connection_value(pointer, .HEADER_KIND, name).map { String(cString: $0) }
  }
}
