package import IkranPOSIX

extension Files {
  /// The device and inode of a file, to notice that it was replaced.
  package struct Identity: Hashable, Sendable {
    package let device, inode: UInt64

    package init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }

    /// That of a file's status; a device's number may be negative (`dev_t` of Darwin).
    package init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  /// 128 bits for what an ordinary file holds without reading it: others when its size, its inode
  /// or the time of its last change is another, of which the system's own cannot be set back; nil
  /// when there is none.
  ///
  /// C function: `stat`.
  package static func versionPair(of path: String) -> (low: UInt64, high: UInt64)? {
    var status = stat()
    guard path.withPath({ stat($0, &status) }) == 0 else { return nil }
    let identity = Identity(status)
    let words: [UInt64] = [
      identity.device, identity.inode, UInt64(bitPattern: Int64(status.st_size)),
      UInt64(bitPattern: Int64(status.written.tv_sec)),
      UInt64(bitPattern: Int64(status.written.tv_nsec)),
      UInt64(bitPattern: Int64(status.changed.tv_sec)),
      UInt64(bitPattern: Int64(status.changed.tv_nsec)),
    ]
    return (low: Checksum.of(words + [1]), high: Checksum.of(words))
  }

  /// The device and inode of the file at the path; nil when it does not exist.
  package static func identity(_ path: String) -> Identity? {
    var status = stat()
    guard path.withPath({ stat($0, &status) }) == 0 else { return nil }
    return Identity(status)
  }
}
