#if canImport(Glibc)
package import Glibc

extension Platform {
  /// The largest file in bytes that this process may write.
  ///
  /// C function: `getrlimit`.
  static var fileSizeLimit: UInt64 {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    return UInt64(limit.rlim_cur)
  }

  /// Makes a file's bytes survive a power loss; less than 0 when it fails.
  ///
  /// C function: `fsync`.
  static func synchronize(_ descriptor: CInt) -> CInt { fsync(descriptor) }
}

extension stat {
  /// When the file's bytes were last written.
  package var written: timespec { st_mtim }

  /// When the file or what is known of it was last changed.
  package var changed: timespec { st_ctim }
}
#endif
