import IkranPOSIX
import Synchronization
import IkranSystem

/// An ordinary file, mapped as shared memory from its first byte on.
///
/// There are two mappings of the same bytes, of which one cannot be written: lent bytes are lent
/// from that one. They are larger than the file, so that it can grow without moving. Only bytes
/// that `preallocate` has allocated may be touched. Bytes of the file also serve as locks between
/// open files (open file description locks): the system drops them when their owner dies. A fork
/// has none of them, and cannot write the mappings: see ``InheritedFiles``.
package final class MappedFile: @unchecked Sendable {  // immutable; users synchronize the memory
  /// A file's length, identity and time of change.
  package struct Status: Sendable {
    package let byteCount: Int
    /// Bytes it takes up on the disk; less than `byteCount` when it has holes.
    package let storedByteCount: Int
    package let identity: Files.Identity
    /// Whether it still has a name.
    package let hasName: Bool
    /// Nanoseconds since 1970.
    package let modified: Int64

    fileprivate init(_ status: stat) {
      byteCount = Int(status.st_size)
      storedByteCount = Int(status.st_blocks) * 512
      identity = Files.Identity(status)
      hasName = status.st_nlink > 0
      let time = status.written
      modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
  }

  package let path: String
  /// Where the bytes may be written, if ``isWritable``.
  package let start: UnsafeMutableRawPointer
  /// The same bytes at other addresses, where a write is a signal (`SIGSEGV`).
  package let readOnlyStart: UnsafeRawPointer
  /// The mapped bytes, which may reach beyond the file's end.
  package let capacity: Int
  /// Whether the file was opened for writing; if not, there is one mapping, and no locks.
  package let isWritable: Bool
  let descriptor: CInt
  let capabilities = Platform.capabilities
  private let inherited: UnsafeMutablePointer<InheritedFiles.Entry>
  private let isInherited = Atomic(true)
  /// The room for stores; nil where they need none.
  private let room: DiskRoom?

  /// Opens a file for reading and, unless `isWritable` is false, for writing, and maps it.
  ///
  /// If the process lacks addresses for a mapping of the wanted size, half the size is tried and so
  /// on, down to the minimum. C functions: `mmap`, `madvise`.
  ///
  /// - Parameters:
  ///   - path: The file, which must be an ordinary one.
  ///   - permissions: Those of a new file; nil opens an existing one.
  ///   - isWritable: Whether to open it for writing, too.
  ///   - beginning: How many of the file's first bytes to pass to `capacity`.
  ///   - capacity: Decides how many bytes to map; nil maps nothing.
  /// - Returns: The mapped file; nil when `capacity` decided against it.
  /// - Throws: `SystemError`; `EINVAL` if it is not an ordinary file.
  package static func open(
    _ path: String,
    creating permissions: UInt32? = nil,
    isWritable: Bool = true,
    beginning: Int = 0,
    capacity: (UnsafeRawBufferPointer, Status) -> (wanted: Int, minimum: Int)?
  ) throws(SystemError) -> MappedFile? {
    let flags =
      (isWritable ? O_RDWR : O_RDONLY) | O_NONBLOCK | (permissions == nil ? 0 : O_CREAT | O_EXCL)
    let file = try openQuietly(path, flags: flags, mode: mode_t(permissions ?? 0))
    let status = Status(try file.status())
    var bytes = [UInt64](repeating: 0, count: beginning / 8)
    var failure: SystemError?
    var count = 0
    bytes.withUnsafeMutableBytes { buffer in
      do throws(SystemError) { count = try file.read(into: buffer) } catch { failure = error }
    }
    if let failure { throw failure }
    let descriptor = file.release()
    do throws(SystemError) {
      let chosen = bytes.withUnsafeBytes { buffer in
        capacity(UnsafeRawBufferPointer(rebasing: buffer[..<count]), status)
      }
      guard let chosen else {
        _ = IkranPOSIX.close(descriptor)
        return nil
      }
      if let permissions { fchmod(descriptor, mode_t(permissions)) }
      return try MappedFile(descriptor, path, isWritable, chosen.wanted, chosen.minimum)
    } catch {
      _ = IkranPOSIX.close(descriptor)
      throw error
    }
  }

  /// Opens a file whose time of access does not change, if it is this user's.
  private static func openQuietly(
    _ path: String,
    flags: CInt,
    mode: mode_t
  ) throws(SystemError) -> OpenFile {
    do throws(SystemError) {
      return try OpenFile(path, flags: flags | Platform.noTimeOfAccess, mode: mode)
    } catch {
      guard error.code == EPERM else { throw error }
      return try OpenFile(path, flags: flags, mode: mode)
    }
  }

  private init(
    _ descriptor: CInt,
    _ path: String,
    _ isWritable: Bool,
    _ wanted: Int,
    _ minimum: Int
  ) throws(SystemError) {
    var capacity = wanted
    while true {
      do throws(SystemError) {
        (start, readOnlyStart) = try Self.map(descriptor, path, isWritable, capacity)
        break
      } catch {
        guard error.code == ENOMEM, capacity > minimum else { throw error }
        capacity = max(minimum, capacity / 2)
      }
    }
    (self.path, self.isWritable) = (path, isWritable)
    (self.capacity, self.descriptor) = (capacity, descriptor)
    room = isWritable ? DiskRoom(of: descriptor) : nil
    let second = isWritable ? UnsafeMutableRawPointer(mutating: readOnlyStart) : nil
    inherited = InheritedFiles.add(descriptor, (start, second), byteCount: capacity)
  }

  /// Whether the kernel has kept the file in memory since ``markAsKept()``.
  ///
  /// Linux keeps the mark with the inode in memory and never writes it to the disk. So it is gone
  /// when the disk was taken away and mounted again, also within one boot, and when the system has
  /// forgotten the file and all its pages. Without such a mark it was never kept.
  var isKept: Bool { capabilities.contains(.keepsInodes) && Platform.isMarked(descriptor) }

  /// Lets later openings know that the kernel has kept the file, and its pages, until then.
  func markAsKept() {
    if capabilities.contains(.keepsInodes) { Platform.mark(descriptor) }
  }

  /// Whether a store could be a signal because the disk is full: see ``DiskRoom``.
  @inline(__always)
  var lacksRoom: Bool { room?.isUsedUp ?? false }

  private static func map(
    _ descriptor: CInt,
    _ path: String,
    _ isWritable: Bool,
    _ byteCount: Int
  ) throws(SystemError) -> (UnsafeMutableRawPointer, UnsafeRawPointer) {
    guard isWritable else {
      let start = try map(descriptor, path, byteCount, PROT_READ)
      return (start, UnsafeRawPointer(start))
    }
    let writable = try map(descriptor, path, byteCount, PROT_READ | PROT_WRITE)
    do throws(SystemError) {
      return (writable, UnsafeRawPointer(try map(descriptor, path, byteCount, PROT_READ)))
    } catch {
      munmap(writable, byteCount)
      throw error
    }
  }

  private static func map(
    _ descriptor: CInt,
    _ path: String,
    _ byteCount: Int,
    _ protection: CInt
  ) throws(SystemError) -> UnsafeMutableRawPointer {
    let address = mmap(nil, byteCount, protection, MAP_SHARED, descriptor, 0)
    guard let address, address != UnsafeMutableRawPointer(bitPattern: -1) else {
      throw .last("map", path)
    }
    // By default the system reads megabytes around a touched page; users call `adviseWillNeed`.
    madvise(address, byteCount, MADV_RANDOM)
    return address
  }

  deinit {
    stopReopeningInForks()
    munmap(start, capacity)
    if isWritable { munmap(UnsafeMutableRawPointer(mutating: readOnlyStart), capacity) }
    // Drops the locks, too.
    _ = IkranPOSIX.close(descriptor)
  }

  /// Has forks share the mapping as it is, and not open the file again.
  func stopReopeningInForks() {
    if isInherited.exchange(false, ordering: .relaxed) { InheritedFiles.remove(inherited) }
  }

  /// C function: `fstat`.
  package func status() throws(SystemError) -> Status {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last("read", path) }
    return Status(status)
  }

  // MARK: - Disk space

  /// Allocates disk space for a range, so that touching it cannot fail; new bytes are zero.
  ///
  /// C function: `posix_fallocate`, or what the system has.
  package func preallocate(_ range: Range<Int>) throws(SystemError) {
    guard range.upperBound <= capacity else { throw .tooLarge("grow", path) }
    try Files.checkSizeLimit(range.upperBound, path)
    var code: CInt
    repeat {
      code = allocate(range)
    } while code == EINTR
    guard code == 0 else { throw SystemError(code: code, operation: "grow", path: path) }
  }

  /// An error's number, or 0.
  private func allocate(_ range: Range<Int>) -> CInt {
    if capabilities.contains(.preallocates) { return Platform.allocate(descriptor, range) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return errno }
    guard status.st_size < range.upperBound else { return 0 }
    return ftruncate(descriptor, off_t(range.upperBound)) == 0 ? 0 : errno
  }

  /// Extends the file to this length if it is shorter, without allocating disk space.
  ///
  /// C function: `ftruncate`.
  package func extend(to byteCount: Int) throws(SystemError) {
    guard try status().byteCount < byteCount else { return }
    try Files.checkSizeLimit(byteCount, path)
    guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw .last("grow", path) }
  }

  /// The first run of stored bytes at or after an offset; nil when only holes follow.
  ///
  /// Allocated space that was never written counts as a hole. On a file system that knows no holes
  /// everything is stored. C function: `lseek`, `SEEK_DATA` and `SEEK_HOLE`.
  package func storedBytes(from offset: Int) throws(SystemError) -> Range<Int>? {
    let findsHoles = capabilities.contains(.findsHoles)
    let start = findsHoles ? Int(lseek(descriptor, off_t(offset), Platform.seekData)) : -1
    if start < 0 {
      // Only this error says that no byte follows; others come from file systems that cannot tell
      // (lseek(2), both of Linux and of Darwin), where every byte counts as stored.
      if findsHoles, errno == ENXIO { return nil }
      let end = try status().byteCount
      return offset < end ? offset..<end : nil
    }
    let end = Int(lseek(descriptor, off_t(start), Platform.seekHole))
    return start..<max(start + 1, end < 0 ? try status().byteCount : end)
  }

  /// Frees the disk space of a range, which then reads as zero.
  ///
  /// It has no effect on a file system without holes. C function: `madvise`, `MADV_REMOVE`, or what
  /// the system has.
  package func punchHole(_ range: Range<Int>) {
    guard capabilities.contains(.freesHoles), range.lowerBound % Self.pageSize == 0 else { return }
    let pages = range.lowerBound..<range.lowerBound + range.count & ~(Self.pageSize - 1)
    Platform.punchHole(descriptor, pages, mappedAt: start + pages.lowerBound)
  }

  /// Writes bytes through the file; the mapping shows them.
  ///
  /// C function: `pwrite`.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
    try Files.checkSizeLimit(offset + bytes.count, path)
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("write", path)
      }
      written += count
    }
  }

  /// Has the system read a whole range into memory in the background.
  ///
  /// C function: `madvise`.
  package func adviseWillNeed(_ range: Range<Int>) {
    let first = range.lowerBound & ~(Self.pageSize - 1)
    madvise(start + first, range.upperBound - first, MADV_WILLNEED)
  }

  /// Maps all pages of a range so that they can be written without a fault; false when that is
  /// impossible, for example because the disk is full.
  ///
  /// C function: `madvise`, `MADV_POPULATE_WRITE`, where the system has it.
  package func populate(_ range: Range<Int>) -> Bool {
    guard capabilities.contains(.populatesPages) else { return false }
    let first = range.lowerBound & ~(Self.pageSize - 1)
    return Platform.populate(start + first, range.upperBound - first)
  }

  /// Makes sure that stores into an allocated range need no room; false when the disk has none.
  func prepareStores(_ range: Range<Int>) -> Bool { room == nil || populate(range) }

  /// Starts writing a range to the disk in the background.
  ///
  /// C function: `sync_file_range`, where the system has it.
  package func startWriteback(_ range: Range<Int>) { Platform.startWriteback(descriptor, range) }

  /// Makes everything written so far survive a power loss.
  ///
  /// C function: `fdatasync`, or what the system has.
  package func synchronize() throws(SystemError) {
    var result: CInt
    repeat { result = Platform.synchronizeData(descriptor) } while result < 0 && errno == EINTR
    guard result == 0 else { throw .last("write", path) }
  }

  /// Sets the time of the last change, in nanoseconds since 1970; that of the last access stays.
  ///
  /// C function: `futimens`.
  package func setModified(_ time: Int64) {
    let value = timespec(
      tv_sec: Int(time / 1_000_000_000),
      tv_nsec: Int(time % 1_000_000_000)
    )
    let times = [timespec(tv_sec: 0, tv_nsec: Platform.unchangedTime), value]
    _ = times.withUnsafeBufferPointer { futimens(descriptor, $0.baseAddress) }
  }

  static let pageSize = sysconf(CInt(_SC_PAGESIZE))
}
