import IkranFoundation
public import IkranPixels
public import IkranStores
import IkranTransport

/// Images of your entities in formats of your own, kept in image tables; you bring the sources.
///
/// ```swift
/// let cache = try EntityImageCache(directory: folder, formats: [small, large]) { member, url in
///   try await ImagePipeline.shared.image(from: url)
/// }
/// let image = cache.image(for: ana, format: "small")            // at once, or nil
/// let later = try await cache.retrieve(ana, format: "small")    // drawn when there is none
/// ```
/// All callers that wait for one picture share one source image, which is drawn into every format
/// of the family. Each gets exactly one ending. Files of the folder that are not the formats'
/// tables are left alone.
public final class EntityImageCache: Sendable {
  struct SourceKey: Hashable {
    let url: String
    let version: TableID
  }

  struct DrawingKey: Hashable {
    let id: TableID
    let version: TableID
    /// The formats drawn together, by name.
    let formats: [String]
  }

  typealias Drawn = [String: Result<Bitmap, ImageError>]

  /// The formats, in the order they were registered.
  public var formats: [TableFormat] { tables.formats }

  let tables: EntityTables
  let options: EntityCacheOptions
  let provider: SourceProvider
  let sleep: @Sendable (Duration) async throws -> Void
  let sources = Coalescer<SourceKey, Bitmap>()
  let drawings = Coalescer<DrawingKey, Drawn>()
  let requests = Guarded(EntityRequests())
  /// Limits how many source images are requested at once.
  let sourceRequests: DownloadScheduler
  /// One thread each: what happens to one entity happens in order, so nothing that comes late
  /// replaces what was set or deleted after it began.
  private let pools: [ThreadPool]
  private let suspension: Suspension

  /// Opens or makes a table for each format.
  ///
  /// - Parameters:
  ///   - directory: The folder of the tables, made when it is missing.
  ///   - formats: What is drawn; a table is kept unless its size or pixel format changes.
  ///   - options: Time, number and families.
  ///   - onError: Called with every failure, also with those that are skipped, on the thread that
  ///     meets it.
  ///   - source: Brings source images.
  /// - Throws: ``ImageError/table(_:)`` when the formats make no sense: none, two of one name, no
  ///   size.
  public convenience init(
    directory: String,
    formats: [TableFormat],
    options: EntityCacheOptions = EntityCacheOptions(),
    onError: @escaping @Sendable (ImageError) -> Void = { _ in },
    source: @escaping SourceProvider
  ) throws(ImageError) {
    let tables = try EntityTables(directory: directory, formats: formats, onError: onError)
    self.init(tables, options: options, source: source) { try await Task.sleep(for: $0) }
  }

  init(
    _ tables: EntityTables,
    options: EntityCacheOptions,
    source provider: @escaping SourceProvider,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.tables = tables
    self.options = options
    self.provider = provider
    self.sleep = sleep
    sourceRequests = DownloadScheduler(
      QueueOptions(
        maximumConcurrent: options.maximumConcurrent,
        maximumPerHost: options.maximumConcurrent,
        maximumSilence: nil
      ),
      clock: .system
    )
    pools = (0..<max(2, ProcessInfo.processInfo.activeProcessorCount)).map { _ in
      ThreadPool(name: "ikran-entity", threads: 1)
    }
    suspension = Suspension(writing: pools)
  }

  // What waits holds the tables, and these threads hold what waits.
  deinit { suspension.resume() }

  /// The image that the table has, or nil; it never waits, and never for a drawing.
  public func image(for entity: some ImageEntity, format: String) -> Bitmap? {
    tables.image(of: entity, format)
  }

  /// Whether the table has the image, drawn from the entity's present picture.
  public func exists(_ entity: some ImageEntity, format: String) -> Bool {
    tables.contains(entity, format)
  }

  /// The image from its table, its bytes read in; else drawn from its source, and stored.
  ///
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled, and on
  ///   ``cancel(_:format:)``.
  @discardableResult
  public func retrieve(
    _ entity: some ImageEntity,
    format name: String,
    priority: ImagePriority = .normal
  ) async throws(ImageError) -> Bitmap {
    let format = try tables.format(name)
    if let image = tables.image(of: entity, name) {
      return try await pool(entity.entityID).run(Subscription(priority)) { _ in image.touched }
    }
    return try await wait(for: entity, in: format, priority: priority)
  }

