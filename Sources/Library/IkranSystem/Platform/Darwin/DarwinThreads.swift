#if canImport(Darwin)
import Darwin

extension Platform {
  /// The kind of mutex for which a thread spins before it sleeps; nil for none.
  static let spinningMutex: CInt? = nil

  /// Starts a detached thread that gets the argument; false when the system has none to give.
  ///
  /// C functions: `pthread_create`, `pthread_detach`.
  static func startThread(_ argument: UnsafeMutableRawPointer) -> Bool {
    var thread: pthread_t?
    let code = pthread_create(&thread, nil, { runBackgroundThread($0) }, argument)
    guard code == 0, let thread else { return false }
    pthread_detach(thread)
    return true
  }

  /// Names the thread that calls, for debuggers; the system keeps the first 63 bytes.
  ///
  /// C function: `pthread_setname_np`.
  static func nameThread(_ name: String) { pthread_setname_np(name) }
}
#endif
