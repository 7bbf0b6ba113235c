import CSQLite
import IkranSystem

/// Opens SQLite's files: as SQLite does, but a database has the locks and the log index of a
/// ``SharedIndexHandle``.
///
/// SQLite's functions for Unix files do the rest; those that do not lock (`unix-none`), as POSIX
/// locks are lost when any descriptor of the file is closed.
enum SQLiteVFS {
  /// The name under which SQLite knows this; nil for a library without `unix-none`.
  ///
  /// C functions: `sqlite3_vfs_find`, `sqlite3_vfs_register`.
  static let shared = register("ikran-shared") { _, path, file, flags, result in
    open(path, file, flags, result, isPrivate: false)
  }

  /// Like ``shared``, for a connection that has the database to itself.
  static let exclusive = register("ikran-exclusive") { _, path, file, flags, result in
    open(path, file, flags, result, isPrivate: true)
  }

  private typealias Open =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?,
      UnsafeMutablePointer<sqlite3_file>?,
      CInt, UnsafeMutablePointer<CInt>?
    ) -> CInt

  /// Where the address of the index is, behind SQLite's own part of the file; 0 without
  /// `unix-none`.
  private static let offset: Int = {
    guard let base = sqlite3_vfs_find("unix-none") else { return 0 }
    return (Int(base.pointee.szOsFile) + 15) & ~15
  }()

  private static func register(_ name: String, _ open: @escaping Open) -> String? {
    guard let base = sqlite3_vfs_find("unix-none") else { return nil }
    // SQLite keeps both for as long as the process lives.
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: name.utf8.count + 1)
    for (index, byte) in name.utf8.enumerated() { text[index] = CChar(byte) }
    text[name.utf8.count] = 0
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: base.pointee)
    vfs.pointee.szOsFile = CInt(offset + MemoryLayout<UnsafeRawPointer>.size)
    vfs.pointee.pNext = nil
    vfs.pointee.zName = UnsafePointer(text)
    vfs.pointee.xOpen = open
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? name : nil
  }

  private static func open(
    _ path: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ flags: CInt,
    _ result: UnsafeMutablePointer<CInt>?,
    isPrivate: Bool
  ) -> CInt {
    guard let base = sqlite3_vfs_find("unix-none"), let file else { return SQLITE_CANTOPEN }
    let code = base.pointee.xOpen(base, path, file, flags, result)
    guard code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let path,
      let methods = file.pointee.pMethods
    else { return code }
    do throws(SystemError) {
      let index = try SharedIndexHandle(
        of: String(path: path),
        isPrivate: isPrivate,
        isReadOnly: flags & SQLITE_OPEN_READONLY != 0,
        methods.pointee
      )
      replace(&index.methods.pointee)
      file.pointee.pMethods = UnsafePointer(index.methods)
      UnsafeMutableRawPointer(file)
        .storeBytes(
          of: Unmanaged.passRetained(index).toOpaque(),
          toByteOffset: offset,
          as: UnsafeMutableRawPointer.self
        )
      return SQLITE_OK
    } catch {
      _ = methods.pointee.xClose(file)
      // Otherwise SQLite would close it again.
      file.pointee.pMethods = nil
      return Self.code(error, SQLITE_CANTOPEN)
    }
  }

  /// The index of an open database.
  private static func index(_ file: UnsafeMutablePointer<sqlite3_file>?) -> SharedIndexHandle? {
    guard let file else { return nil }
    let address = UnsafeRawPointer(file).load(fromByteOffset: offset, as: UnsafeRawPointer.self)
    return Unmanaged<SharedIndexHandle>.fromOpaque(address).takeUnretainedValue()
  }

  /// The index of a connection that was opened with one of the names above.
  ///
  /// C function: `sqlite3_file_control`.
  static func index(of connection: OpaquePointer) -> SharedIndexHandle? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, file?.pointee.pMethods != nil else { return nil }
    return index(file)
  }

  private static func code(_ error: SystemError, _ other: CInt) -> CInt {
    if error.isFull { return SQLITE_FULL }
    if error.isReadOnly { return SQLITE_PERM }
    return error.isBusy ? SQLITE_BUSY : other
  }

  /// Replaces the functions for locks and the log's index.
  private static func replace(_ methods: inout sqlite3_io_methods) {
    // Version 3 has functions that map the database.
    methods.iVersion = 2
    methods.xClose = { file in
      guard let file, let index = SQLiteVFS.index(file) else { return SQLITE_IOERR }
      defer { Unmanaged.passUnretained(index).release() }
      return index.base.xClose(file)
    }
    methods.xLock = { file, level in
      do throws(SystemError) {
        let isDone = try SQLiteVFS.index(file)?.lock(level) ?? false
        return isDone ? SQLITE_OK : SQLITE_BUSY
      } catch {
        return SQLiteVFS.code(error, SQLITE_IOERR)
      }
    }
    methods.xUnlock = { file, level in
      SQLiteVFS.index(file)?.unlock(level)
      return SQLITE_OK
    }
    methods.xCheckReservedLock = { file, result in
      do throws(SystemError) {
        result?.pointee = try SQLiteVFS.index(file)?.isReserved() == true ? 1 : 0
        return SQLITE_OK
      } catch {
        return SQLiteVFS.code(error, SQLITE_IOERR)
      }
    }
    methods.xShmMap = { file, page, _, extends, result in
      do throws(SystemError) {
        result?.pointee = try SQLiteVFS.index(file)?.page(Int(page), extends: extends != 0)
        return SQLITE_OK
      } catch {
        return SQLiteVFS.code(error, SQLITE_IOERR)
      }
    }
    methods.xShmLock = { file, first, count, flags in
      do throws(SystemError) {
        let index = SQLiteVFS.index(file)
        let isDone = try index?.lockLog(Int(first), Int(count), flags) ?? false
        return isDone ? SQLITE_OK : SQLITE_BUSY
      } catch {
        return SQLiteVFS.code(error, SQLITE_IOERR)
      }
    }
    methods.xShmBarrier = { file in SQLiteVFS.index(file)?.synchronize() }
    methods.xShmUnmap = { file, _ in
      SQLiteVFS.index(file)?.unmap()
      return SQLITE_OK
    }
  }
}
