import Glibc
import Testing

/// Makes writes of this process to open files fail as on a full disk.
enum FullFile {
  /// The descriptors with which this process has a file open.
  static func descriptors(of path: String) -> [CInt] {
    (0..<4096).filter { descriptor in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { target in
        guard let start = target.baseAddress else { return false }
        let count = readlink("/proc/self/fd/\(descriptor)", start, target.count)
        guard count > 0 else { return false }
        return path.utf8.elementsEqual(target[..<count].lazy.map { UInt8(bitPattern: $0) })
      }
    }
  }

  /// Lets a descriptor lead to a device without room; the locks of its file are lost.
  static func replace(_ descriptor: CInt, with device: String = "/dev/full") throws {
    let full = open(device, device == "/dev/full" ? O_RDWR : O_RDONLY)
    try #require(full >= 0)
    defer { close(full) }
    try #require(dup2(full, descriptor) == descriptor)
  }
}
