import Ikran
import IkranStores

/// The cache a command uses: a folder with a disk cache and image tables.
struct CacheChoice: Sendable {
  var directory: String?
  var isOff = false

  /// Creates the cache's folder if it is missing and returns its path; nil with `--no-cache`.
  ///
  /// - Throws: ``Failure`` when it cannot be made, and, if `isForWriting`, when it may not be
  ///   written.
  func folder(isForWriting: Bool) throws -> String? {
    guard let path = try path() else { return nil }
    do throws(SystemError) {
      let folder = try Files.absolute(path)
      try Files.createDirectories(folder)
      guard !isForWriting || Files.isWritable(folder) else { throw .last("write", folder) }
      return folder
    } catch {
      throw Failure(error, advice: Self.advice)
    }
  }

  private static let advice = "; use --cache DIR or --no-cache"

  /// The cache's folder; nil with `--no-cache`.
  private func path() throws -> String? {
    guard !isOff else { return nil }
    if let path = directory ?? CacheDirectory.standard { return path }
    throw Failure(
      "there is no cache folder: neither XDG_CACHE_HOME nor HOME is set; use --cache DIR"
    )
  }

  /// The caches that `ikran serve` has made in this folder, by their names; none with `--no-cache`.
  func serviceFolders() throws -> [(name: String, path: String)] {
    guard let folder = try path() else { return [] }
    return ["results", "sources"].map { (name: $0, path: "\(folder)/\($0)") }
      .filter { Files.exists(DiskCache.indexPath($0.path)) }
  }

  /// Whether the folder itself has a disk cache.
  func hasIndex() throws -> Bool {
    try path().map { Files.exists(DiskCache.indexPath($0)) } ?? false
  }

  /// Opens the disk cache, made where it is the usual one; nil with `--no-cache`.
  ///
  /// - Throws: ``Failure`` where it cannot be opened, or a folder was named that is not there.
  func openExisting() throws -> DiskCache? {
    if let directory, !isOff, !Files.exists(directory) {
      throw Failure("there is no cache in \(directory): it does not exist")
    }
    return try open()
  }

  /// Opens the disk cache; nil with `--no-cache`.
  func open() throws -> DiskCache? {
    guard let path = try path() else { return nil }
    do throws(DiskCacheError) {
      return try DiskCache(directory: path)
    } catch {
      throw Failure(error, advice: Self.advice)
    }
  }
}

extension Option {
  /// `--cache` and, where a command can work without, `--no-cache`.
  static func cache(
    _ path: any WritableKeyPath<Root, CacheChoice> & Sendable,
    isOptional: Bool = true
  ) -> [Option] {
    let folder = Option(
      name: "cache",
      value: "DIR",
      help: "the cache's folder (default: $XDG_CACHE_HOME/ikran,\nelse ~/.cache/ikran)"
    ) { (root, word) throws(UsageError) in
      root[keyPath: path].directory = try Reading<String>.folderName.read(word)
    }
    let off = Option(name: "no-cache", value: nil, help: "reads and writes no cache") {
      root,
      _ in root[keyPath: path].isOff = true
    }
    return isOptional ? [folder, off] : [folder]
  }
}
