import CMicroHTTPD
import IkranSystem

/// A client's connection, owned by libmicrohttpd and valid during one request.
package struct ConnectionHandle: @unchecked Sendable {  // libmicrohttpd locks what others call
  private let pointer: OpaquePointer
  /// Nil where the daemon has no limits.
  private let deadlines: ConnectionDeadlines?

  init(_ pointer: OpaquePointer, _ deadlines: ConnectionDeadlines?) {
    (self.pointer, self.deadlines) = (pointer, deadlines)
  }

  /// The client's socket, or -1; it stays open while the connection is suspended.
  ///
  /// C function: MHD_get_connection_info.
  package var socket: CInt { ikran_connection_socket(pointer) }

  /// Whether the client is a program of this machine, on a Unix socket.
  ///
  /// C function: getsockname.
  package var isLocal: Bool { ikran_connection_is_local(socket) }

  /// The number of the client's address, such as `192.0.2.1`; nil for a Unix socket.
  ///
  /// C functions: MHD_get_connection_info, inet_ntop.
  package var clientAddress: String? {
    // A number of IPv6 has 45 characters at most.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 46) { text in
      guard let start = text.baseAddress, ikran_connection_client(pointer, start, 46) else {
        return nil
      }
      return String(cString: start)
    }
  }

  /// Suspends the connection until it is resumed, so that it occupies no thread.
  ///
  /// C function: MHD_suspend_connection.
  func suspend() {
    deadlines?.clear(socket)
    MHD_suspend_connection(pointer)
  }

  /// Resumes a suspended connection on its thread.
  ///
  /// C function: MHD_resume_connection.
  func resume() {
    // The response may begin at once, on another thread.
    deadlines?.respond(socket)
    MHD_resume_connection(pointer)
  }

  /// Breaks a connection off: the daemon sees its end, and closes it.
  ///
  /// C function: shutdown.
  static func shutDown(_ socket: CInt) { ikran_connection_shut_down(socket) }

  /// Closes the connection with a reset.
  ///
  /// C function: connect.
  package func reset() { ikran_connection_reset(socket) }

  /// The decoded parameters of the query, in order.
  ///
  /// C function: MHD_get_connection_values.
  package var parameters: [Field] { values(.GET_ARGUMENT_KIND) }

  /// All header fields, in order.
  ///
  /// C function: MHD_get_connection_values.
  package var headers: [Field] { values(.HEADER_KIND) }

  /// The value of the first header field of a name, in letters of any case.
  ///
  /// C function: MHD_lookup_connection_value.
  package func header(_ name: String) -> String? {
    MHD_lookup_connection_value(pointer, .HEADER_KIND, name).map { String(cString: $0) }
  }

  /// Queues a response, which stays its owner's; false closes the connection.
  ///
  /// C function: MHD_queue_response.
  package func send(status: Int, _ response: OpaquePointer) -> Bool {
    deadlines?.respond(socket)
    return MHD_queue_response(pointer, CUnsignedInt(status), response) == .YES
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
}
