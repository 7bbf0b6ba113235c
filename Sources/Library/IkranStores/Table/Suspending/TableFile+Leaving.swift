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
  /// - Throws: `SystemError` when there is no memory for the copies. This opening then keeps its
  ///   locks and pins until its last picture is released, or a later call succeeds. It is left all
  ///   the same, as some of its slots may be copies already, which do not show what is put later.
  func leaveForSuspension() throws(SystemError) {
    guard !isReadOnly, !isForked else { return }
    try leaving.withLock { (isUnlocked) throws(SystemError) in
      guard !isUnlocked else { return }
      // With the writer's lock of this process held no change runs; the next one finds it has left.
      writer.withLock { _ in leave() }
      while fillings.load(ordering: .sequentiallyConsistent) > 0 { BackgroundThread.pause() }
      giveUp(try copyHeldPictures())
      unregister(until: .now + .seconds(1))
      mapped.unlockAll()
      isUnlocked = true
    }
  }

  /// Gives each held picture memory of this process's own.
  ///
  /// Invariant: from the moment at which the file counts as left no slot gets its first pin, so a
  /// slot without one when it is looked at has none later. None is written to any more.
  ///
  /// - Returns: The slots that had pins.
  private func copyHeldPictures() throws(SystemError) -> [Int] {
    var slots: [Int] = []
    let drawings = keptDrawings.all
    for slot in 0..<min(slotEnd, slotCapacity) where pinState(slot) != .free {
      slots.append(slot)
      while pinState(slot) == .changing { BackgroundThread.pause() }
      guard pinState(slot) == .held else { continue }
      let offset = layout.pictureOffset(slot)
      try mapped.copyPrivately(offset..<offset + layout.pictureByteCount)
      // What a drawing kept is where it was drawn.
      guard drawings.contains(slot) else { continue }
      try mapped.copyWritablePrivately(offset..<offset + layout.slotByteCount)
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
}
