import Synchronization
import IkranSystem

// Decision 96: a suspended process holds no lock of a file.
/// The table files that this process has open, those included that were replaced, or whose tables
/// are gone, and that pictures keep open.
enum OpenTableFiles {
  private static let files = Guarded<[ObjectIdentifier: TableFile.WeakReference]>([:])

  static func add(_ file: TableFile) {
    let reference = TableFile.WeakReference(file)
    files.withLock { $0[reference.number] = reference }
  }

  static func remove(_ file: TableFile) {
    let number = ObjectIdentifier(file)
    files.withLock { $0[number] = nil }
  }

  /// The files; they are released without the lock, as the last reference to one takes it.
  static var open: [TableFile] { files.withLock { $0.values.compactMap(\.file) } }

  /// Releases this process's locks of all files whose paths are chosen.
  ///
  /// - Throws: The first `SystemError`, after all files were tried.
  static func leave(where isChosen: (String) -> Bool) throws(SystemError) {
    var failure: SystemError?
    for file in open where isChosen(file.mapped.path) {
      do throws(SystemError) { try file.leaveForSuspension() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}

extension TableFile {
  /// Ends this process's use of the file, and releases its locks, while pictures are held.
  ///
  /// Those become copies in this process's own memory, at the same addresses: without the locks
  /// another process may use their slots. Changes and drawings that run end first; later look-ups
  /// open the file again.
  ///
  /// - Throws: `SystemError` when there is no memory for the copies; the process then stays a user
  ///   of the file, and holds its locks.
  func leaveForSuspension() throws(SystemError) {
    guard !isReadOnly, !isForked else { return }
    try leaving.withLock { (_) throws(SystemError) in
      // With the writer's lock of this process held no change runs; the next one finds it has left.
      guard writer.withLock({ _ in beginLeaving() }) else { return }
      do throws(SystemError) { try giveUp(copyHeldPictures()) } catch {
        stay()
        throw error
      }
      unregister(until: .now + .seconds(1))
      mapped.unlockAll()
    }
  }

  /// Gives each held picture memory of this process's own.
  ///
  /// Invariant: from the moment at which the file counts as left no slot gets its first pin, so a
  /// slot without one when it is looked at has none later. A slot that is being drawn into is
  /// waited for.
  ///
  /// - Returns: The slots that had pins.
  private func copyHeldPictures() throws(SystemError) -> [Int] {
    var slots: [Int] = []
    for slot in 0..<min(slotEnd, slotCapacity) where pinState(slot) != .free {
      slots.append(slot)
      while pinState(slot) == .changing || pinState(slot) == .held && isReserved(slot) {
        BackgroundThread.pause()
      }
      guard pinState(slot) == .held else { continue }
      let picture = layout.pictureOffset(slot)
      try mapped.copyPrivately(picture..<picture + layout.pictureByteCount)
    }
    return slots
  }

  /// Lets other processes use slots.
  private func giveUp(_ slots: [Int]) {
    for slot in slots where !skipsUnpin {
      let given = record(slot)
      given.holders.remove(process)
      if TableRecord.State(bits: given.state.ordered).isRetired { _ = header.releases.increment() }
    }
  }

  private func isReserved(_ slot: Int) -> Bool {
    TableRecord.State(bits: record(slot).state.value).kind == .reserved
  }
}
