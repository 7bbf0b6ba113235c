import IkranSystem

/// The files of a disk cache that hold large bodies; see `DiskCacheFormat` for where they are.
struct BodyFiles: Sendable, Hashable {
  /// The cache's folder.
  let directory: String
  /// How often the cache has moved, so that a return to an earlier folder is noticed.
  var moves = 0

  var incoming: String { "\(directory)/incoming" }
  var bodies: String { "\(directory)/bodies" }
  var tag: String { "\(directory)/CACHEDIR.TAG" }
  /// Where a cache of an unknown format is moved.
  var aside: String { "\(directory)/aside" }

  func path(_ name: BodyName) -> String { name.path(in: directory) }

  /// Creates missing folders; one that is new is marked as what backups leave out, as
  /// https://bford.info/cachedir/ has it.
  func createFolders() throws(DiskCacheError) {
    do throws(SystemError) {
      let isNew = isOurs
      try Files.createDirectories(incoming)
      try Files.createDirectories(bodies)
      if isNew { mark() }
    } catch {
      throw DiskCacheError(error)
    }
  }

  private static let mark = Array(
    "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of images.\n".utf8
  )

  /// Whether the folder has nothing but what a pipeline makes before its cache is opened.
  var isOurs: Bool {
    ((try? Files.list(directory)) ?? []).allSatisfy { Self.earlier.contains($0) }
  }

  private static let earlier: Set<String> = ["tables", "partial", "freshness", "ikran-secret"]

  /// Marks the folder; a cache works without that.
  func mark() { try? Files.create(tag, Self.mark) }

  /// Takes a mark of ours away.
  func unmark() {
    if (try? Files.read(tag, maximumBytes: 4_096)) == Self.mark { _ = try? Files.remove(tag) }
  }

  /// The cache's folder, to be locked: shared to open the index, exclusively to replace it.
  func opened() throws(DiskCacheError) -> OpenFile {
    do throws(SystemError) {
      return try OpenFile(folder: directory)
    } catch {
      throw DiskCacheError(error)
    }
  }

  /// The body of a valid row in its stored form; nil when it is damaged or missing.
  func storedBody(of row: IndexRow) throws(DiskCacheError) -> [UInt8]? {
    guard let body = try row.flags.contains(.inline) ? row.body : read(row) else { return nil }
    guard body.count == row.bodySize,
      IndexRow.checksum(of: body, hash: row.hash, row.flags) == row.checksum
    else { return nil }
    return body
  }

  private func read(_ row: IndexRow) throws(DiskCacheError) -> [UInt8]? {
    do throws(SystemError) {
      return try Files.read(path(row.name), expecting: row.bodySize)
    } catch {
      if error.isDamage { return nil }
      throw DiskCacheError(error)
    }
  }

  /// Writes a body over a spare file, or to a temporary one, whose name has this process's number;
  /// returns its path.
  func write(_ body: [UInt8], over spare: String? = nil) throws(SystemError) -> String {
    if let spare {
      // Any process may have removed it.
      if (try? Files.overwrite(spare, body)) != nil { return spare }
      discard(spare)
    }
    let random = String(hexadecimal: UInt64.random(in: 0 ... .max))
    let space = String(ProcessTable.namespace, radix: 16)
    let path = "\(incoming)/\(ProcessTable.current)-\(space)-\(random)"
    try Files.create(path, body)
    return path
  }

  /// Renames a written body to the name under which it is read.
  func publish(_ written: String, as name: BodyName) throws(SystemError) {
    let path = path(name)
    do throws(SystemError) {
      try Files.rename(written, to: path)
    } catch {
      guard error.isMissing, Files.exists(written) else { throw error }
      try Files.createDirectories(Files.parent(of: path))
      try Files.rename(written, to: path)
    }
  }

  /// Gives a body a second name, under which it is read; without hard links it is renamed.
  func link(_ path: String, as name: BodyName) throws(SystemError) {
    let target = self.path(name)
    try Files.createDirectories(Files.parent(of: target))
    do throws(SystemError) {
      try Files.link(path, to: target)
    } catch {
      try Files.rename(path, to: target)
    }
  }

  /// Removes the bodies of entries that the index no longer has.
  func remove(_ removed: [DiskIndex.Removed]) {
    for entry in removed where entry.isInFile { discard(path(entry.name)) }
  }

  /// Removes an unused file; false when it was already gone.
  ///
  /// A file that cannot be removed now is removed by a later sweep.
  @discardableResult
  func discard(_ path: String) -> Bool { (try? Files.remove(path)) ?? false }

  /// Removes all bodies and unfinished files; a later sweep removes what cannot be removed now.
  func removeAll() {
    try? Files.removeTree(bodies)
    try? Files.removeTree(incoming)
  }

  /// The folders that hold bodies.
  func folders() -> [String] { (try? Files.list(bodies)) ?? [] }

  /// The files in one of the folders that the index does not name.
  func orphans(in folder: String, index: DiskIndex) throws(DiskCacheError) -> [String] {
    let path = "\(bodies)/\(folder)"
    guard Files.isDirectory(path) else { return Files.exists(path) ? [path] : [] }
    var orphans: [String] = []
    // A folder that has just been removed has no orphans.
    for name in (try? Files.list(path)) ?? [] {
      let file = "\(path)/\(name)"
      if let body = BodyName(fileName: name), self.path(body) == file,
        try index.row(body.hash)?.name == body
      {
        continue
      }
      orphans.append(file)
    }
    return orphans
  }

  /// Removes the files that the index does not name.
  func removeOrphans(_ index: DiskIndex) throws(DiskCacheError) {
    for folder in folders() {
      try index.change { _ throws(DiskCacheError) in
        for path in try orphans(in: folder, index: index) { discard(path) }
      }
    }
  }

  /// Removes unfinished files of processes that no longer run; returns how many.
  func removeAbandoned() -> Int {
    let names = (try? Files.list(incoming)) ?? []
    return names.count { name in
      let path = "\(incoming)/\(name)"
      // A process number may have been reused, and has no meaning in another container.
      let isOld = (Files.age(path) ?? 0) > 3600
      return isOld || isAbandoned(name) ? discard(path) : false
    }
  }

  private func isAbandoned(_ name: String) -> Bool {
    let parts = name.split(separator: "-")
    guard parts.count == 3, let number = Int32(parts[0]) else { return false }
    guard UInt64(parts[1], radix: 16) == ProcessTable.namespace else { return false }
    return !ProcessTable.isRunning(number)
  }
}
