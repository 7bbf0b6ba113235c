import CMicroHTTPD
import IkranSystem

/// A listening socket that the program which started this one has opened, as systemd does
/// (sd_listen_fds(3)).
package enum InheritedSocket {
  /// The first one after the standard streams.
  private static let number: CInt = 3

  /// The socket that variables tell of; nil without one.
  ///
  /// Programs that this one starts do not get it. C functions: getsockopt, fcntl.
  package static func descriptor(_ environment: [String: String]) -> CInt? {
    guard let owner = environment["LISTEN_PID"].flatMap({ Int32($0) }),
      owner == ProcessTable.current,
      let count = environment["LISTEN_FDS"].flatMap({ Int($0) }), count >= 1
    else { return nil }
    return ikran_take_listener(number) == 0 ? number : nil
  }
}
