import Synchronization
import IkranSystem

extension ImageTable {
  /// Lets running puts and changes end, then releases every lock of the table's file, until
  /// ``resume()``.
  ///
  /// Until then look-ups find nothing, and changes throw ``TableError/suspended(path:)``; other
  /// processes use and change the table as if this one had closed it. Pictures that are held stay
  /// as they are: each becomes a copy in this process's memory, which is released with the last of
  /// them. A table that may only be read has no locks, and finds nothing either.
  ///
  /// It waits for drawings, so none may call it, and copies what is held. Other tables of this
  /// process over the same file open it again when they are used. To suspend twice is to suspend
  /// once.
  ///
  /// - Throws: ``TableError/system(_:)`` when there is no memory for the copies, or where pages are
  ///   larger than 4 KB and a drawing kept its canvas, whose page others share: the file is then
  ///   still locked, at most until the pictures are released that are held now. The table is in use
  ///   as before, unless an earlier call has suspended it.
  public func suspend() throws(TableError) {
    let wasSuspended = isSuspended.exchange(true, ordering: .sequentiallyConsistent)
    while puts.load(ordering: .sequentiallyConsistent) > 0 { BackgroundThread.pause() }
    do throws(SystemError) {
      // No thread opens the file at this time, and none later: see `exchange`.
      try reopening.withLock { (_) throws(SystemError) in
        try OpenTableFiles.leave { $0 == path }
      }
    } catch {
      if !wasSuspended { resume() }
      throw TableError(error)
    }
  }

  /// Ends a suspension: the next call opens the file that has the table's name now.
  public func resume() { isSuspended.store(false, ordering: .sequentiallyConsistent) }

  /// Releases the locks of all files in a folder that this process has open as tables, those of
  /// closed tables included that pictures keep open.
  package static func releaseLocks(inFolder folder: String) throws(TableError) {
    do throws(SystemError) {
      try OpenTableFiles.leave { $0.hasPrefix(folder + "/") }
    } catch {
      throw TableError(error)
    }
  }

  /// Counts a put that begins.
  ///
  /// - Throws: ``TableError/suspended(path:)``; it is then not counted.
  func beginPut() throws(TableError) {
    puts.wrappingAdd(1, ordering: .sequentiallyConsistent)
    guard isSuspended.load(ordering: .sequentiallyConsistent) else { return }
    endPut()
    throw .suspended(path: path)
  }

  /// Counts a put that has ended.
  func endPut() { puts.wrappingSubtract(1, ordering: .releasing) }
}