  /// Draws a given image, as if its source had brought it, in place of what is there.
  ///
  /// The older image stays until the new one is whole. Drawings under way for the entity then
  /// replace nothing.
  ///
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled before
  ///   its turn comes.
  @discardableResult
  public func setImage(
    _ source: Bitmap,
    for entity: some ImageEntity,
    format name: String
  ) async throws(ImageError) -> Bitmap {
    let formats = formatsDrawn(with: try tables.format(name))
    requests.withLock { $0.outdate(entity.entityID) }
    let drawn = try await pool(entity.entityID).run(Subscription(.normal)) { [tables] _ in
      formats.map { tables.draw(source, of: entity, $0) }
    }
    return try drawn[0].get()
  }

  /// Ends the waiting for an entity's image, in one format or in all: each caller gets
  /// ``ImageError/cancelled``.
  ///
  /// A source image that no other caller waits for is given up.
  public func cancel(_ entity: some ImageEntity, format: String? = nil) {
    for waiter in requests.withLock({ $0.waiters(for: entity.entityID, format) }) {
      waiter.cancel()
    }
  }

  /// Deletes an entity's images, in one format or in all; what views hold stays valid.
  ///
  /// Drawings under way for the entity are not stored.
  ///
  /// - Throws: ``ImageError/table(_:)``, ``ImageError/cancelled``.
  public func delete(
    _ entity: some ImageEntity,
    format: String? = nil
  ) async throws(ImageError) {
    let id = entity.entityID
    requests.withLock { $0.outdate(id) }
    let names = formats.map(\.name).filter { format == nil || $0 == format }
    try await pool(id).run(Subscription(.normal)) { [tables] (_) throws(ImageError) in
      do throws(TableError) {
        for name in names { try tables.remove(id, name) }
      } catch {
        throw .table(error)
      }
    }
  }

  /// Empties the table of one format or all; what views hold stays valid.
  ///
  /// - Throws: ``ImageError/table(_:)``, ``ImageError/cancelled``.
  public func reset(format: String? = nil) async throws(ImageError) {
    requests.withLock { $0.outdate(nil) }
    let names = formats.map(\.name).filter { format == nil || $0 == format }
    // Waits for every drawing that may still be stored.
    for pool in pools { try await pool.run(Subscription(.normal)) { _ in } }
    try await pools[0].run(Subscription(.normal)) { [tables] (_) throws(ImageError) in
      do throws(TableError) { for name in names { try tables.reset(name) } } catch {
        throw .table(error)
      }
    }
  }

  /// Announces images that will soon be looked at, so that their bytes are read in.
  public func prefetch(_ entities: [any ImageEntity], format: String) {
    tables.prefetch(entities, format)
  }

  /// Lets drawings under way end, and releases every lock of the tables' files, until
  /// ``resume()``.
  ///
  /// In between, ``image(for:format:)`` finds nothing. ``retrieve(_:format:priority:)``,
  /// ``setImage(_:for:format:)``, ``delete(_:format:)`` and ``reset(format:)`` wait, so nothing is
  /// lost. What views hold stays valid. To suspend twice is to suspend once.
  ///
  /// A table whose locks cannot be released, as there is no memory for what views hold, is reported
  /// to `onError`, and is in use as before.
  ///
  /// Returns when the locks are released, or at ``resume()``; at once when the task is cancelled,
  /// and the cache is suspended all the same.
  public func suspend() async {
    suspension.begin(
      Suspension.Files { [tables] in
        tables.suspend()
      } open: { [tables] in
        tables.resume()
      }
    )
    await suspension.finishClosing()
  }

  /// Ends a suspension: what waited goes on.
  ///
  /// Without a suspension it does nothing.
  public func resume() { suspension.resume() }

  /// The number of callers that wait.
  var waiting: Int { requests.withLock { $0.count } }

  func pool(_ id: TableID) -> ThreadPool { pools[Int(id.low % UInt64(pools.count))] }

  /// The formats that one source image is drawn into, the requested one first.
  func formatsDrawn(with format: TableFormat) -> [TableFormat] {
    options.drawsWholeFamily ? tables.family(of: format) : [format]
  }
}

extension Bitmap {
  /// This bitmap, with each page of it read once: what was on the disk only is in memory then.
  fileprivate var touched: Bitmap {
    withBytes { bytes in
      var sum: UInt8 = 0
      for offset in stride(from: 0, to: bytes.count, by: 4096) { sum ^= bytes[offset] }
      // Keeps the optimiser from removing the read.
      withExtendedLifetime(sum) {}
    }
    return self
  }
}
