import CSQLite
import IkranPixels
import IkranSystem

/// One connection to one SQLite file; used by one thread at a time.
struct SQLiteHandle: ~Copyable {
  private let raw: OpaquePointer
  /// The file, for errors.
  let path: String
  /// The locks and the log's index; nil for a file that is opened as immutable.
  private let index: SharedIndexHandle?

  /// Opens a file, which is created when missing, in write-ahead mode.
  ///
  /// With `isPrivate` the file is opened for this connection alone; that needs no room on the disk,
  /// and is `.busy` while it is open elsewhere.
  static func open(
    _ path: String,
    busyMilliseconds: Int32,
    isPrivate: Bool = false
  ) throws(DiskCacheError) -> SQLiteHandle {
    do throws(SystemError) {
      try LockedFile.excludeMappedIndex(of: path)
    } catch {
      throw DiskCacheError(error)
    }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let vfs = isPrivate ? SQLiteVFS.exclusive : SQLiteVFS.shared
    let handle = try open(path, path, flags, .some(vfs))
    handle.setBusyTimeout(milliseconds: busyMilliseconds)
    handle.keepLog()
    try handle.useWriteAheadLog(waitingMilliseconds: busyMilliseconds)
    try handle.limitLog(toBytes: 4 << 20)
    try handle.execute("PRAGMA synchronous = NORMAL")
    return handle
  }

  /// Sets the size at which the write-ahead log is copied into the file; it may grow beyond while
  /// another process reads.
  func limitLog(toBytes byteCount: Int) throws(DiskCacheError) {
    try execute(
      "PRAGMA wal_autocheckpoint = \(byteCount >> 12); PRAGMA journal_size_limit = \(byteCount)"
    )
  }

  /// Opens an existing file for reading only.
  ///
  /// SQLite uses the locks and the log of processes that write to the file. Only where no process
  /// can write, as on a disk that is mounted read-only, is the file opened as immutable: SQLite
  /// then ignores both, and would return wrong rows of a file that changes. C function:
  /// `sqlite3_open_v2`.
  static func openReadOnly(
    _ path: String,
    busyMilliseconds: Int32
  ) throws(DiskCacheError) -> SQLiteHandle {
    do throws(DiskCacheError) {
      let handle = try open(path, path, SQLITE_OPEN_READONLY, .some(SQLiteVFS.shared))
      return try checked(handle, busyMilliseconds)
    } catch {
      guard Files.isImmutable(path), Files.isImmutable(Files.parent(of: path)) else { throw error }
      let address = "file:\(PercentEncoding.path(path))?immutable=1"
      let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      return try checked(open(path, address, flags, nil), busyMilliseconds)
    }
  }

  private static func checked(
    _ handle: consuming SQLiteHandle,
    _ busyMilliseconds: Int32
  ) throws(DiskCacheError) -> SQLiteHandle {
    handle.setBusyTimeout(milliseconds: busyMilliseconds)
    // The first read fails if the file cannot be used this way.
    _ = try handle.version()
    return handle
  }

  /// Opens a file; `vfs` is nil for SQLite's own functions, and a name that is nil where SQLite
  /// lacks what ours need.
  ///
  /// C functions: `sqlite3_open_v2`, `sqlite3_extended_result_codes`.
  private static func open(
    _ path: String,
    _ address: String,
    _ flags: Int32,
    _ vfs: String??
  ) throws(DiskCacheError) -> SQLiteHandle {
    if case .some(nil) = vfs {
      throw .index(path: path, code: SQLITE_CANTOPEN, reason: "it lacks the VFS unix-none")
    }
    var opened: OpaquePointer?
    // Without SQLite's mutex: the owner of the handle holds a lock.
    let code = address.withPath {
      sqlite3_open_v2($0, &opened, flags | SQLITE_OPEN_NOMUTEX, vfs ?? nil)
    }
    guard let opened else {
      throw .index(path: path, code: code, reason: String(cString: sqlite3_errstr(code)))
    }
    let index = vfs == nil ? nil : SQLiteVFS.index(of: opened)
    let handle = SQLiteHandle(opened, path, index)
    sqlite3_extended_result_codes(opened, 1)
    guard code == SQLITE_OK else { throw handle.failure(code) }
    return handle
  }

