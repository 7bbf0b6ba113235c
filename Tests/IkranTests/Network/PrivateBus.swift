import Glibc
import IkranStores

/// A message bus of its own with a stand-in for NetworkManager on it; both end with it.
final class PrivateBus: Sendable {
  struct Failure: Error {
    let call: String
  }

  /// What the stand-in says of the network.
  enum Metered: Int {
    case yes = 1
    case no = 2
  }

  /// The system's Python has the system's packages, whatever else is first in the path.
  private static let python = "/usr/bin/python3"

  /// Starts the bus, says its address when the name is taken, and then lives as long as its input;
  /// each line of that is what to say next.
  private static let script = """
    import sys, threading
    from gi.repository import Gio, GLib
    bus = Gio.TestDBus.new(Gio.TestDBusFlags.NONE)
    bus.up()
    values = {'State': 70, 'Connectivity': 4, 'Metered': 0}
    lines = ''.join(f'<property name="{name}" type="u" access="read"/>' for name in values)
    xml = f'<node><interface name="org.freedesktop.NetworkManager">{lines}</interface></node>'
    connection = Gio.DBusConnection.new_for_address_sync(
        bus.get_bus_address(),
        Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
        | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
    connection.register_object(
        '/org/freedesktop/NetworkManager', Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0], None,
        lambda *asked: GLib.Variant('u', values[asked[4]]), None)
    loop = GLib.MainLoop()
    def listen():
        for line in sys.stdin:
            values['Metered'] = int(line)
            print('said', flush=True)
        loop.quit()
    def begin(*_):
        print(bus.get_bus_address(), flush=True)
        threading.Thread(target=listen, daemon=True).start()
    Gio.bus_own_name_on_connection(
        connection, 'org.freedesktop.NetworkManager', Gio.BusNameOwnerFlags.NONE, begin, None)
    loop.run()
    connection.close_sync(None)
    bus.stop()
    """

  /// Whether Python, its binding of GIO and the bus's daemon are installed.
  static let isInstalled: Bool = {
    let test = "import shutil, gi.repository.Gio; assert shutil.which('dbus-daemon')"
    guard let process = try? start(test, input: nil, output: nil) else { return false }
    return wait(process) == 0
  }()

  /// Where the bus listens.
  let address: String
  private let process: pid_t
  private let input: CInt
  private let output: CInt

  init() throws {
    let (inputEnd, input) = try Self.pipe()
    let (output, outputEnd) = try Self.pipe()
    process = try Self.start(Self.script, input: inputEnd, output: outputEnd)
    close(inputEnd)
    close(outputEnd)
    (self.input, self.output) = (input, output)
    address = Self.line(of: output)
    guard !address.isEmpty else { throw Failure(call: "python3") }
  }

  deinit {
    close(input)
    _ = Self.wait(process)
    close(output)
  }

  /// Changes what the stand-in says; returns when it is done.
  func say(_ metered: Metered) throws {
    let line = Array("\(metered.rawValue)\n".utf8)
    guard write(input, line, line.count) == line.count, Self.line(of: output) == "said" else {
      throw Failure(call: "write")
    }
  }

  private static func line(of file: CInt) -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(file, &byte, 1) == 1, byte != 0x0A { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  private static func pipe() throws -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw Failure(call: "pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Starts Python with a script; what it is not given is nothing.
  private static func start(_ script: String, input: CInt?, output: CInt?) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, file) in zip([CInt(0), 1, 2], [input, output, nil]) {
      if let file {
        posix_spawn_file_actions_adddup2(&actions, file, descriptor)
      } else {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
      }
    }
    // Threads of a test may block signals, and a child inherits that; the daemon is ended by one.
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    defer { posix_spawnattr_destroy(&attributes) }
    let text = [Self.python, "-c", script]
    var words: [UnsafeMutablePointer<CChar>?] = text.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    guard posix_spawn(&process, Self.python, &actions, &attributes, &words, environ) == 0 else {
      throw Failure(call: "posix_spawn")
    }
    return process
  }

  private static func wait(_ process: pid_t) -> CInt {
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }
}
