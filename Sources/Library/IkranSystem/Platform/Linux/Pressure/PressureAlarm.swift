#if canImport(Glibc)
import Glibc

/// A thread that sleeps until the kernel reports memory pressure.
package final class PressureAlarm: Sendable {
  /// A file that signals pressure with `POLLPRI`, and the level; nil when it must be read.
  package typealias Source = (descriptor: CInt, level: MemoryPressure?)

  /// Wakes the thread to end it.
  private let end: EndSignal

  /// Starts to listen; nil when there is nothing to listen to.
  convenience init?(
    _ paths: PressurePaths,
    _ onAlarm: @escaping @Sendable (MemoryPressure?) -> Void
  ) {
    self.init(Self.open(paths), onAlarm)
  }

  /// Listens to open files, which it closes; nil when there are none or no thread can be started.
  package init?(
    _ sources: [Source],
    _ onAlarm: @escaping @Sendable (MemoryPressure?) -> Void
  ) {
    guard !sources.isEmpty, let end = EndSignal() else {
      for source in sources { close(source.descriptor) }
      return nil
    }
    self.end = end
    let started = BackgroundThread.start(name: "ikran-pressure") {
      Self.listen(to: sources, until: end, onAlarm)
      for source in sources { close(source.descriptor) }
    }
    guard started else {
      for source in sources { close(source.descriptor) }
      return nil
    }
  }

  /// Ends the thread soon.
  package func stop() { end.signal() }

  /// C functions: `open` and `write`, as the kernel's documentation of PSI has it.
  private static func open(_ paths: PressurePaths) -> [Source] {
    if let path = paths.stall {
      // Two seconds: the shortest window for a process without privileges.
      let triggers: [(text: String, level: MemoryPressure)] = [
        ("some 200000 2000000", .warning), ("full 200000 2000000", .critical),
      ]
      let sources = triggers.compactMap { trigger -> Source? in
        let file = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        let bytes = Array(trigger.text.utf8) + [0]
        guard write(file, bytes, bytes.count) == bytes.count else {
          close(file)
          return nil
        }
        return (file, trigger.level)
      }
      if !sources.isEmpty { return sources }
    }
    guard let group = paths.group else { return [] }
    let file = Glibc.open("\(group)/memory.events", O_RDONLY | O_CLOEXEC)
    return file >= 0 ? [(file, nil)] : []
  }

  /// C function: `poll` with `POLLPRI`, which both kinds of files use.
  private static func listen(
    to sources: [Source],
    until end: EndSignal,
    _ onAlarm: (MemoryPressure?) -> Void
  ) {
    var polled = [pollfd(fd: end.reader, events: Int16(POLLIN), revents: 0)]
    polled += sources.map { pollfd(fd: $0.descriptor, events: Int16(POLLPRI), revents: 0) }
    while polled.dropFirst().contains(where: { $0.fd >= 0 }) {
      guard poll(&polled, nfds_t(polled.count), -1) >= 0 else {
        if errno == EINTR { continue }
        return
      }
      if polled[0].revents != 0 { return }
      var levels: [MemoryPressure?] = []
      for (index, source) in sources.enumerated() {
        let happened = polled[index + 1].revents
        guard happened != 0 else { continue }
        if happened & Int16(POLLPRI) != 0 { levels.append(source.level) }
        if !canStillFire(source, happened) { polled[index + 1].fd = -1 }
      }
      // Both triggers may have fired; only the worse one counts.
      if let worst = levels.max(by: { ($0?.rawValue ?? 0) < ($1?.rawValue ?? 0) }) {
        onAlarm(worst)
      }
      // At most once a second, even if the kernel signals more often.
      if poll(&polled, 1, 1000) > 0 { return }
    }
  }

  /// Whether a source can fire again.
  ///
  /// A trigger with an error flag has failed permanently. The events of a group always come with an
  /// error flag, and are signalled until the file is read.
  private static func canStillFire(_ source: Source, _ happened: Int16) -> Bool {
    guard source.level == nil else { return happened & Int16(POLLERR | POLLNVAL | POLLHUP) == 0 }
    var bytes = [UInt8](repeating: 0, count: 4096)
    return pread(source.descriptor, &bytes, bytes.count, 0) > 0
  }
}

/// A socket pair with which one thread wakes another.
private final class EndSignal: Sendable {
  let reader: CInt
  private let writer: CInt

  /// C function: `socketpair`; nil when too many files are open.
  init?() {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    close(reader)
    close(writer)
  }

  func signal() {
    let byte: [UInt8] = [1]
    _ = write(writer, byte, 1)
  }
}
#endif
