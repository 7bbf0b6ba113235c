import CMicroHTTPD
import IkranSystem

/// What systemd does for a service: a socket that it has opened, and word of how things stand
/// (sd_listen_fds(3), sd_notify(3)).
package struct ServiceManager: Sendable {
  /// The first one after the standard streams.
  private static let number: CInt = 3
  private let environment: [String: String]

  /// Takes the variables in which it tells of itself.
  package init(_ environment: [String: String]) { self.environment = environment }

  /// The listening socket that it has opened for this process; nil without one.
  ///
  /// Programs that this one starts do not get it. C functions: getsockopt, fcntl.
  package var socket: CInt? {
    guard let owner = environment["LISTEN_PID"].flatMap({ Int32($0) }),
      owner == ProcessTable.current,
      let count = environment["LISTEN_FDS"].flatMap({ Int($0) }), count >= 1
    else { return nil }
    return ikran_take_listener(Self.number) == 0 ? Self.number : nil
  }

  /// Tells it a state, such as `READY=1`; does nothing where it has not asked for that.
  ///
  /// C functions: socket, sendto.
  package func tell(_ state: String) {
    guard let place = environment["NOTIFY_SOCKET"] else { return }
    ikran_tell_manager(place, state)
  }

  /// Tells it that settings are read again; `READY=1` has to follow.
  ///
  /// C functions: clock_gettime, socket, sendto.
  package func tellReloading() {
    guard let place = environment["NOTIFY_SOCKET"] else { return }
    ikran_tell_reloading(place)
  }
}
