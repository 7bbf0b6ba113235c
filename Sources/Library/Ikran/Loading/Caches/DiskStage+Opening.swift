import IkranStores
import Synchronization

// Opening the cache, and closing it while the pipeline is suspended.
extension DiskStage {
  /// The first and the longest pause after a failure to open the cache, in microseconds.
  private static let (firstPause, longestPause): (Int64, Int64) = (1_000_000, 300_000_000)

  /// The cache's files, as a suspension closes them.
  var files: Suspension.Files {
    Suspension.Files { [self] in
      isClosed.store(true, ordering: .relaxed)
      do { try openCache?.suspend() } catch {
        counters.count(.diskFailed("Could not suspend the disk cache: \(error)"))
      }
    } open: { [self] in
      isClosed.store(false, ordering: .relaxed)
      openCache?.resume()
    }
  }

  /// The cache, if it has been used.
  var openCache: (any DataCaching)? {
    state.withLock { if case .open(let cache) = $0 { cache } else { nil } }
  }

  /// Opens the cache when it is first used; a folder that cannot be opened is reported, and tried
  /// again after a pause, which doubles each time.
  ///
  /// One that may not be written is read; then there is a failure to be reported, too.
  ///
  /// Only the pools' threads come here, so only they wait while it opens.
  func opened() throws -> (cache: (any DataCaching)?, failure: String?) {
    let moment = clock.now()
    return try state.withLock { state in
      guard !isClosed.load(ordering: .relaxed) else { return (nil, nil) }
      let options: DiskOptions
      var pause = Self.firstPause
      switch state {
      case .open(let cache): return (cache, nil)
      case .absent: return (nil, nil)
      case .closed(let first): options = first
      case .failed(let failed, let next, let last):
        // A clock that was set back ends the pause.
        let left = next - moment
        if left > 0 && left <= last { return (nil, nil) }
        (options, pause) = (failed, min(2 * last, Self.longestPause))
      }
      do {
        let (cache, failure) = try open(options)
        state = .open(cache)
        wasOpened.store(true, ordering: .relaxed)
        if !missed.withLock({ $0.isEmpty }) { writing.later { [self] in removeMissed() } }
        return (cache, failure)
      } catch {
        state = .failed(options, next: moment + pause, pause: pause)
        throw error
      }
    }
  }

  /// Opens a folder's cache; one that may not be written is read, and why is returned, too.
  private func open(
    _ options: DiskOptions
  ) throws(DiskCacheError) -> (cache: any DataCaching, failure: String?) {
    let (directory, cacheOptions) = (options.directory, options.cacheOptions)
    do throws(DiskCacheError) {
      let cache = try DiskCache(directory: directory, options: cacheOptions)
      let mark = directory + "/ikran-digests"
      if cache.options.encryptionKey == nil, !Files.exists(mark) {
        writing.later { [self] in removeOldDigests(from: cache, markingIn: mark) }
      }
      return (cache, nil)
    } catch {
      guard case .readOnly = error,
        let readable = UnwritableDiskCache(directory: directory, options: cacheOptions)
      else { throw error }
      return (readable, "\(error)")
    }
  }
}
