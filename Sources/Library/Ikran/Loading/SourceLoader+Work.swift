import IkranCodecs
import IkranStores
import IkranTransport

// Reading caches and transferring: the slow actions.

extension SourceLoader {
  /// Looks for a source's bytes in recent memory, then on the disk.
  func readCaches(
    _ reads: CacheStages,
    of source: SourceRequest,
    at entryID: EntryID,
    _ reading: Subscription
  ) {
    if reads.contains(.memory), let recent = context.recentBody(of: source) {
      return handle(.cachesRead(reads, recent), at: entryID)
    }
    guard reads.contains(.disk), source.isDownload, !context.disk.isAbsent else {
      let prefix = reads.contains(.disk) ? context.storedPrefix(of: source) : nil
      return handle(.cachesRead(reads, prefix), at: entryID)
    }
    context.disk.read("\(source.key)", for: reading, while: isWanted(entryID)) { [self] stored in
      let event = context.cachesRead(stored, of: source, reads)
      handle(event, at: entryID)
    }
  }

  /// Looks for a source's record on the disk.
  func readRecord(
    of source: SourceRequest,
    at entryID: EntryID,
    _ reading: Subscription
  ) {
    guard source.isDownload, !context.disk.isAbsent else {
      return handle(.recordRead(nil), at: entryID)
    }
    context.disk.readRecord("\(source.key)", for: reading, while: isWanted(entryID)) {
      [self] response in
      let record = response.flatMap { context.learn($0, of: source) }
      let found = record.flatMap { context.found($0, of: source) }
      handle(.recordRead(found), at: entryID)
    }
  }

  /// Makes a read of a cache that waits its turn as urgent as the request that an event is about.
  func raiseReading(
    for event: SourceLoad.Event,
    of entry: Entry,
    adding work: inout [SourceWork]
  ) {
    guard let reading = entry.reading else { return }
    switch event {
    case .subscribe(_, let want, _): work.append(.raise(reading, to: want.priority))
    case .setPriority(_, let priority): work.append(.raise(reading, to: priority))
    default: break
    }
  }

  /// Notes a read of a cache, as urgent as the most urgent request that waits.
  func startReading(_ entry: inout Entry) -> Subscription {
    let priority = entry.waiters.values.map(\.subscription.priority).max() ?? .normal
    let reading = Subscription(priority)
    entry.reading = reading
    return reading
  }

  /// Starts a transfer.
  func start(
    _ order: SourceLoad.TransferOrder,
    of source: SourceRequest,
    at entryID: EntryID,
    _ transfer: RunningTransfer
  ) {
    let work: @Sendable () async -> Void = { [self] in
      let event = await context.transfer(order, of: source, transfer) { [self] in
        handle(.transferBegan(order.number), at: entryID)
      }
      if !HTTPMethod.isSafe(source.request.transfer.method) {
        invalidate { $0.location == source.location && $0.request.isPlainGet }
      }
      handle(event, at: entryID)
    }
    // A storage may block its thread, which is not to be a caller's.
    if context.network.isInline, source.storage == nil {
      transfer.run(Task(executorPreference: InlineExecutor.shared) { await work() })
    } else {
      transfer.run(Task { await work() })
    }
  }
}

extension PipelineContext {
  /// The file that memory has of a source, if it is the current one.
  func recentBody(of source: SourceRequest) -> SourceLoad.KnownSource? {
    guard let recent = bodies.value(for: source.key) else { return nil }
    let isDownload = source.isDownload
    let record = isDownload ? record(of: source) : nil
    if isDownload, record?.body != recent.id { return nil }
    if !isDownload, source.request.localID != recent.id { return nil }
    let body = Body(
      bytes: recent.bytes,
      source: isDownload ? .memory : source.request.origin,
      id: recent.id,
      sourceKey: source.key,
      prefix: recent.prefix
    )
    guard let record else {
      return SourceLoad.KnownSource(body, id: recent.id, validators: nil, validity: .fresh)
    }
    return found(record, of: source, body: body)
  }

  /// The beginning of the current file that memory has, from which a transfer goes on.
  private func beginning(of source: SourceRequest) -> PartialBody? {
    guard source.request.caching.reads.contains(.memory),
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
      return .cachesRead(reads, storedPrefix(of: source) ?? found(record, of: source))
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
    counters.record(.readFromDisk(bytes: partial.bytes.count))
    let body = Body(
      bytes: partial.bytes,
      source: .disk,
      id: id,
      sourceKey: source.key,
      prefix: BodyPrefix(jpeg: scans, validator: validator, total: partial.total)
    )
    return found(record, of: source, body: body)
  }

