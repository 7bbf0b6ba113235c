import CSQLite

/// One connection to one SQLite file; used by one thread at a time.
struct SQLiteHandle: ~Copyable {
  private let raw: OpaquePointer
  /// The file, for errors.
  let path: String

  /// Opens a file, which is created when missing, in write-ahead mode.
  ///
  /// C functions: `sqlite3_open_v2`, `sqlite3_extended_result_codes`.
  static func open(
    _ path: String,
    busyMilliseconds: Int32
  ) throws(DiskCacheError) -> SQLiteHandle {
    var opened: OpaquePointer?
    // No mutex of SQLite's own: whoever holds the handle locks.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened else {
      throw .index(path: path, code: code, reason: String(cString: sqlite3_errstr(code)))
    }
    let handle = SQLiteHandle(opened, path)
    sqlite3_extended_result_codes(opened, 1)
    guard code == SQLITE_OK else { throw handle.failure(code) }
    handle.setBusyTimeout(milliseconds: busyMilliseconds)
    handle.keepLog()
    try handle.useWriteAheadLog(waitingMilliseconds: busyMilliseconds)
    try handle.execute("PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304")
    return handle
  }

  /// Opens a file that exists and is never changed through this handle.
  ///
  /// While others may write beside it, SQLite shares their locks and log. Where it cannot, as on a
  /// disk that is mounted read-only, the file is taken as one that nobody changes.
  /// C function: `sqlite3_open_v2`.
  static func openReadOnly(
    _ path: String,
    busyMilliseconds: Int32
  ) throws(DiskCacheError) -> SQLiteHandle {
    do throws(DiskCacheError) {
      return try openReadOnly(path, path, SQLITE_OPEN_READONLY, busyMilliseconds)
    } catch {
      let address = "file:\(percentEncoded(path))?immutable=1"
      let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      return try openReadOnly(path, address, flags, busyMilliseconds)
    }
  }

  private static func openReadOnly(
    _ path: String,
    _ address: String,
    _ flags: Int32,
    _ busyMilliseconds: Int32
  ) throws(DiskCacheError) -> SQLiteHandle {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(address, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else {
      throw .index(path: path, code: code, reason: String(cString: sqlite3_errstr(code)))
    }
    let handle = SQLiteHandle(opened, path)
    sqlite3_extended_result_codes(opened, 1)
    guard code == SQLITE_OK else { throw handle.failure(code) }
    handle.setBusyTimeout(milliseconds: busyMilliseconds)
    // The first read tells whether the file can be used this way.
    _ = try handle.version()
    return handle
  }

  /// A path as a part of an address: letters, digits and `/-._` stand for themselves.
  private static func percentEncoded(_ path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-")...UInt8(ascii: "/"),
        UInt8(ascii: "_"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return result
  }

  private init(_ raw: OpaquePointer, _ path: String) {
    self.raw = raw
    self.path = path
  }

  deinit {
    // The second form waits for statements that are still to be finalised.
    sqlite3_close_v2(raw)
  }

  /// Leaves the write-ahead log in place on close.
  ///
  /// SQLite would remove it by name, and if the folder was removed and made anew in the meantime,
  /// that name is another database's log. C function: `sqlite3_file_control`.
  private func keepLog() {
    var keeps: Int32 = 1
    sqlite3_file_control(raw, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
  }

  /// Switches to write-ahead mode, which is kept in the file.
  ///
  /// Of two processes that switch one new file at once, SQLite refuses one without any waiting, as
  /// each would wait for the other's read lock; so the one that was refused tries again.
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

  /// How long to wait for another process's lock.
  ///
  /// C function: `sqlite3_busy_timeout`.
  func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(raw, milliseconds) }

  /// Runs SQL text whose rows do not matter.
  ///
  /// C function: `sqlite3_exec`.
  func execute(_ sql: String) throws(DiskCacheError) {
    let code = sqlite3_exec(raw, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Compiles a statement to be run many times.
  ///
  /// C function: `sqlite3_prepare_v3`.
  func prepare(_ sql: String) throws(DiskCacheError) -> SQLiteStatement {
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    let code = sqlite3_prepare_v3(raw, sql, -1, flags, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    return SQLiteStatement(statement)
  }

  /// Runs a statement and starts it over.
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

  /// The number that the file's owner gave to its format.
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
    // First of all: for a failed write, `sqlite3_system_errno` knows less than the thread does.
    let call = SystemError.last("use", path)
    let reason = String(cString: sqlite3_errmsg(raw))
    return switch code & 0xFF {
    case SQLITE_FULL: .full(path: path)
    // Our SQL is right, so what it does not find or may not insert is damage to the schema.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
      .corrupt(path: path, reason: reason)
    case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
    case SQLITE_READONLY where code == SQLITE_READONLY | 4 << 8: .removed(path: path)
    // A file that we may write, but SQLite will not: its header asks for a newer SQLite.
    case SQLITE_READONLY where code == SQLITE_READONLY && Files.isWritable(path):
      .corrupt(path: path, reason: "its format is unknown")
    case SQLITE_READONLY, SQLITE_PERM: .readOnly(path: path)
    case SQLITE_IOERR where call.isFull, SQLITE_CANTOPEN where call.isFull: .full(path: path)
    case SQLITE_CANTOPEN where call.isReadOnly: .readOnly(path: path)
    case SQLITE_CANTOPEN where call.code != 0: .system(call)
    default: .index(path: path, code: code, reason: reason)
    }
  }
}

/// A compiled statement; used only with the handle that made it.
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
      // An empty text may have no address, which SQLite would take as NULL.
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

  /// Starts over, keeping no row and no parameter.
  ///
  /// C functions: `sqlite3_reset`, `sqlite3_clear_bindings`.
  func reset() {
    // The code repeats the failure that the last step has already thrown.
    sqlite3_reset(raw)
    sqlite3_clear_bindings(raw)
  }

  /// A column of the row, counted from 0.
  ///
  /// C function: `sqlite3_column_int64`.
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(raw, column) }

  /// A column of the row as text; bytes that are no UTF-8 are replaced.
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
