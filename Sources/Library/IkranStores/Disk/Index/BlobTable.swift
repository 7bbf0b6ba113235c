import Synchronization
import IkranSystem

/// A store of bytes under text keys in one SQLite file, for data that must not be evicted.
///
/// All calls are synchronous, block on the disk and are thread-safe; several processes may use one
/// file. Every value carries a checksum over itself and its key. On a full disk values are read,
/// and a change that has no room throws `.full`.
package final class BlobTable: Sendable {
  private final class Statements {
    let handle: SQLiteHandle
    let get: SQLiteStatement
    let put: SQLiteStatement
    let remove: SQLiteStatement

    init(path: String, isPrivate: Bool) throws(DiskCacheError) {
      handle = try SQLiteHandle.open(path, busyMilliseconds: 5000, isPrivate: isPrivate)
      try handle.execute(
        """
        CREATE TABLE IF NOT EXISTS blobs(
          key TEXT PRIMARY KEY NOT NULL, checksum INTEGER NOT NULL, bytes BLOB NOT NULL)
        """
      )
      get = try handle.prepare("SELECT checksum, bytes FROM blobs WHERE key = ?1")
      put = try handle.prepare("REPLACE INTO blobs(key, checksum, bytes) VALUES(?1, ?2, ?3)")
      remove = try handle.prepare("DELETE FROM blobs WHERE key = ?1")
    }
  }

  private let path: String
  /// Nil while the file is closed; the next call opens it.
  private let statements = Guarded<Statements?>(nil)
  /// Whether the file stays closed.
  private let isSuspended = Atomic(false)

  /// Opens a file, which is created together with its folder when missing, for this user only.
  package init(path: String) throws(DiskCacheError) {
    do throws(SystemError) {
      try Files.createDirectories(Files.parent(of: path))
      // SQLite creates files that everyone may read; an existing file keeps its permissions.
      if !Files.exists(path) { try? Files.create(path, []) }
    } catch {
      throw DiskCacheError(error)
    }
    self.path = path
    try withTable { _ in }
  }

  /// Runs `body` with the open file, under the lock.
  ///
  /// A connection whose changes other processes do not see is closed. If there is no room for what
  /// connections share, `body` runs again with one that has the file to itself, and is closed
  /// afterwards.
  private func withTable<R: Sendable>(
    _ body: (Statements) throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    try statements.withLock { (open) throws(DiskCacheError) -> R in
      guard !isSuspended.load(ordering: .sequentiallyConsistent) else {
        throw .suspended(path: path)
      }
      do throws(DiskCacheError) {
        let table = if let open { open } else { try Statements(path: path, isPrivate: false) }
        open = table
        let result = try body(table)
        try table.handle.checkIntact()
        return result
      } catch {
        guard open?.handle.isIntact != true else { throw error }
        open = nil
        guard error.isFull else { throw error }
        do throws(DiskCacheError) {
          return try body(Statements(path: path, isPrivate: true))
        } catch .busy {
          // Another process has the file open; with more room it would not matter.
          throw error
        }
      }
    }
  }

  /// Lets running calls end, and closes the file with its locks, until ``resume()``: calls throw
  /// ``DiskCacheError/suspended(path:)``.
  package func suspend() {
    isSuspended.store(true, ordering: .sequentiallyConsistent)
    statements.withLock { $0 = nil }
  }

  /// Ends a suspension.
  package func resume() { isSuspended.store(false, ordering: .sequentiallyConsistent) }

  /// The bytes stored last under a key; nil when there are none; damaged bytes throw `.corrupt`.
  package func get(_ key: String) throws(DiskCacheError) -> [UInt8]? {
    try withTable { (table) throws(DiskCacheError) -> [UInt8]? in
      table.get.bind(key, at: 1)
      defer { table.get.reset() }
      guard try table.handle.step(table.get) else { return nil }
      let bytes = table.get.bytes(1) ?? []
      guard Self.checksum(of: bytes, key: key) == table.get.integer(0) else {
        throw .corrupt(path: table.handle.path, reason: "a value does not match its checksum")
      }
      return bytes
    }
  }

  /// Stores bytes in place of those under the same key.
  package func put(_ bytes: [UInt8], for key: String) throws(DiskCacheError) {
    let count = key.utf8.count + bytes.count
    guard count <= DiskCacheFormat.blobLimit else {
      throw .rowOverLimit(bytes: count, limit: DiskCacheFormat.blobLimit)
    }
    try withTable { (table) throws(DiskCacheError) in
      table.put.bind(key, at: 1)
      table.put.bind(Self.checksum(of: bytes, key: key), at: 2)
      table.put.bind(bytes, at: 3)
      try table.handle.run(table.put)
    }
  }

  /// The checksum covers the key, so that it does not match under another key.
  private static func checksum(of bytes: [UInt8], key: String) -> Int64 {
    Int64(bitPattern: Checksum.of(bytes, seed: Checksum.of(key)))
  }

  /// Removes the bytes under a key; returns whether there were any.
  @discardableResult
  package func remove(_ key: String) throws(DiskCacheError) -> Bool {
    // A change that others did not see may be in the log when it runs again.
    var isRemoved = false
    try withTable { (table) throws(DiskCacheError) in
      table.remove.bind(key, at: 1)
      try table.handle.run(table.remove)
      if table.handle.changes > 0 { isRemoved = true }
    }
    return isRemoved
  }
}
