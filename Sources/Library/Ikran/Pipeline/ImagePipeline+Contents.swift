import IkranCodecs
public import IkranPixels
import IkranStores

// The contents of the caches: found, changed and counted without loading an image.

extension ImagePipeline {
  /// Which caches have what a request can be made from, current as far as that is known, however
  /// old.
  ///
  /// A cache that the request does not read is not asked. A file or an image on the disk is read,
  /// which takes its time; nothing is decoded, and the network is not used.
  ///
  /// The beginning of a file, where an earlier download ended, is not the file. It counts for a
  /// request that itself ``ImageRequest/stopsEarly`` and for whose size it is enough, as its image
  /// needs no network.
  public func contains(_ request: ImageRequest) async -> CacheStages {
    let request = prepared(request)
    if request.caching.reads.contains(.tables) { await context.tables?.finishWriting() }
    var visit = finalVisit(request)
    for _ in 0..<Self.maximumRedirects {
      let source = visit.source
      var stages = stagesInMemory(at: visit)
      if source.isDownload, source.request.caching.reads.contains(.disk) {
        // First what the disk knows of the source: it says which beginning is the current one.
        let hasFile = await isOnDisk(source)
        let isThere = hasFile ? true : await hasBeginning(of: source)
        if isThere { stages.insert(.disk) }
      }
      // The disk may have known of a redirect.
      visit = finalVisit(source.request)
      guard stages.isEmpty, visit.source.key != source.key else { return stages }
    }
    return []
  }

  private func stagesInMemory(at visit: SourceVisit) -> CacheStages {
    let (request, key) = (visit.request, styledKey(visit.source))
    var found: CacheStages = []
    if request.caching.reads.contains(.memory) {
      let isStyled = context.images.contains(key) && storedImage(at: visit)?.source == .memory
      if isStyled || isFileInMemory(of: visit.source) { found.insert(.memory) }
    }
    if let tables = context.tables, request.caching.reads.contains(.tables),
      let body = visit.record?.body ?? context.tableVersion(ofLocal: request, key.source),
      let size = (try? fitting(of: key))?.fixedSize,
      tables.contains(key, size: size, version: body)
    {
      found.insert(.tables)
    }
    return found
  }

  /// Whether memory has enough of the current file.
  private func isFileInMemory(of source: SourceRequest) -> Bool {
    guard let body = context.recentBody(of: source)?.body else { return false }
    return body.prefix.map { isEnough($0, for: source.request) } ?? true
  }

  /// Whether an earlier download has left enough of the current file.
  private func hasBeginning(of source: SourceRequest) async -> Bool {
    guard source.request.stopsEarly else { return false }
    let found = await context.network.partials.afterWriting { [context] in
      context.storedPrefix(of: source)
    }
    return found??.body?.prefix.map { isEnough($0, for: source.request) } ?? false
  }

  private func isEnough(_ prefix: BodyPrefix, for request: ImageRequest) -> Bool {
    guard request.stopsEarly, let needed = try? fitting(of: styledKey(request)) else {
      return false
    }
    return prefix.isEnough(for: needed)
  }

  /// Whether the disk has the current file of a request's source, or the image made from it.
  private func isOnDisk(_ source: SourceRequest) async -> Bool {
    let contents = context.contents(of: source.request)
    let (file, name) = ("\(source.key)", context.name(of: styledKey(source), as: contents))
    let readsImage = keepsStyledFiles(for: source.request)
    let entries = await context.disk.afterWriting { cache in
      (file: try cache.entry(for: file), image: readsImage ? try cache.entry(for: name) : nil)
    }
    guard let entries else { return false }
    var id: BodyID?
    if let file = entries.file, let response = StoredResponse(file.extended) {
      guard context.learn(response, of: source) != nil else { return false }
      id = file.body.isEmpty ? nil : response.body
    } else if let file = entries.file, !file.body.isEmpty, file.extended.isEmpty {
      id = Checksum.wide(file.body)
    }
    let current = context.record(of: source)?.body
    if let id, current ?? id == id { return true }
    guard let current, let image = entries.image else { return false }
    return image.extended == PipelineContext.mark(of: current)
  }

  // MARK: - Storing

