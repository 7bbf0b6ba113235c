import IkranPOSIX
import Synchronization
import IkranSystem

// Decision 57: a fork opens again what its parent has mapped.
/// Gives a fork open files of its own for the files that its parent has mapped or locked.
///
/// A lock belongs to the open file, which a fork shares through its descriptors and its mappings: a
/// fork that does nothing would keep the locks of its parent after that has died. In the fork each
/// file is therefore opened again, for reading, and mapped at the same addresses: what it inherited
/// stays readable. Where it cannot be opened again, or its path leads to another file now, the
/// fork shares it.
///
/// Invariant: a list of entries that are never freed, so the fork can read it without a lock.
enum InheritedFiles {
  /// One mapped file; used again when that is closed.
  struct Entry: ~Copyable {
    fileprivate let next: UnsafeMutablePointer<Entry>?
    /// 0 free, 1 being changed, 2 a mapped file.
    fileprivate let state = Atomic(1)
    fileprivate var descriptor: CInt = -1
    /// What the fork opens, as a C string.
    fileprivate let path = UnsafeMutablePointer<CChar>.allocate(
      capacity: Platform.openFilePathLength
    )
    fileprivate var starts: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) = (nil, nil)
    fileprivate var byteCount = 0

    fileprivate init(next: UnsafeMutablePointer<Entry>?) { self.next = next }
  }

  private nonisolated(unsafe) static let first =  // atomic
    Atomic<UnsafeMutablePointer<Entry>?>(nil)

  /// Makes `fork` call this, once; C function: `pthread_atfork`.
  private static let isRegistered = pthread_atfork(nil, nil, { openAgain() }) == 0

  /// Adds a file with its mappings of one length; the result is for `remove`.
  static func add(
    _ descriptor: CInt,
    _ starts: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?),
    byteCount: Int
  ) -> UnsafeMutablePointer<Entry> {
    _ = isRegistered
    let entry = freeEntry()
    entry.pointee.descriptor = descriptor
    entry.pointee.starts = starts
    entry.pointee.byteCount = byteCount
    if Platform.path(ofOpenFile: descriptor, into: entry.pointee.path) {
      entry.pointee.state.store(2, ordering: .releasing)
    }
    return entry
  }

  /// Removes a file before it is unmapped.
  static func remove(_ entry: UnsafeMutablePointer<Entry>) {
    entry.pointee.state.store(0, ordering: .sequentiallyConsistent)
  }

  private static func freeEntry() -> UnsafeMutablePointer<Entry> {
    var entry = first.load(ordering: .acquiring)
    while let found = entry {
      let free = found.pointee.state
        .compareExchange(expected: 0, desired: 1, ordering: .acquiring)
      if free.exchanged { return found }
      entry = found.pointee.next
    }
    let new = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    while true {
      let head = first.load(ordering: .acquiring)
      new.initialize(to: Entry(next: head))
      let added = first.compareExchange(expected: head, desired: new, ordering: .releasing)
      if added.exchanged { return new }
      new.pointee.path.deallocate()
    }
  }

  /// In the fork, before anything else: system calls and loads only.
  ///
  /// C functions: `open`, `fstat`, `mmap`, `madvise`, `dup2`, `fcntl`, `close`.
  private static func openAgain() {
    var entry = first.load(ordering: .acquiring)
    while let file = entry {
      entry = file.pointee.next
      guard file.pointee.state.load(ordering: .acquiring) == 2 else { continue }
      let again = open(file.pointee.path, O_RDONLY | O_CLOEXEC)
      guard again >= 0 else { continue }
      guard let identity = identity(ofOpenFile: file.pointee.descriptor), isOpen(again, identity)
      else {
        _ = close(again)
        continue
      }
      map(again, file.pointee.starts.0, file.pointee.byteCount)
      map(again, file.pointee.starts.1, file.pointee.byteCount)
      // Closes the parent's open file, and keeps the number.
      _ = dup2(again, file.pointee.descriptor)
      _ = fcntl(file.pointee.descriptor, F_SETFD, FD_CLOEXEC)
      _ = close(again)
    }
  }

  /// Whether an open file is the one with this identity: by its path another may be found that has
  /// replaced it, where that is not the path of an open file (`F_GETPATH`, fcntl(2) of Darwin).
  static func isOpen(_ descriptor: CInt, _ identity: Files.Identity) -> Bool {
    Self.identity(ofOpenFile: descriptor) == identity
  }

  /// C function: `fstat`; nil when that fails.
  private static func identity(ofOpenFile descriptor: CInt) -> Files.Identity? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Files.Identity(status) : nil
  }

  private static func map(_ descriptor: CInt, _ start: UnsafeMutableRawPointer?, _ count: Int) {
    guard let start else { return }
    _ = mmap(start, count, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, 0)
    _ = madvise(start, count, MADV_RANDOM)
  }
}
