import IkranCodecs
import IkranPixels
import IkranStores
import IkranTransport

extension PipelineContext {
  /// The file that memory has of a source, if it is the current one.
  func recentBody(of source: SourceRequest) -> SourceLoad.KnownSource? {
    guard let recent = bodies.value(for: source.key) else { return nil }
    let isDownload = source.isDownload
    let record = isDownload ? record(of: source) : nil
    if isDownload, record?.body != recent.id { return nil }
    if !isDownload, source.localID != recent.id { return nil }
    var body = Body(
      bytes: recent.bytes,
      source: isDownload ? .memory : source.request.origin,
      id: recent.id,
      sourceKey: source.key,
      prefix: recent.prefix
    )
    if record?.isNoStore == true { body.storing = .onlyWithoutRevalidation }
    guard let record else {
      return SourceLoad.KnownSource(body, id: recent.id, validators: nil, validity: .fresh)
    }
    return knownSource(record, body: body)
  }

  /// The beginning of the current file that memory has, from which a transfer goes on.
  func beginning(of source: SourceRequest, for transfer: RunningTransfer) -> PartialBody? {
    guard transfer.reads.contains(.memory),
      let body = recentBody(of: source)?.body, let prefix = body.prefix
    else { return nil }
    return PartialBody(validator: prefix.validator, total: prefix.total, bytes: body.bytes)
  }

  /// What reading the disk comes to.
  func cachesRead(
    _ entry: DiskCacheEntry?,
    of source: SourceRequest,
    _ reads: CacheStages
  ) -> SourceLoad.Event {
    guard let entry else { return .cachesRead(reads, storedPrefix(of: source)) }
    guard let response = StoredResponse(entry.extended) else {
      // Fields that cannot be read say nothing of the body: the origin has to be asked.
      guard !entry.body.isEmpty, entry.extended.isEmpty else { return .cachesRead(reads, nil) }
      // A cache that keeps no fields: its files are good until it drops them.
      let id = Checksum.wide(entry.body)
      let record = learn(SourceRecord(unlimited: id), of: source)
      return .cachesRead(reads, record.flatMap { fromDisk(entry.body, id: id, $0, of: source) })
    }
    guard let record = learn(response, of: source) else { return .cachesRead(reads, nil) }
    if record.isRedirect { return .storedRedirect(reads) }
    guard !entry.body.isEmpty, let id = response.body else {
      return .cachesRead(reads, storedPrefix(of: source) ?? knownSource(record))
    }
    return .cachesRead(reads, fromDisk(entry.body, id: id, record, of: source))
  }

  /// The beginning of a source's current file, which an earlier transfer has left; it waits for the
  /// disk.
  func storedPrefix(of source: SourceRequest) -> SourceLoad.KnownSource? {
    guard source.isDownload, let record = record(of: source),
      let id = record.body, let response = record.response,
      let count = response.identifiedByteCount,
      let partial = network.partials.storedBody(for: "\(source.key)"),
      let validator = response.strongValidator, partial.validator.hasSameBytes(as: validator),
      partial.bytes.count >= count,
      StoredResponse.bodyID(ofPrefix: partial.bytes[..<count], validator: validator) == id,
      let scans = codecs.prefix(partial.bytes.span, as: source.request.format)
    else { return nil }
    counters.count(.readFromDisk(bytes: partial.bytes.count))
    var body = Body(
      bytes: partial.bytes,
      source: .disk,
      id: id,
      sourceKey: source.key,
      prefix: BodyPrefix(jpeg: scans, validator: validator, total: partial.total)
    )
    if record.isNoStore { body.storing = .onlyWithoutRevalidation }
    return knownSource(record, body: body)
  }

  private func fromDisk(
    _ bytes: [UInt8],
    id: BodyID,
    _ record: SourceRecord,
    of source: SourceRequest
  ) -> SourceLoad.KnownSource? {
    // Older than what is known: another process, or this one's next write, has replaced it.
    guard record.body == id else { return knownSource(record) }
    counters.count(.readFromDisk(bytes: bytes.count))
    // Memory gets it when it is rendered.
    var body = Body(bytes: bytes, source: .disk, id: id, sourceKey: source.key)
    if record.isNoStore { body.storing = .onlyWithoutRevalidation }
    return knownSource(record, body: body)
  }

  /// Takes note of a response that the disk has; nil when it was chosen for other fields.
  func learn(_ response: StoredResponse, of source: SourceRequest) -> SourceRecord? {
    learn(record(by: response), of: source)
  }

  private func learn(_ record: SourceRecord, of source: SourceRequest) -> SourceRecord? {
    _ = records.learn(record, of: source.key, at: source.location)
    return self.record(of: source)
  }
}

