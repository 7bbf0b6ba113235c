import CGTK
import IkranSystem

/// The user's trash; its functions wait for the disk, so they are called off the main thread.
enum Trash {
  /// Why a file is still where it was.
  struct Failure: Error {
    let reason: String
  }

  /// Moves a file to the trash of its disk.
  ///
  /// - Parameter path: The file's.
  /// - Throws: `Failure`, where the file stays.
  static func move(_ path: String) throws(Failure) {
    let file = path.withPath { g_file_new_for_path($0) }
    defer { if let file { g_object_unref(UnsafeMutableRawPointer(file)) } }
    var error: UnsafeMutablePointer<GError>?
    guard g_file_trash(file, nil, &error) != 0 else {
      throw Failure(reason: FileError.take(error))
    }
  }

  /// Puts a file back, if it is in the trash of the user's own disk and its place is free.
  ///
  /// - Parameter path: Where it was.
  /// - Throws: `Failure`, where it stays in the trash.
  static func putBack(_ path: String) throws(Failure) {
    guard let name = newestName(of: path) else {
      throw Failure(reason: "It is in the trash of another disk.")
    }
    let from = (folder + "/files/" + name).withPath { g_file_new_for_path($0) }
    let to = path.withPath { g_file_new_for_path($0) }
    defer { for file in [from, to].compactMap({ $0 }) { g_object_unref(.init(file)) } }
    var error: UnsafeMutablePointer<GError>?
    // Without a flag it replaces nothing.
    guard g_file_move(from, to, GFileCopyFlags(0), nil, nil, nil, &error) != 0 else {
      throw Failure(reason: FileError.take(error))
    }
    _ = try? Files.remove(folder + "/info/" + name + ".trashinfo")
  }

  /// The folder that the desktop's specification of the trash names.
  private static var folder: String {
    g_get_user_data_dir().map { String(path: $0) + "/Trash" } ?? ""
  }

  /// The name that a file has in the trash; of several that were at its path, the last.
  private static func newestName(of path: String) -> String? {
    let names = (try? Files.list(folder + "/info")) ?? []
    let infos = names.compactMap { name -> (name: String, date: String)? in
      guard name.hasSuffix(".trashinfo"),
        let info = TrashInfo(file: folder + "/info/" + name), info.path == path
      else { return nil }
      return (String(name.dropLast(".trashinfo".count)), info.date)
    }
    return infos.max { ($0.date, $0.name.count, $0.name) < ($1.date, $1.name.count, $1.name) }?.name
  }
}

/// What the trash knows of a file in it.
struct TrashInfo {
  /// Where it was.
  let path: String
  /// When it was moved, such as `2024-05-06T07:08:09`.
  let date: String

  /// Reads a file of the trash's; nil when it is none.
  init?(file: String) {
    guard let bytes = try? Files.read(file, maximumBytes: 1 << 16) else { return nil }
    self.init(String(decoding: bytes, as: UTF8.self))
  }

  /// Reads the text of such a file; nil when it says no path.
  init?(_ text: String) {
    var values: [Substring: Substring] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { values[parts[0]] = parts[1] }
    }
    guard let path = values["Path"].flatMap({ LocalPath.of("file://" + $0) }) else { return nil }
    self.path = path
    date = values["DeletionDate"].map { String($0) } ?? ""
  }
}