  private init(_ raw: OpaquePointer, _ path: String, _ index: SharedIndexHandle?) {
    self.raw = raw
    self.path = path
    self.index = index
  }

  /// Reads what other connections have changed, so that the next statement sees it at once.
  ///
  /// SQLite would notice by itself, but takes the writer's lock if it does so while it reads.
  func refresh() { index?.refresh() }

  /// Whether other connections see what this one has committed; if not it must be closed.
  var isIntact: Bool { index?.failure == nil }

  /// Throws if other connections do not see what this one has committed.
  func checkIntact() throws(DiskCacheError) {
    if let failure = index?.failure { throw DiskCacheError(failure) }
  }

  /// Keeps an object for ever, such as a connection of the process that this one was forked from:
  /// to close it could release what that process holds.
  static func abandon(_ object: AnyObject) { _ = Unmanaged.passRetained(object) }

  deinit {
    // This function, unlike `sqlite3_close`, waits for statements that are not finalised yet.
    sqlite3_close_v2(raw)
  }

  /// Leaves the write-ahead log in place on close.
  ///
  /// SQLite removes it by name. If the folder was removed and created again while the file was
  /// open, that name is another database's log. C function: `sqlite3_file_control`.
  private func keepLog() {
    var keeps: Int32 = 1
    sqlite3_file_control(raw, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
  }

  /// Switches to write-ahead mode, which is recorded in the file.
  ///
  /// When two processes switch one new file at once, SQLite refuses one at once, as each would wait
  /// for the other's read lock; the refused process tries again here.
  /// C function: `sqlite3_sleep`.
  private func useWriteAheadLog(waitingMilliseconds: Int32) throws(DiskCacheError) {
    var left = waitingMilliseconds
    while true {
      do throws(DiskCacheError) {
        return try execute("PRAGMA journal_mode = WAL")
      } catch {
        guard case .busy = error, left > 0 else { throw error }
      }
      left -= max(1, sqlite3_sleep(1))
    }
  }

  /// Sets how long to wait for another process's lock.
  ///
  /// C function: `sqlite3_busy_timeout`.
  func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(raw, milliseconds) }

