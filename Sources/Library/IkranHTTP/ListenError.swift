/// Why a server could not start.
package enum ListenError: Error, Sendable, Hashable {
  /// Another program listens on the port.
  case portInUse(host: String, port: Int)
  /// The system reserves the port (below 1024 it needs privileges).
  case portForbidden(host: String, port: Int)
  /// The port is not in 0…65535.
  case invalidPort(Int)
  /// The host name has no address of this machine.
  case hostNotHere(String)
  /// Listening failed for another reason; the code is errno's.
  case cannotListen(host: String, port: Int, code: CInt)
  /// Another program listens at the path, or it is a file of another kind.
  case pathInUse(String)
  /// There can be no socket at the path; the code is errno's.
  case cannotListenAt(path: String, code: CInt)
  /// libmicrohttpd did not start: threads or memory ran out.
  case daemonFailed
}

extension ListenError: CustomStringConvertible {
  /// One sentence that says what to do.
  package var description: String {
    switch self {
    case .portInUse(let host, let port):
      "port \(port) on \(host) is in use; stop the program that has it or choose another port"
        + " (0 takes any free one)"
    case .portForbidden(let host, let port):
      "port \(port) on \(host) needs privileges; choose a port above 1023 (0 takes any free one)"
    case .invalidPort(let port): "port \(port) does not exist; choose one from 0 to 65535"
    case .hostNotHere(let host):
      "“\(host)” is not an address of this machine; use 127.0.0.1, ::1 or 0.0.0.0"
    case .cannotListen(let host, let port, let code):
      "cannot listen on port \(port) of \(host) (errno \(code))"
    case .pathInUse(let path):
      "“\(path)” is in use, or no socket; stop the program that listens there, or choose another"
        + " path"
    case .cannotListenAt(let path, let code):
      "cannot listen at “\(path)” (errno \(code)); its folder has to exist and be writable, and a"
        + " path has at most 107 bytes"
    case .daemonFailed: "the HTTP server could not start: too many threads or no memory"
    }
  }
}