  /// Puts an image file where a download of the request's URL would be.
  ///
  /// It is good until something replaces it: a reload, other data, or ``remove(_:)``. Images made
  /// from earlier bytes are not shown any more, in any style. Image tables hold styled images only:
  /// with them, later processes know that the earlier images are out of date.
  ///
  /// The disk is written after the return; ``finishWriting()`` waits for it.
  ///
  /// - Throws: ``ImageError/decode(_:url:_:)`` for what is no image, and
  ///   ``ImageError/invalidRequest(_:)`` for a request whose bytes are no download.
  public func store(
    _ data: [UInt8],
    for request: ImageRequest,
    in stages: CacheStages = .all
  ) throws(ImageError) {
    let source = finalVisit(prepared(request)).source
    let request = source.request
    guard source.isDownload else {
      throw .invalidRequest("\(request.displayName): store data for an http: or https: URL")
    }
    do throws(DecodeError) { _ = try context.codecs.probe(data.span, as: request.format) } catch {
      throw .decode(error, url: request.displayName)
    }
    let (key, id) = (source.key, Checksum.wide(data))
    setUnlimited(id, of: source, forLaterProcesses: !stages.isDisjoint(with: [.disk, .tables]))
    context.network.failures.remove(source.failureKey)
    // Also for the disk alone: until it is written there, a request finds it in memory.
    if !stages.isDisjoint(with: .bodies) {
      context.bodies.store(RecentBody(bytes: data, id: id), cost: data.count, for: key)
    }
    // Last: what is read now is what was stored.
    defer { loader.invalidate(as: .replaced) { $0.key == key } }
    guard stages.contains(.disk) else {
      return context.disk.remove("\(key)") { [records = context.records] in
        records.isCurrent(id, of: key)
      }
    }
    // Without fields of an origin it is read as good until it is dropped.
    context.disk.store([], for: "\(key)", cost: data.count) { [records = context.records] in
      records.isCurrent(id, of: key) ? data : nil
    }
  }

  /// Puts a custom image where a request's would be, in that style and scale: in memory, until
  /// something replaces it.
  ///
  /// For one that outlives the process, name the caches, or see ``EntityImageCache``.
  public func store(_ image: Bitmap, for request: ImageRequest) {
    let visit = finalVisit(prepared(request))
    context.images.store(CachedImage(image, body: visit.record?.body), for: styledKey(visit.source))
  }

  /// Puts a custom image where a request's would be, in that style and scale.
  ///
  /// It is shown as long as its source's bytes do not change; when nothing is known of them, until
  /// something replaces it. An image goes to the table of its size, and to the disk where
  /// ``DiskOptions/contents``, or the request's own, keeps styled images.
  ///
  /// The disk and the tables are written after the return; ``finishWriting()`` waits for them.
  public func store(
    _ image: Bitmap,
    for request: ImageRequest,
    in stages: CacheStages
  ) async {
    let source = finalVisit(prepared(request)).source
    let isForLater = !stages.isDisjoint(with: [.disk, .tables])
    if isForLater, source.isDownload, context.record(of: source)?.response == nil,
      let stored = await response(onDisk: source.key)
    {
      _ = context.learn(stored, of: source)
    }
    var id = context.record(of: source)?.body
    if id == nil, isForLater, source.isDownload {
      // It was made from bytes that are not known: they get an id that no others have.
      let made = BodyID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
      setUnlimited(made, of: source, forLaterProcesses: true)
      context.network.failures.remove(source.failureKey)
      id = made
    }
    let cached = CachedImage(image, body: id)
    if stages.contains(.memory) { context.images.store(cached, for: styledKey(source)) }
    guard let id, source.isDownload, let wanted = try? renderTarget(of: source) else { return }
    let records = context.records
    context.persist(
      cached,
      as: wanted,
      inTables: stages.contains(.tables),
      onDisk: stages.contains(.disk) ? context.contents(of: source.request) : nil
    ) {
      records.isCurrent(id, of: source.key)
    }
  }

  private func response(onDisk source: SourceKey) async -> StoredResponse? {
    await context.disk.afterWriting { try $0.extended(for: "\(source)") }
      .flatMap { $0 }
      .flatMap { StoredResponse($0) }
  }

  /// Makes bytes the current ones of a source, until others replace them.
  private func setUnlimited(
    _ id: BodyID,
    of source: SourceRequest,
    forLaterProcesses isForLater: Bool
  ) {
    var record = SourceRecord(unlimited: id)
    // From now on: what invalidated the source earlier does not concern them, by a clock that was
    // ahead either.
    let invalidation = context.records.invalidation(of: source.location)
    record.fresh = max(context.clock.now(), invalidation &+ 1)..<(.max)
    record.change = context.records.nextChange()
    context.records.set(record, of: source.key, forLaterProcesses: isForLater)
  }

  // MARK: - Removing

  /// Forgets a request's source: its file, all images made from it, what had arrived of it, and
  /// that it failed.
  ///
  /// From now on no image of it is shown in any style, in memory, in a table or on the disk, until
  /// it is loaded again; what views hold stays valid. Pixels in another style than the request's
  /// stay where they are, unused, until something takes their room; those of a local file are shown
  /// on while the file is as it was.
  ///
  /// The disk and the tables are written after the return; ``finishWriting()`` waits for them. The
  /// target of a redirect that only the disk knows is forgotten then, too.
  public func remove(_ request: ImageRequest) {
    removeSource(of: prepared(request), as: context.records.nextChange())
  }