// MARK: - Stores, after the callers have been served

extension PipelineContext {
  /// What the disk keeps of what a request downloads.
  func contents(of request: ImageRequest) -> DiskOptions.Contents {
    request.caching.contents ?? options.disk?.contents ?? .originals
  }

  /// Whether tables keep what is made of a request's file.
  func mayBeInTables(_ request: ImageRequest) -> Bool {
    request.isDownload || request.origin == .file && options.tables?.keepsLocalFiles == true
  }

  /// The version under which tables have what was made of a local file, by a `stat`; nil of other
  /// sources, where they keep none, and when there is no such file.
  func tableVersion(ofLocal request: ImageRequest, _ source: SourceKey) -> BodyID? {
    guard request.origin == .file, options.tables?.keepsLocalFiles == true else { return nil }
    let version = request.localID(under: source)
    return version == source.id ? nil : version
  }

  /// Stores the styled image of a download in its table, else on the disk; of a local file in its
  /// table alone.
  ///
  /// - Parameters:
  ///   - image: The image; one of unknown bytes is not stored.
  ///   - renderTarget: What was drawn.
  ///   - isForTables: Whether its table may have it.
  ///   - contents: What the disk keeps; nil for nothing.
  ///   - isCurrent: Whether it was not removed, or replaced, when its turn comes.
  func persist(
    _ image: CachedImage,
    as renderTarget: SourceLoad.RenderTarget,
    inTables isForTables: Bool,
    onDisk contents: DiskOptions.Contents?,
    if isCurrent: @escaping @Sendable () -> Bool
  ) {
    guard let id = image.body else { return }
    let isStill = image.frames == 1
    // Its key is that of the picture in full.
    guard !image.isScaledDown else { return }
    let mayStand = isStill || !options.decoding.animates || renderTarget.key.isOfFirstPicture
    guard mayStand else { return }
    // A table has pixels only.
    if let tables, image.image.profile == nil, isForTables,
      renderTarget.fitting.fixedSize == image.image.size,
      tables.store(
        image.image,
        for: renderTarget.key,
        version: isStill ? id : id.ofFirstFrame,
        if: isCurrent
      )
    {
      return
    }
    guard isStill, let contents, contents.includesImage(in: renderTarget.key.style) else { return }
    let (bitmap, mark) = (image.image, Self.mark(of: id))
    disk.store(mark, for: name(of: renderTarget.key, as: contents), cost: bitmap.byteCount) {
      isCurrent() ? try contents.encoded(bitmap) : nil
    }
  }

  /// Puts something into memory, unless caches were emptied since a change, and takes it out again
  /// where they were in between.
  func keep(since change: ChangeNumber, _ store: () -> Void, orRemove remove: () -> Void) {
    guard !records.wereEmptied(since: change) else { return }
    store()
    if records.wereEmptied(since: change) { remove() }
  }

  /// The key of a styled image on the disk; one that a request wants encoded otherwise than the
  /// pipeline does is apart.
  func name(of key: StyledKey, as contents: DiskOptions.Contents) -> String {
    let encoding = contents.encoding
    let isOwn = encoding != (options.disk?.contents ?? .originals).encoding
    return "styled \(key.id)" + (isOwn ? " \(encoding)" : "")
  }

  /// The mark of a styled image on the disk: the id of the bytes that it was made from.
  static func mark(of id: BodyID) -> [UInt8] { Array("ikran-styled 2 \(id)".utf8) }

  /// Removes an undecodable body from the caches that it came from, unless they have others by now.
  func forget(_ body: Body, named id: BodyID, _ error: ImageError) {
    // Out of memory, or its decoder has ended, perhaps for another reason: it may be valid.
    switch error {
    case .decode(.bitmap, _, _), .decode(.isolated, _, _): return
    default: break
    }
    switch body.source {
    case .memory, .disk, .network:
      bodies.remove(body.sourceKey) { $0.id == id }
      disk.remove("\(body.sourceKey)", damaged: id)
    case .file: bodies.remove(body.sourceKey) { $0.id == id }
    case .table, .avatar, .data, .hook: break
    }
  }

  /// Remembers that what a source brought is no image.
  ///
  /// A page in its place is not remembered: a log-in page of the network is gone a moment later.
  func noteFailure(_ error: ImageError, of body: Body) {
    guard let arrival = body.arrival else { return }
    network.failures.remember(
      error,
      for: arrival.sentFor.failureKey,
      at: clock.now(),
      byDefault: codecs.mayBeImage(body.bytes.span) && !arrival.response.cacheControl.noStore
    )
  }
}
