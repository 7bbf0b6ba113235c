import Glibc

/// When things are good, in a small file that several processes share: a copy of what is known
/// elsewhere, for those who cannot wait to look there.
///
/// It may forget anything at any time. A look-up is one `pread`; there are no locks: what is torn,
/// damaged, or about another id has the wrong sum and is not found. Ids share places, two by two,
/// and the one that ends first makes room.
package final class LifetimeFile: Sendable {
  private enum State {
    case closed
    case open(CInt)
    case failed
  }

  /// Half a megabyte; the file is as large only where it has been written.
  private static let sets = 8192
  private static let entryByteCount = 32

  private let path: String
  private let state = Guarded(State.closed)

  /// Names a file; it is opened when it is first needed, and made when it is first written.
  package init(_ path: String) { self.path = (try? Files.absolute(path)) ?? path }

  deinit {
    state.withLock { state in
      if case .open(let descriptor) = state { close(descriptor) }
    }
  }

  /// The time in which a thing is good, in microseconds since 1970; nil when that is not known.
  package func lifetime(of id: TableID) -> Range<Int64>? {
    guard let descriptor = descriptor(making: false) else { return nil }
    return entries(of: id, descriptor).lazy.compactMap { $0.lifetime(of: id) }.first
  }

  /// Notes the time in which a thing is good; nil, or an empty one, forgets it.
  package func note(_ lifetime: Range<Int64>?, of id: TableID) {
    let lifetime = lifetime.flatMap { $0.isEmpty ? nil : $0 }
    guard let descriptor = descriptor(making: lifetime != nil) else { return }
    let entries = entries(of: id, descriptor)
    let known = entries.firstIndex { $0.lifetime(of: id) != nil }
    if lifetime == nil, known == nil { return }
    let soonest = entries[0].until <= entries[1].until ? 0 : 1
    let entry = lifetime.map { Entry(id, $0) } ?? Entry()
    let offset = Self.offset(of: id) + (known ?? soonest) * Self.entryByteCount
    // What cannot be written is not remembered.
    withUnsafeBytes(of: entry) { bytes in
      _ = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    }
  }

  private static func offset(of id: TableID) -> Int {
    Int(id.low % UInt64(sets)) * 2 * entryByteCount
  }

  /// The two places of an id; empty where the file has nothing.
  ///
  /// C function: `pread`.
  private func entries(of id: TableID, _ descriptor: CInt) -> [Entry] {
    var pair = (Entry(), Entry())
    withUnsafeMutableBytes(of: &pair) { bytes in
      let count = pread(descriptor, bytes.baseAddress, bytes.count, off_t(Self.offset(of: id)))
      let whole = max(0, count) / Self.entryByteCount * Self.entryByteCount
      for index in whole..<bytes.count { bytes[index] = 0 }
    }
    return [pair.0, pair.1]
  }

  /// C function: `open`.
  private func descriptor(making: Bool) -> CInt? {
    state.withLock { state in
      switch state {
      case .open(let descriptor): return descriptor
      case .failed: return nil
      case .closed:
        do throws(SystemError) {
          if making { try Files.createDirectories(Files.parent(of: path)) }
          let flags = O_RDWR | O_NONBLOCK | (making ? O_CREAT : 0)
          let file = try OpenFile(path, flags: flags)
          _ = try file.size()
          let descriptor = file.release()
          state = .open(descriptor)
          return descriptor
        } catch {
          if error.code != ENOENT || making { state = .failed }
          return nil
        }
      }
    }
  }

  /// What a place holds.
  private struct Entry {
    private var high: UInt64 = 0
    private(set) var since: Int64 = 0
    private(set) var until: Int64 = 0
    private var sum: UInt64 = 0

    init() {}

    init(_ id: TableID, _ lifetime: Range<Int64>) {
      (high, since, until) = (id.high, lifetime.lowerBound, lifetime.upperBound)
      sum = sum(of: id)
    }

    func lifetime(of id: TableID) -> Range<Int64>? {
      guard high == id.high, since < until, sum == sum(of: id) else { return nil }
      return since..<until
    }

    private func sum(of id: TableID) -> UInt64 {
      [id.low, id.high, UInt64(bitPattern: since), UInt64(bitPattern: until)]
        .reduce(0x696B_7261_6E_0001) { Self.mixed($0 ^ $1) }
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
