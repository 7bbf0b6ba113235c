#if canImport(Darwin)
import Darwin
import Synchronization

// What a fork needs of Darwin, where few programs fork without `exec`.
extension Platform {
  /// How many bytes the path of an open file takes, with the zero at its end.
  package static let openFilePathLength = Int(MAXPATHLEN)

  /// Writes the path under which a fork opens an open file again, as a C string; false when there
  /// is none.
  ///
  /// C function: `fcntl`, `F_GETPATH`. A file that has been replaced since has no path.
  package static func path(
    ofOpenFile descriptor: CInt,
    into path: UnsafeMutablePointer<CChar>
  ) -> Bool { fcntl(descriptor, F_GETPATH, path) == 0 }

  /// Has a page of memory read as zeros in forks.
  ///
  /// C function: `pthread_atfork`; `minherit` would take the page away.
  package static func wipeInForks(_ page: UnsafeMutableRawPointer, _ byteCount: Int) {
    wipedPage.store(UInt(bitPattern: page), ordering: .relaxed)
    pthread_atfork(nil, nil, { wipePage() })
  }

  fileprivate static let wipedPage = Atomic<UInt>(0)
}

/// In the fork, before anything else.
private func wipePage() {
  let page = UnsafeMutablePointer<UInt64>(bitPattern: Platform.wipedPage.load(ordering: .relaxed))
  page?.pointee = 0
}
#endif
