/// Bodies whose transfer broke, kept for the next try: in a folder, for other processes too, or in
/// memory when there is none.
///
/// Bounded in bytes and in time; what is over a bound leaves oldest first. Files are published by
/// rename and checked when read. A folder that cannot be written is passed by: the next transfer
/// starts anew. All calls block on the disk and are thread-safe.
public final class PartialBodies: Sendable {
  private let directory: String?
  private let byteLimit: Int
  private let maximumAge: Int
  private let inMemory: MemoryCache<String, PartialBody>

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - directory: The folder, made when needed; nil keeps them in memory.
  ///   - byteLimit: The most bytes kept.
  ///   - maximumAge: Seconds after which a body is dropped.
  public init(directory: String?, byteLimit: Int = 256 << 20, maximumAge: Int = 86_400) {
    self.directory = directory
    self.byteLimit = max(0, byteLimit)
    self.maximumAge = maximumAge
    inMemory = MemoryCache(byteLimit: directory == nil ? byteLimit : 0)
  }

  /// What is kept under a key; nil when nothing usable is.
  public func body(for key: String) -> PartialBody? {
    guard let path = path(key) else { return inMemory.value(for: key) }
    guard let age = Files.age(path), !isOver(age) else { return nil }
    return read(path, name: Self.name(of: key))
  }

  /// Keeps a body in place of the one under the same key.
  ///
  /// - Throws: `DiskCacheError` when the folder cannot be written.
  public func keep(_ body: PartialBody, for key: String) throws(DiskCacheError) {
    guard body.bytes.count <= byteLimit else { return remove(key) }
    guard let directory, let path = path(key) else {
      return inMemory.store(body, cost: body.bytes.count, for: key)
    }
    let temporary = "\(path).\(UInt64.random(in: 0 ... .max)).tmp"
    do throws(SystemError) {
      try Files.createDirectories(directory)
      try Files.create(temporary, body.fileBytes(name: Self.name(of: key)))
      try Files.rename(temporary, to: path)
    } catch {
      _ = try? Files.remove(temporary)
      throw DiskCacheError(error)
    }
    trim()
  }

  /// Forgets the body under a key.
  public func remove(_ key: String) {
    inMemory.remove(key)
    // A body that stays is found to be of no use by the next transfer.
    if let path = path(key) { _ = try? Files.remove(path) }
  }

  /// What ``name(of:)`` says of every kept body.
  package var names: Set<String> { Set(files().compactMap(\.name)) }

  /// What the folder holds; nothing when bodies are kept in memory.
  public var statistics: PartialStatistics {
    let files = files()
    return PartialStatistics(
      entries: files.count { $0.name != nil },
      bytes: files.reduce(0) { $0 + $1.size }
    )
  }

  /// Reads every body in the folder and removes those that are damaged or cannot be read.
  public func verify() -> PartialVerification {
    var report = PartialVerification()
    for file in files() {
      guard let name = file.name else { continue }
      report.checked += 1
      guard read(file.path, name: name) == nil, remove(file) else { continue }
      report.dropped += 1
    }
    return report
  }

  /// Removes what is too old from the folder, then the oldest until at most `bytes` are left, or as
  /// many as the store's own limit allows.
  ///
  /// - Returns: The number of bodies removed.
  @discardableResult
  public func trim(toBytes bytes: Int = .max) -> Int {
    let limit = min(byteLimit, bytes)
    var (total, removed) = (0, 0)
    for file in files().sorted(by: { $0.age < $1.age }) {
      let isOver = isOver(file.age)
      if !isOver { total += file.size }
      if isOver || total > limit, remove(file), file.name != nil { removed += 1 }
    }
    return removed
  }

  /// What stands for a key in the folder.
  package static func name(of key: String) -> String { "\(TableID(key))" }

  /// Forgets all.
  public func removeAll() {
    inMemory.removeAll()
    for file in files() { _ = remove(file) }
  }

  /// Whether a body is too old, or of a time that a wrong clock told.
  private func isOver(_ age: Int) -> Bool { age > maximumAge || age < -60 }

  /// A file of the folder: a body's, or what a process that ended left of one.
  private struct File {
    let path: String
    /// What stands for its key; nil when it is no whole body.
    let name: String?
    let size: Int
    let age: Int
  }

  private func files() -> [File] {
    // A folder that cannot be listed holds nothing for us.
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

  /// Whether a file was there and is removed; one that stays is found to be of no use later.
  private func remove(_ file: File) -> Bool { (try? Files.remove(file.path)) ?? false }

  private func path(_ key: String) -> String? {
    directory.map { "\($0)/\(Self.name(of: key)).part" }
  }
}

/// What a folder of partial bodies holds.
public struct PartialStatistics: Sendable, Hashable {
  /// Files of bodies; damaged and expired ones count until they are removed.
  public let entries: Int
  /// Bytes of their files, and of what processes that ended left there.
  public let bytes: Int
}

/// What checking a folder of partial bodies found.
public struct PartialVerification: Sendable, Hashable {
  /// Bodies read.
  public internal(set) var checked = 0
  /// Damaged ones, which were removed.
  public internal(set) var dropped = 0
}
