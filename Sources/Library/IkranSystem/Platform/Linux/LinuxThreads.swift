#if canImport(Glibc)
import Glibc

extension Platform {
  /// The kind of mutex for which a thread spins before it sleeps; nil for none.
  ///
  /// Glibc's module has no `PTHREAD_MUTEX_ADAPTIVE_NP`.
  static let spinningMutex: CInt? = 3

  /// Starts a detached thread that gets the argument; false when the system has none to give.
  ///
  /// C functions: `pthread_create`, `pthread_detach`.
  static func startThread(_ argument: UnsafeMutableRawPointer) -> Bool {
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { runBackgroundThread($0) }, argument)
    guard code == 0 else { return false }
    pthread_detach(thread)
    return true
  }

  /// Names the thread that calls, for debuggers; the system keeps the first 15 bytes.
  ///
  /// Glibc's module has no `pthread_setname_np`; the kernel's file does the same.
  static func nameThread(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }  // No /proc: the thread keeps the program's name.
    let bytes = Array(name.utf8.prefix(15))
    _ = write(file, bytes, bytes.count)
    close(file)
  }
}
#endif
