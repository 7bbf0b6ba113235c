/// The files of a disk cache that hold large bodies; see `DiskCacheFormat` for where they are.
struct BodyFiles: Sendable {
  /// The cache's folder.
  let directory: String

  private var incoming: String { "\(directory)/incoming" }

  func path(key: String, id: Int64) -> String {
    "\(directory)/\(DiskCacheFormat.bodyPath(key: key, id: id))"
  }

  /// Makes the folders that are missing.
  func createFolders() throws(SystemError) {
    try Files.createDirectories(incoming)
    try Files.createDirectories("\(directory)/bodies")
  }

  /// Writes a body to a file of this process and returns its path.
  func write(_ body: [UInt8]) throws(SystemError) -> String {
    let random = DiskCacheFormat.hex(UInt64.random(in: 0 ... .max))
    let path = "\(incoming)/\(ProcessTable.current)-\(random)"
    try Files.create(path, body)
    return path
  }

  /// Gives a written body the name under which it is read.
  func publish(_ written: String, key: String, id: Int64) throws(SystemError) {
    let path = path(key: key, id: id)
    do throws(SystemError) {
      try Files.rename(written, to: path)
    } catch {
      guard error.isMissing, Files.exists(written) else { throw error }
      try Files.createDirectories(Files.parent(of: path))
      try Files.rename(written, to: path)
    }
  }

  /// Removes bodies that the index no longer names.
  func remove(_ removed: DiskIndex.Removed) {
    for entry in removed { discard(path(key: entry.key, id: entry.id)) }
  }

  /// Removes a file that nobody needs.
  ///
  /// Another process may have been faster; what cannot be removed now is swept up later.
  @discardableResult
  func discard(_ path: String) -> Bool { (try? Files.remove(path)) ?? false }

  /// Removes all bodies and what was left half-written.
  func removeAll() throws(SystemError) {
    try Files.removeTree("\(directory)/bodies")
    try Files.removeTree(incoming)
  }

  /// The folders that hold bodies.
  func folders() -> [String] { ((try? Files.list("\(directory)/bodies")) ?? []) }

  /// The files in one of the folders that the index does not name.
  func orphans(in folder: String, index: DiskIndex) throws(DiskCacheError) -> [String] {
    let path = "\(directory)/bodies/\(folder)"
    guard Files.isDirectory(path) else { return Files.exists(path) ? [path] : [] }
    var orphans: [String] = []
    // A folder that has just gone has no orphans.
    for name in (try? Files.list(path)) ?? [] {
      let file = "\(path)/\(name)"
      if let id = DiskCacheFormat.entryID(fileName: name),
        let key = try index.key(ofFile: id), self.path(key: key, id: id) == file
      {
        continue
      }
      orphans.append(file)
    }
    return orphans
  }

  /// Removes what processes that no longer run left half-written; returns how many files.
  func removeAbandoned() -> Int {
    let names = (try? Files.list(incoming)) ?? []
    return names.count { name in
      let path = "\(incoming)/\(name)"
      let number = name.split(separator: "-").first.flatMap { Int32($0) }
      // A process number may have been given anew, or be one of another container.
      let isOld = (Files.age(path) ?? 0) > 3600
      guard number.map({ !ProcessTable.isRunning($0) }) ?? true || isOld else { return false }
      return discard(path)
    }
  }
}
