import IkranSystem

/// A store of partial bodies, from which interrupted transfers resume: in a folder that several
/// processes may use, or in memory.
///
/// It is limited in bytes and age; the oldest bodies are removed first. Files are published by
/// rename and verified when they are read. If the folder cannot be written, the next transfer
/// starts from the beginning. All calls block on the disk and are thread-safe.
///
/// The folder is scanned with the first body that a process stores, and again after each eighth of
/// the limit. A scan leaves three quarters of the limit at most: so there is room for what two
/// processes store until their next one, and a body costs a constant number of system calls.
package final class PartialBodies: Sendable {
  private let directory: String?
  private let byteLimit: Int
  private let maximumAge: Int
  private let inMemory: Guarded<PartialMemory>
  /// Seconds, for the age of what is in memory; files have the system's time.
  private let now: @Sendable () -> Int
  /// How many more bytes may be written before the next scan; negative before the first.
  private let allowance = Guarded(-1)

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - directory: The folder, created when needed; nil stores them in memory.
  ///   - byteLimit: The most stored bytes.
  ///   - maximumAge: Seconds after which a body is removed.
  ///   - now: The time in seconds for bodies in memory.
  package init(
    directory: String?,
    byteLimit: Int = 256 << 20,
    maximumAge: Int = 86_400,
    now: @escaping @Sendable () -> Int = { Int(WallClock.microseconds() / 1_000_000) }
  ) {
    self.directory = directory
    self.byteLimit = max(0, byteLimit)
    self.maximumAge = maximumAge
    self.now = now
    inMemory = Guarded(PartialMemory(byteLimit: self.byteLimit, maximumAge: maximumAge))
  }

  /// The body under a key; nil when there is none, or it is damaged or expired.
  package func body(for key: String) -> PartialBody? {
    guard let path = path(key) else {
      let time = now()
      return inMemory.withLock { $0.body(for: key, at: time) }
    }
    guard let age = Files.age(path), !isOver(age) else { return nil }
    return read(path, name: Self.name(of: key))
  }

  /// Stores a body in place of the one under the same key.
  ///
  /// - Throws: `DiskCacheError` when the folder cannot be written.
  package func keep(_ body: PartialBody, for key: String) throws(DiskCacheError) {
    guard body.bytes.count <= byteLimit else { return remove(key) }
    guard let directory, let path = path(key) else {
      let time = now()
      return inMemory.withLock { $0.keep(body, for: key, at: time) }
    }
    let bytes = body.fileBytes(name: Self.name(of: key))
    do throws(SystemError) {
      try Files.createDirectories(directory)
      // A body that a power loss damages fails its checksum, and the transfer starts again.
      try Files.writeAtomically(bytes, to: path, durable: false)
    } catch {
      throw DiskCacheError(error)
    }
    let isScanDue = allowance.withLock { allowance in
      allowance -= bytes.count
      return allowance < 0
    }
    if isScanDue { trim(toBytes: byteLimit / 4 * 3, sparing: path) }
  }

  /// Removes the body under a key.
  package func remove(_ key: String) {
    inMemory.withLock { $0.remove(key) }
    // If this fails, the next transfer finds that the body is out of date.
    if let path = path(key) { _ = try? Files.remove(path) }
  }

  /// The ``name(of:)`` of every stored body.
  package var names: Set<String> { Set(files().compactMap(\.name)) }

  /// The contents of the folder; zeros when bodies are stored in memory.
  package var statistics: PartialStatistics {
    let files = files()
    return PartialStatistics(
      count: files.count { $0.name != nil },
      byteCount: files.reduce(0) { $0 + $1.size }
    )
  }

  /// The bodies held in memory; zeros when they are in a folder.
  package var memoryStatistics: PartialStatistics {
    let time = now()
    return inMemory.withLock { $0.statistics(at: time) }
  }

  /// Drops the oldest bodies in memory until no more than so many bytes are left; a folder stays as
  /// it is.
  package func trimMemory(toBytes bytes: Int) { inMemory.withLock { $0.trim(toBytes: bytes) } }

  /// Whether bodies in memory may take a quarter of the limit only.
  package var isInBackground: Bool {
    get { inMemory.withLock { $0.isInBackground } }
    set { inMemory.withLock { $0.isInBackground = newValue } }
  }

  /// Reads every body in the folder and removes those that are damaged or cannot be read.
  package func verify() -> PartialVerification {
    var report = PartialVerification()
    for file in files() {
      guard let name = file.name else { continue }
      report.checked += 1
      guard read(file.path, name: name) == nil, remove(file) else { continue }
      report.dropped += 1
    }
    return report
  }

  /// Removes expired bodies from the folder, then the oldest ones until at most `bytes` are left,
  /// or as many as the store's limit allows.
  ///
  /// - Returns: The number of bodies removed.
  @discardableResult
  package func trim(toBytes bytes: Int = .max) -> Int { trim(toBytes: bytes, sparing: nil) }

  /// The same, without the file that has just been written.
  @discardableResult
  private func trim(toBytes bytes: Int, sparing newest: String?) -> Int {
    let limit = min(byteLimit, bytes)
    let files = files()
    var total = files.first { $0.path == newest }?.size ?? 0
    var (left, removed) = (total, 0)
    for file in files.sorted(by: { $0.age < $1.age }) where file.path != newest {
      let isOver = isOver(file.age)
      if !isOver { total += file.size }
      if isOver || total > limit, remove(file) {
        removed += file.name == nil ? 0 : 1
      } else {
        left += file.size
      }
    }
    allowance.withLock { [left] in $0 = max(0, min(byteLimit / 8, (byteLimit - left) / 2)) }
    return removed
  }

  /// The file name for a key, without the extension.
  package static func name(of key: String) -> String { "\(TableID(key))" }

  /// Removes all bodies.
  package func removeAll() {
    trimMemory(toBytes: 0)
    for file in files() { _ = remove(file) }
  }

  /// Whether a body has expired, or its time lies in the future because the clock was wrong.
  private func isOver(_ age: Int) -> Bool { age > maximumAge || age < -60 }

  /// A file of the folder: a body, or the temporary file of a process that has ended.
  private struct File {
    let path: String
    /// The name for its key; nil for a temporary file.
    let name: String?
    let size: Int
    let age: Int
  }

  private func files() -> [File] {
    // A folder that cannot be listed counts as empty.
    guard let directory, let names = try? Files.list(directory) else { return [] }
    return names.filter { $0.hasSuffix(".part") || $0.hasSuffix(".tmp") }.compactMap { name in
      let path = "\(directory)/\(name)"
      guard let size = Files.size(path), let age = Files.age(path) else { return nil }
      let body = name.hasSuffix(".part") ? String(name.dropLast(".part".count)) : nil
      return File(path: path, name: body, size: size, age: age)
    }
  }

  /// The body in a file; nil when it cannot be read or is damaged.
  private func read(_ path: String, name: String) -> PartialBody? {
    (try? Files.read(path, maximumBytes: byteLimit))
      .flatMap { PartialBody(fileBytes: $0, name: name) }
  }

  /// Removes a file; false when it was gone or cannot be removed.
  private func remove(_ file: File) -> Bool { (try? Files.remove(file.path)) ?? false }

  private func path(_ key: String) -> String? {
    directory.map { "\($0)/\(Self.name(of: key)).part" }
  }
}

/// The contents of a folder of partial bodies.
package struct PartialStatistics: Sendable, Hashable {
  /// Files of bodies; damaged and expired ones count until they are removed.
  package let count: Int
  /// Bytes of their files and of temporary files.
  package let byteCount: Int

  /// Creates statistics; of an empty folder by default.
  package init(count: Int = 0, byteCount: Int = 0) {
    (self.count, self.byteCount) = (count, byteCount)
  }
}

/// The result of verifying a folder of partial bodies.
package struct PartialVerification: Sendable, Hashable {
  /// Bodies read.
  package fileprivate(set) var checked = 0
  /// Damaged ones, which were removed.
  package fileprivate(set) var dropped = 0
}
