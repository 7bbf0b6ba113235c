#if canImport(Darwin)
package import Darwin

extension Platform {
  /// The largest file in bytes that this process may write.
  ///
  /// C function: `getrlimit`.
  static var fileSizeLimit: UInt64 {
    var limit = rlimit()
    getrlimit(RLIMIT_FSIZE, &limit)
    return limit.rlim_cur
  }

  /// Makes a file's bytes survive a power loss; less than 0 when it fails.
  ///
  /// C function: `fcntl`, `F_FULLFSYNC`. `fsync` leaves bytes in the disk's own memory. Where a
  /// disk does not know it, as one of a network does not, `fsync` is all there is (fsync(2)).
  static func synchronize(_ descriptor: CInt) -> CInt {
    let result = fcntl(descriptor, F_FULLFSYNC)
    return result < 0 && errno == ENOTSUP ? fsync(descriptor) : result
  }
}

extension stat {
  /// When the file's bytes were last written.
  package var written: timespec { st_mtimespec }

  /// When the file or what is known of it was last changed.
  package var changed: timespec { st_ctimespec }
}
#endif
