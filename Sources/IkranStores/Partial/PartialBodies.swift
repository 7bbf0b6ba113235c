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
    guard let age = Files.age(path), !isOver(age),
      let bytes = try? Files.read(path, maximumBytes: byteLimit),
      let body = PartialBody(fileBytes: bytes, key: key)
    else { return nil }
    return body
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
      try Files.create(temporary, body.fileBytes(key: key))
      try Files.rename(temporary, to: path)
    } catch {
      _ = try? Files.remove(temporary)
      throw DiskCacheError(error)
    }
    trim(directory)
  }

  /// Forgets the body under a key.
  public func remove(_ key: String) {
    inMemory.remove(key)
    // A body that stays is found to be of no use by the next transfer.
    if let path = path(key) { _ = try? Files.remove(path) }
  }

  /// What ``name(of:)`` says of every kept body.
  package var names: Set<String> {
    let names = directory.flatMap { try? Files.list($0) } ?? []
    return Set(names.filter { $0.hasSuffix(".part") }.map { String($0.dropLast(5)) })
  }

  /// What stands for a key in the folder.
  package static func name(of key: String) -> String { "\(TableID(key))" }

  /// Forgets all.
  public func removeAll() {
    inMemory.removeAll()
    guard let directory else { return }
    for file in files(directory) { _ = try? Files.remove(file.path) }
  }

  /// Whether a body is too old, or of a time that a wrong clock told.
  private func isOver(_ age: Int) -> Bool { age > maximumAge || age < -60 }

  /// Removes what is too old, then the oldest beyond the limit.
  private func trim(_ directory: String) {
    var total = 0
    for file in files(directory).sorted(by: { $0.age < $1.age }) {
      let isOver = isOver(file.age)
      if !isOver { total += file.size }
      if isOver || total > byteLimit { _ = try? Files.remove(file.path) }
    }
  }

  private func files(_ directory: String) -> [(path: String, size: Int, age: Int)] {
    let names = (try? Files.list(directory)) ?? []
    return names.filter { $0.hasSuffix(".part") || $0.hasSuffix(".tmp") }.compactMap { name in
      let path = "\(directory)/\(name)"
      guard let size = Files.size(path), let age = Files.age(path) else { return nil }
      return (path, size, age)
    }
  }

  private func path(_ key: String) -> String? {
    directory.map { "\($0)/\(Self.name(of: key)).part" }
  }
}