  /// Runs SQL text and ignores the rows.
  ///
  /// C function: `sqlite3_exec`.
  func execute(_ sql: String) throws(DiskCacheError) {
    let code = sqlite3_exec(raw, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Compiles a statement that will run many times.
  ///
  /// C function: `sqlite3_prepare_v3`.
  func prepare(_ sql: String) throws(DiskCacheError) -> SQLiteStatement {
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    let code = sqlite3_prepare_v3(raw, sql, -1, flags, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    return SQLiteStatement(statement)
  }

  /// Runs a statement and resets it.
  func run(_ statement: borrowing SQLiteStatement) throws(DiskCacheError) {
    defer { statement.reset() }
    while try step(statement) {}
  }

  /// Moves to the next row; false when there is none.
  ///
  /// C function: `sqlite3_step`.
  func step(_ statement: borrowing SQLiteStatement) throws(DiskCacheError) -> Bool {
    let code = sqlite3_step(statement.raw)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw failure(code)
    }
  }

  /// The application's format version (`PRAGMA user_version`).
  func version() throws(DiskCacheError) -> Int64 {
    let statement = try prepare("PRAGMA user_version")
    return try step(statement) ? statement.integer(0) : 0
  }

  /// How many rows the last statement changed.
  ///
  /// C function: `sqlite3_changes`.
  var changes: Int { Int(sqlite3_changes(raw)) }

  /// Whether a transaction is open: some failures end it, others do not.
  ///
  /// C function: `sqlite3_get_autocommit`.
  var isInTransaction: Bool { sqlite3_get_autocommit(raw) == 0 }

  /// Sorts a result code by what its user can do about it.
  ///
  /// C function: `sqlite3_errmsg`.
  private func failure(_ code: Int32) -> DiskCacheError {
    // Read first, before another call changes `errno`: for a failed write it says more than
    // `sqlite3_system_errno`.
    let call = SystemError.last("use", path)
    let reason = String(cString: sqlite3_errmsg(raw))
    return switch code & 0xFF {
    case SQLITE_FULL: .full(path: path)
    // The SQL of this program is correct: a missing table means another program's schema, a
    // violated constraint a damaged one.
    case SQLITE_ERROR: .unknownFormat(path: path, reason: reason)
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
      .corrupt(path: path, reason: reason)
    case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
    case SQLITE_READONLY where code == SQLITE_READONLY | 4 << 8: .removed(path: path)
    // The file is writable and SQLite refuses to write: its header requires a newer SQLite.
    case SQLITE_READONLY where code == SQLITE_READONLY && Files.isWritable(path):
      .unknownFormat(path: path, reason: "a newer SQLite wrote it")
    case SQLITE_READONLY, SQLITE_PERM: .readOnly(path: path)
    case SQLITE_IOERR where call.isFull, SQLITE_CANTOPEN where call.isFull: .full(path: path)
    case SQLITE_CANTOPEN where call.isReadOnly: .readOnly(path: path)
    case SQLITE_CANTOPEN where call.code != 0: .system(call)
    default: .index(path: path, code: code, reason: reason)
    }
  }
}

/// A compiled statement; used only with the handle that compiled it.
struct SQLiteStatement: ~Copyable {
  fileprivate let raw: OpaquePointer

  fileprivate init(_ raw: OpaquePointer) { self.raw = raw }

  /// C function: `sqlite3_finalize`.
  deinit { sqlite3_finalize(raw) }

  /// Sets a parameter, counted from 1.
  ///
  /// C function: `sqlite3_bind_int64`.
  func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(raw, index, value) }

  /// Sets a parameter to text, which is copied.
  ///
  /// C function: `sqlite3_bind_text64`.
  func bind(_ value: String, at index: Int32) {
    var value = value
    value.withUTF8 { text in
      // An empty text may have no address, which SQLite would read as NULL.
      text.withMemoryRebound(to: CChar.self) { characters in
        let start = characters.baseAddress
        let count = UInt64(characters.count)
        if start == nil {
          sqlite3_bind_text(raw, index, "", 0, Self.copied)
        } else {
          sqlite3_bind_text64(raw, index, start, count, Self.copied, UInt8(SQLITE_UTF8))
        }
      }
    }
  }

  /// Sets a parameter to bytes, which are copied.
  ///
  /// C functions: `sqlite3_bind_blob64`, `sqlite3_bind_zeroblob`.
  func bind(_ value: [UInt8], at index: Int32) {
    _ = value.withUnsafeBytes { bytes in
      if bytes.isEmpty {
        sqlite3_bind_zeroblob(raw, index, 0)
      } else {
        sqlite3_bind_blob64(raw, index, bytes.baseAddress, UInt64(bytes.count), Self.copied)
      }
    }
  }

  /// Resets the statement and clears its parameters.
  ///
  /// C functions: `sqlite3_reset`, `sqlite3_clear_bindings`.
  func reset() {
    // The returned code repeats the failure that the last step has already thrown.
    sqlite3_reset(raw)
    sqlite3_clear_bindings(raw)
  }

  /// A column of the row, counted from 0.
  ///
  /// C function: `sqlite3_column_int64`.
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(raw, column) }

  /// A column of the row as text; invalid UTF-8 is replaced.
  ///
  /// C functions: `sqlite3_column_text`, `sqlite3_column_bytes`.
  func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(raw, column) else { return "" }
    // SQLite owns the text until the next step; it is copied here.
    let count = Int(sqlite3_column_bytes(raw, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// A column of the row as bytes, or nil when it is NULL.
  ///
  /// C functions: `sqlite3_column_type`, `sqlite3_column_blob`, `sqlite3_column_bytes`.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard sqlite3_column_type(raw, column) != SQLITE_NULL else { return nil }
    guard let start = sqlite3_column_blob(raw, column) else { return [] }
    // SQLite owns the bytes until the next step; they are copied here.
    let count = Int(sqlite3_column_bytes(raw, column))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// SQLITE_TRANSIENT, a macro: SQLite copies what it is given.
  private static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