  /// Forgets what is known of a source unless that is newer than a change.
  private func removeSource(of request: ImageRequest, as change: ChangeNumber) {
    let first = context.source(of: request)
    let last = finalVisit(first.request)
    if last.record == nil, last.source.isDownload { removeTarget(of: last.source, as: change) }
    remove(first, as: change)
    if last.source.key != first.key { remove(last.source, as: change) }
  }

  /// Forgets the target of a redirect that the disk has of a source.
  private func removeTarget(of source: SourceRequest, as change: ChangeNumber) {
    context.disk.readBehind("\(source.key)") { [self] response in
      let visit = SourceVisit(
        source: source,
        record: context.record(by: response),
        isolatesRedirects: context.network.isolatesRedirects
      )
      if let target = visit.target { removeSource(of: target, as: change) }
    }
  }

  private func remove(_ source: SourceRequest, as change: ChangeNumber) {
    // What was loaded or stored since is newer.
    guard context.records.isLast(change, of: source.key) else { return }
    let key = styledKey(source)
    context.invalidate(source.key, as: change)
    context.images.remove(key)
    context.disk.remove(context.name(of: key, as: context.contents(of: source.request)))
    if let tables = context.tables, let size = (try? fitting(of: key))?.fixedSize {
      tables.remove(key, size: size)
    }
    context.network.partials.remove("\(source.key)")
    context.network.failures.remove(source.failureKey)
    loader.invalidate { $0.key == source.key }
  }

  /// Empties caches; what views hold stays valid.
  ///
  /// ``CacheStages/disk`` includes what had arrived of broken transfers, and so does
  /// ``CacheStages/memory`` where memory holds it. What is on its way over the network is shown to
  /// those who wait for it, and not stored. Returns when the caches are empty; at once when the
  /// task is cancelled, and they are emptied all the same.
  public func removeAll(from stages: CacheStages = .all) async {
    // When all caches are emptied, no record is needed.
    if stages == .all {
      context.records.removeAll(at: context.clock.now())
    } else {
      context.records.noteEmptied()
    }
    if stages.contains(.memory) { removeAllFromMemory() }
    if stages.contains(.disk) {
      context.disk.removeAll()
      context.network.partials.removeAll()
    }
    if stages.contains(.tables) { context.tables?.removeAll() }
    // Once more: a cache may have been read before it was empty.
    context.records.noteEmptied()
    // Else those who come now would find what loads under way have brought.
    if stages == .all { loader.invalidate { _ in true } }
    if stages.contains(.disk) {
      await context.disk.finishWriting()
    }
    if !stages.isDisjoint(with: [.memory, .disk]) {
      await context.network.partials.finishWriting()
    }
    if stages.contains(.tables) { await context.tables?.finishWriting() }
  }

  /// Removes the files that have expired, once all that was requested so far is on the disk.
  ///
  /// Returns at once when the task is cancelled.
  package func removeExpiredFiles() async {
    // A store of the program's removes them by itself.
    _ = await context.disk.afterWriting { try ($0 as? DiskCache)?.trim() }
  }

  /// Empties the memory.
  func removeAllFromMemory() {
    context.images.removeAll()
    context.bodies.removeAll()
    context.decodes.removeAll()
    context.network.partials.trimMemory(toBytes: 0)
  }

  // MARK: - Counting

  /// What the caches hold now.
  ///
  /// The disk cache, the folder of partial bodies and every image table of the folder are asked,
  /// once what is queued for them is written.
  public var usage: PipelineUsage {
    get async {
      var usage = PipelineUsage()
      for statistics in [
        context.images.statistics, context.bodies.statistics, context.decodes.statistics,
      ] {
        usage.memory.count += statistics.count
        usage.memory.bytes += statistics.byteCount
      }
      if let statistics = await context.disk.statistics() {
        usage.disk = .init(count: statistics.count, bytes: statistics.byteCount)
      }
      if let tables = context.tables { usage.tables = await tables.usage() }
      let partial = await context.network.partials.statistics()
      usage.partial = .init(count: partial.count, bytes: partial.byteCount)
      let partialInMemory = context.network.partials.memoryStatistics
      usage.memory.count += partialInMemory.count
      usage.memory.bytes += partialInMemory.byteCount
      return usage
    }
  }
}

/// What the caches of a pipeline hold.
public struct PipelineUsage: Sendable, Hashable {
  /// What one cache holds.
  public struct Stage: Sendable, Hashable {
    /// Images, files or parts of files.
    public var count = 0
    /// Bytes of them, without the cache's own index.
    public var bytes = 0
  }

  /// Styled images, the files and decodes lately used, and what arrived of broken transfers where
  /// no folder holds it; a custom cache counts as empty.
  public var memory = Stage()
  /// The disk cache; a custom one counts as empty.
  public var disk = Stage()
  /// Every image table of the folder.
  public var tables = Stage()
  /// What arrived of broken transfers, in a folder.
  public var partial = Stage()
}
