import IkranPOSIX
import Synchronization
import IkranSystem

/// Shows whether this process is a fork of the one that made the marker.
struct ForkMarker: @unchecked Sendable {  // the word is atomic
  private let word: UnsafeMutablePointer<Atomic<UInt64>>
  /// The random number of the process that made the marker: neither all zeros nor all ones.
  let process: UInt64

  /// Marks this process.
  init() {
    word = Self.word
    let known = word.pointee.load(ordering: .relaxed)
    guard known == 0 else {
      process = known
      return
    }
    let random = UInt64.random(in: 1 ..< .max)
    // Zero in a new process and in a fork.
    let (isNew, found) = word.pointee
      .compareExchange(expected: 0, desired: random, ordering: .relaxed)
    process = isNew ? random : found
  }

  /// Whether the process was forked after the marker was made; one load of memory.
  @inline(__always)
  var isForked: Bool { !isProcess(process) }

  /// Whether this process has that random number.
  @inline(__always)
  func isProcess(_ number: UInt64) -> Bool { word.pointee.load(ordering: .relaxed) == number }

  /// A number that no other call returns, in this process or in another; only a process's first
  /// makes a system call.
  static func uniqueNumber() -> UInt64 {
    let count = UInt64(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)
    // SplitMix64 gives each state another number.
    var mixed = ForkMarker().process &+ count &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed &>> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed &>> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed &>> 31
  }

  private static let count = Atomic(0)

  /// A word that is zero in a fork; before Linux 4.14 it is not, and forks are not noticed.
  ///
  /// C function: `mmap`.
  private nonisolated(unsafe) static let word: UnsafeMutablePointer<Atomic<UInt64>> = {  // atomic
    let byteCount = sysconf(CInt(_SC_PAGESIZE))
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    let address = mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let address, address != UnsafeMutableRawPointer(bitPattern: -1) else {
      // Without a page of memory nothing else works either: a word that no fork changes.
      let word = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: 1)
      word.initialize(to: Atomic(0))
      return word
    }
    Platform.wipeInForks(address, byteCount)
    return address.assumingMemoryBound(to: Atomic<UInt64>.self)
  }()
}