  private func fromDisk(
    _ bytes: [UInt8],
    id: BodyID,
    _ record: SourceRecord,
    of source: SourceRequest
  ) -> SourceLoad.KnownSource? {
    // Older than what is known: another process, or this one's next write, has replaced it.
    guard record.body == id else { return found(record, of: source) }
    counters.record(.readFromDisk(bytes: bytes.count))
    // Memory gets it when it is rendered.
    let body = Body(bytes: bytes, source: .disk, id: id, sourceKey: source.key)
    return found(record, of: source, body: body)
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

// MARK: - Transfers

extension PipelineContext {
  /// Transfers a source; what it comes to.
  func transfer(
    _ order: SourceLoad.TransferOrder,
    of source: SourceRequest,
    _ transfer: RunningTransfer,
    onBegin: @escaping @Sendable () -> Void
  ) async -> SourceLoad.Event {
    do throws(ImageError) {
      if let storage = source.storage {
        guard let bytes = await storage() else { throw .offline(url: source.displayName) }
        let id = Checksum.wide(bytes)
        var body = Body(bytes: bytes, source: .avatar, id: id, sourceKey: source.key)
        body.mayStore = !records.wereEmptied(since: transfer.change)
        return .received(order.number, body)
      }
      guard let url = source.url else {
        return .received(order.number, try source.request.inlineBody(source.key))
      }
      guard source.isDownload else {
        return .received(order.number, try await local(url, of: source, transfer))
      }
      return try await download(order, from: url, of: source, transfer, onBegin: onBegin)
    } catch {
      transfer.animations?.end(isWhole: false)
      return .failed(order.number, error)
    }
  }

  /// Reads a local file, or the body in a `data:` URL.
  private func local(
    _ url: String,
    of source: SourceRequest,
    _ transfer: RunningTransfer
  ) async throws(ImageError) -> Body {
    let limit = min(options.network.maximumBodyBytes, options.decoding.limits.maximumBytes)
    // Before it is read: a file that changes during the read is read again by the next request.
    let (id, kind) = (source.request.localID, source.request.origin)
    do throws(TransportError) {
      let response = try await transport.fetch(
        TransportRequest(url: url, maximumBodyBytes: limit)
      ) { transfer.update(progress: $0) }
      return Body(bytes: response.body, source: kind, id: id, sourceKey: source.key)
    } catch .cancelled {
      throw .cancelled
    } catch {
      throw .transport(error, url: source.displayName)
    }
  }

  private func download(
    _ order: SourceLoad.TransferOrder,
    from url: String,
    of source: SourceRequest,
    _ transfer: RunningTransfer,
    onBegin: @escaping @Sendable () -> Void
  ) async throws(ImageError) -> SourceLoad.Event {
    var download = NetworkStage.Download(source: source, url: url, timeout: order.timeout)
    (download.kept, download.mayRetry) = (order.validators, order.mayRetry)
    download.ignoresFailures = order.isReload
    if !order.isReload { download.beginning = beginning(of: source) }
    download.onBegin = { [records] in
      transfer.noteSent(as: records.nextChange())
      onBegin()
    }
    let isSafe = HTTPMethod.isSafe(source.request.transfer.method)
    let start = clock.now()
    let (reply, room): (NetworkStage.Reply, Backlog.Reservation?)
    do throws(ImageError) {
      (reply, room) = try await network.fetch(download, transfer)
    } catch {
      if !isSafe, error.isAfterSuccess { invalidateGet(of: source) }
      if isSafe, error.isGone { invalidate(source.key, as: transfer.change) }
      throw error
    }
    if !isSafe { invalidateGet(of: source) }
    switch reply {
    case .redirected(let redirect): return .redirected(order.number, redirect)
    case .notModified(let response):
      let found = confirm(response, of: source, as: transfer.change)
      return found.map { .notModified(order.number, $0) } ?? .forgotten(order.number)
    case .body(let bytes, let response, let mayStore, let prefix):
      let duration = Duration.microseconds(clock.now() - start)
      counters.record(.downloaded(bytes: bytes.count, duration: duration))
      var body = Body(bytes: bytes, source: .network, id: nil, sourceKey: source.key)
      body.arrival = Body.Arrival(
        response: response,
        origin: source,
        wasConditional: order.validators != nil,
        transfer: transfer,
        room: room
      )
      (body.mayStore, body.prefix) = (mayStore, prefix)
      return .received(order.number, body)
    }
  }

  /// Takes note of a 304; nil when what it confirms must not be kept, or has been replaced.
  ///
  /// It changes the source's record alone: files and images stay as they are.
  private func confirm(
    _ response: StoredResponse,
    of source: SourceRequest,
    as change: ChangeNumber
  ) -> SourceLoad.KnownSource? {
    let mayStore = network.expiry(of: source.request) == .never || response.mayStore(method: "GET")
    guard mayStore else {
      invalidate(source.key, as: change)
      return nil
    }
    counters.record(.confirmed)
    var found = SourceLoad.KnownSource(
      nil,
      id: response.body ?? source.key.id,
      validators: nil,
      validity: .fresh
    )
    if !source.request.caching.stores.isEmpty {
      var confirmed = record(by: response)
      confirmed.change = change
      guard records.set(confirmed, of: source.key, isConfirmation: true) else { return nil }
      disk.extend(response, for: "\(source.key)")
      found.validators = response
    }
    return found
  }

  /// Invalidates the GET responses of a URL that an unsafe method has succeeded on (RFC 9111,
  /// section 4.4).
  private func invalidateGet(of source: SourceRequest) {
    records.invalidate(location: source.location, at: clock.now())
    var read = source.request
    (read.transfer.method, read.transfer.body) = ("GET", nil)
    var plain = read
    plain.transfer.headers = []
    for key in Set([read, plain].map { self.source(of: $0).key }) { invalidate(key) }
    // Clears all sources: an extra request is harmless.
    network.failures.removeAll()
  }
}
