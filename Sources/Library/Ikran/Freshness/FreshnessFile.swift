import IkranPOSIX
import IkranStores
import IkranSystem

// Decision 25: a small file stores the freshness of sources.
/// What later processes need to know of a source to show its images: a small file that several
/// processes share, a copy of what is written elsewhere.
///
/// It may forget anything at any time. A look-up is one `pread`; there are no locks: an entry that
/// is torn, damaged or about another id has the wrong checksum and is not found. Eight entries
/// share a bucket; the one that ends first makes room.
///
/// ```
/// entry, 48 bytes, host byte order
///  0  8  high half of the id          24  8  fresh from, microseconds since 1970
///  8 16  the body's id                32  8  fresh until
///                                     40  8  checksum of all that, and of the id's low half
/// ```
package final class FreshnessFile: Sendable {
  /// What is known of one source.
  package struct Entry: Sendable, Hashable {
    /// The id of the bytes that are current.
    package let body: TableID
    /// When they may be shown without asking.
    ///
    /// `lowerBound` is when they were last confirmed; empty for bytes that have to be revalidated
    /// each time.
    package let fresh: Range<Int64>

    package init(body: TableID, fresh: Range<Int64>) {
      (self.body, self.fresh) = (body, fresh)
    }
  }

  /// An open file; a reader may hold it for longer than the state does.
  private final class Descriptor: Sendable {
    let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }
  }

  private enum State {
    case closed
    case open(Descriptor)
    case failed
  }

  /// Three megabytes; the file is as large only where it has been written.
  private static let buckets = 8192
  private static let bucketSize = 8
  private static let entryByteCount = 48

  private let path: String
  private let state = Guarded(State.closed)

  /// Names a file; it is opened, or made, when it is first needed, and its folder when it is first
  /// written.
  package init(_ path: String) { self.path = (try? Files.absolute(path)) ?? path }

  /// What is known under an id; nil when that is nothing.
  package func entry(for id: TableID) -> Entry? {
    guard let file = open(makesFolder: false) else { return nil }
    return withBucket(of: id, file) { bucket in
      for slot in bucket {
        if let entry = slot.entry(of: id) { return entry }
      }
      return nil
    }
  }

  /// Notes what is known under an id; nil forgets it.
  package func set(_ entry: Entry?, for id: TableID) {
    forgetRemovedFile()
    guard let file = open(makesFolder: entry != nil) else { return }
    let (index, isKnown) = withBucket(of: id, file) { bucket in
      var index = 0
      for other in bucket.indices {
        if bucket[other].entry(of: id) != nil { return (other, true) }
        if bucket[other].until < bucket[index].until { index = other }
      }
      return (index, false)
    }
    if entry == nil, !isKnown { return }
    let slot = entry.map { Slot(id, $0) } ?? Slot()
    let offset = Self.offset(of: id) + index * Self.entryByteCount
    // What cannot be written is not remembered.
    withUnsafeBytes(of: slot) { bytes in
      _ = pwrite(file.descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    }
  }

  /// Closes a file that was removed from its folder, so that it is made again.
  ///
  /// C function: `fstat`.
  private func forgetRemovedFile() {
    state.withLock { state in
      guard case .open(let file) = state else { return }
      var status = stat()
      guard fstat(file.descriptor, &status) == 0, status.st_nlink == 0 else { return }
      state = .closed
    }
  }

  private static func offset(of id: TableID) -> Int {
    Int(id.low % UInt64(buckets)) * bucketSize * entryByteCount
  }

  /// Calls `body` with the slots of an id's bucket, on the stack; they are empty where the file has
  /// nothing.
  ///
  /// C function: `pread`.
  private func withBucket<Found>(
    of id: TableID,
    _ file: Descriptor,
    _ body: (UnsafeMutableBufferPointer<Slot>) -> Found
  ) -> Found {
    withUnsafeTemporaryAllocation(of: Slot.self, capacity: Self.bucketSize) { bucket in
      bucket.initialize(repeating: Slot())
      let count = pread(
        file.descriptor,
        bucket.baseAddress,
        Self.bucketSize * Self.entryByteCount,
        off_t(Self.offset(of: id))
      )
      // A part of an entry.
      let whole = max(0, count) / Self.entryByteCount
      if whole < Self.bucketSize { bucket[whole] = Slot() }
      return body(bucket)
    }
  }

  /// Opens the file; for reading alone where it may not be written: what is set then is not
  /// remembered.
  private func opened(_ flags: CInt) throws(SystemError) -> OpenFile {
    do throws(SystemError) { return try OpenFile(path, flags: flags) } catch {
      guard error.isReadOnly else { throw error }
      return try OpenFile(path, flags: O_RDONLY | O_NONBLOCK)
    }
  }

  /// C function: `open`.
  private func open(makesFolder: Bool) -> Descriptor? {
    state.withLock { state in
      switch state {
      case .open(let file): return file
      case .failed: return nil
      case .closed:
        do throws(SystemError) {
          // Where the folder cannot be made, opening the file says so.
          if makesFolder { try? Files.createDirectories(Files.parent(of: path)) }
          // Also by a look-up: else each of them would ask for a file that is not there.
          let file = try opened(O_RDWR | O_NONBLOCK | O_CREAT)
          _ = try file.size()
          let descriptor = Descriptor(file.release())
          state = .open(descriptor)
          return descriptor
        } catch {
          if error.code != ENOENT || makesFolder { state = .failed }
          return nil
        }
      }
    }
  }

  /// The bytes of one entry.
  private struct Slot {
    private var high: UInt64 = 0
    private var bodyHigh: UInt64 = 0
    private var bodyLow: UInt64 = 0
    private var since: Int64 = 0
    private(set) var until: Int64 = 0
    private var checksum: UInt64 = 0

    init() {}

    init(_ id: TableID, _ entry: Entry) {
      (high, bodyHigh, bodyLow) = (id.high, entry.body.high, entry.body.low)
      (since, until) = (entry.fresh.lowerBound, entry.fresh.upperBound)
      checksum = checksum(of: id)
    }

    func entry(of id: TableID) -> Entry? {
      guard high == id.high, since <= until, checksum == checksum(of: id) else { return nil }
      return Entry(body: TableID(high: bodyHigh, low: bodyLow), fresh: since..<until)
    }

    private func checksum(of id: TableID) -> UInt64 {
      var sum = Self.mixed(0x696B_7261_6E_0003 ^ id.low)
      sum = Self.mixed(sum ^ id.high)
      sum = Self.mixed(sum ^ bodyHigh)
      sum = Self.mixed(sum ^ bodyLow)
      sum = Self.mixed(sum ^ UInt64(bitPattern: since))
      return Self.mixed(sum ^ UInt64(bitPattern: until))
    }

    /// The finalizer of SplitMix64.
    private static func mixed(_ word: UInt64) -> UInt64 {
      var word = word &+ 0x9E37_79B9_7F4A_7C15
      word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
      return word ^ word >> 31
    }
  }
}
