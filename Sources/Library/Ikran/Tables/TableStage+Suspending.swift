import IkranStores
import IkranSystem
import Synchronization

extension TableStage {
  /// The tables' files, as a suspension closes them.
  var files: Suspension.Files {
    Suspension.Files { [self] in
      isClosed.store(true, ordering: .sequentiallyConsistent)
      while openings.load(ordering: .sequentiallyConsistent) > 0 { BackgroundThread.pause() }
      for table in openTables().values {
        do throws(TableError) { try table.suspend() } catch { report(error) }
      }
      // Pictures that are shown keep files open whose tables are closed.
      do throws(TableError) { try ImageTable.releaseLocks(inFolder: directory) } catch {
        report(error)
      }
    } open: { [self] in
      isClosed.store(false, ordering: .sequentiallyConsistent)
      for table in openTables().values { table.resume() }
    }
  }

  /// Opens a table by `open`, unless tables stay closed now: then it is nil.
  func whileOpen(_ open: () -> ImageTable?) -> ImageTable? {
    openings.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer { openings.wrappingSubtract(1, ordering: .releasing) }
    return isClosed.load(ordering: .sequentiallyConsistent) ? nil : open()
  }
}
