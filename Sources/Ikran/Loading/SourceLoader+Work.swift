import IkranCodecs
import IkranStores
import IkranTransport

// Reading caches and transferring: the slow actions.

extension SourceLoader {
  /// Looks for a source's bytes in recent memory, then on the disk.
  func readCaches(
    _ reads: CacheStages,
    of key: SourceKey,
    entry: Int,
    for request: ImageRequest,
    _ reading: Subscription
  ) {
    let source = request.sourceKey(stages.options.keys)
    if reads.contains(.memory), let recent = stages.recentBody(of: source, request) {
      return handle(.cachesRead(reads, recent), of: key, entry: entry)
    }
    guard reads.contains(.disk), request.isDownload, !stages.disk.isAbsent else {
      let prefix = reads.contains(.disk) ? stages.storedPrefix(of: source, request) : nil
      return handle(.cachesRead(reads, prefix), of: key, entry: entry)
    }
    stages.disk.read("\(source)", reading, while: isWanted(key, entry)) { [self] stored in
      let event = stages.cachesRead(stored, source, request, reads)
      handle(event, of: key, entry: entry)
    }
  }

  /// Looks for a source's record on the disk.
  func readRecord(
    of key: SourceKey,
    entry: Int,
    for request: ImageRequest,
    _ reading: Subscription
  ) {
    guard request.isDownload, !stages.disk.isAbsent else {
      return handle(.recordRead(nil), of: key, entry: entry)
    }
    let source = request.sourceKey(stages.options.keys)
    let isWanted = isWanted(key, entry)
    stages.disk.readRecord("\(source)", reading, while: isWanted) { [self] response in
      let record = response.flatMap { stages.learn($0, of: source, request) }
      let found = record.flatMap { stages.found($0, nil, request) }
      handle(.recordRead(found), of: key, entry: entry)
    }
  }

  /// Makes a read of a cache that waits its turn as urgent as the request that an event is about.
  func raiseReading(
    for event: SourceLoad.Event,
    of entry: Entry,
    adding work: inout [@Sendable () -> Void]
  ) {
    guard let reading = entry.reading else { return }
    switch event {
    case .subscribe(_, let want, _): work.append { reading.raise(to: want.priority) }
    case .setPriority(_, let priority): work.append { reading.raise(to: priority) }
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
    _ key: SourceKey,
    _ entry: Int,
    _ request: ImageRequest,
    _ transfer: TransferHandle
  ) {
    let source = request.sourceKey(stages.options.keys)
    let work: @Sendable () async -> Void = { [self] in
      let event = await stages.transfer(order, source, request, transfer) { [self] in
        handle(.transferBegan(order.number), of: key, entry: entry)
      }
      if !HTTPMethod.isSafe(request.transfer.method) {
        let location = request.locationKey(stages.options.keys)
        invalidate { $0.locationKey(stages.options.keys) == location && $0.isPlainGet }
      }
      handle(event, of: key, entry: entry)
    }
    if stages.network.isInline {
      transfer.run(Task(executorPreference: InlineExecutor.shared) { await work() })
    } else {
      transfer.run(Task { await work() })
    }
  }
}

extension LoadStages {
  /// The file that memory has of a source, if it is the current one.
  func recentBody(of source: SourceKey, _ request: ImageRequest) -> SourceLoad.Found? {
    guard let recent = bodies.value(for: source) else { return nil }
    let isDownload = request.isDownload
    let record = isDownload ? record(of: source, request) : nil
    if isDownload, record?.body != recent.id { return nil }
    if !isDownload, request.localID != recent.id { return nil }
    let body = Body(
      bytes: recent.bytes,
      source: isDownload ? .memory : request.origin,
      id: recent.id,
      sourceKey: source,
      prefix: recent.prefix
    )
    guard let record else {
      return SourceLoad.Found(body, id: recent.id, validators: nil, validity: .fresh)
    }
    return found(record, body, request)
  }

  /// The beginning of the current file that memory has, from which a transfer goes on.
  private func beginning(of source: SourceKey, _ request: ImageRequest) -> PartialBody? {
    guard request.caching.reads.contains(.memory),
      let body = recentBody(of: source, request)?.body, let prefix = body.prefix
    else { return nil }
    return PartialBody(validator: prefix.validator, total: prefix.total, bytes: body.bytes)
  }

  /// What reading the disk comes to.
  func cachesRead(
    _ entry: DiskCacheEntry?,
    _ source: SourceKey,
    _ request: ImageRequest,
    _ reads: CacheStages
  ) -> SourceLoad.Event {
    guard let entry else { return .cachesRead(reads, storedPrefix(of: source, request)) }
    guard let response = StoredResponse(entry.extended) else {
      // Fields that cannot be read say nothing of the body: the origin has to be asked.
      guard !entry.body.isEmpty, entry.extended.isEmpty else { return .cachesRead(reads, nil) }
      // A cache that keeps no fields: its files are good until it drops them.
      let id = Checksum.wide(entry.body)
      let record = learn(SourceRecord(unlimited: id), of: source, request)
      return .cachesRead(reads, record.flatMap { fromDisk(entry.body, id, $0, source, request) })
    }
    guard let record = learn(response, of: source, request) else {
      return .cachesRead(reads, nil)
    }
    if record.isRedirect { return .storedRedirect(reads) }
    guard !entry.body.isEmpty, let id = response.body else {
      let prefix = storedPrefix(of: source, request)
      return .cachesRead(reads, prefix ?? found(record, nil, request))
    }
    return .cachesRead(reads, fromDisk(entry.body, id, record, source, request))
  }

  /// The beginning of a source's current file, which an earlier transfer has left; it waits for the
  /// disk.
  func storedPrefix(of source: SourceKey, _ request: ImageRequest) -> SourceLoad.Found? {
    guard request.isDownload, let record = record(of: source, request),
      let id = record.body, let response = record.response,
      let count = response.identifiedByteCount,
      let partial = network.partials.storedBody(for: "\(source)"),
      let validator = response.strongValidator, partial.validator.hasSameBytes(as: validator),
      partial.bytes.count >= count,
      StoredResponse.bodyID(ofPrefix: partial.bytes[..<count], validator) == id,
      let scans = codecs.prefix(partial.bytes.span, as: request.format)
    else { return nil }
    counters.record(.readFromDisk(bytes: partial.bytes.count))
    let body = Body(
      bytes: partial.bytes,
      source: .disk,
      id: id,
      sourceKey: source,
      prefix: BodyPrefix(jpeg: scans, validator: validator, total: partial.total)
    )
    return found(record, body, request)
  }

  private func fromDisk(
    _ bytes: [UInt8],
    _ id: BodyID,
    _ record: SourceRecord,
    _ source: SourceKey,
    _ request: ImageRequest
  ) -> SourceLoad.Found? {
    // Older than what is known: another process, or this one's next write, has replaced it.
    guard record.body == id else { return found(record, nil, request) }
    counters.record(.readFromDisk(bytes: bytes.count))
    let body = Body(bytes: bytes, source: .disk, id: id, sourceKey: source)
    if request.caching.stores.contains(.memory) {
      bodies.store(RecentBody(bytes: bytes, id: id), cost: bytes.count, for: source)
    }
    return found(record, body, request)
  }

  /// Takes note of a response that the disk has; nil when it was chosen for other fields.
  func learn(
    _ response: StoredResponse,
    of source: SourceKey,
    _ request: ImageRequest
  ) -> SourceRecord? {
    learn(record(by: response), of: source, request)
  }

  private func learn(
    _ record: SourceRecord,
    of source: SourceKey,
    _ request: ImageRequest
  ) -> SourceRecord? {
    _ = records.learn(record, of: source, at: request.locationKey(options.keys))
    return self.record(of: source, request)
  }
}

// MARK: - Transfers

extension LoadStages {
  /// Transfers a source; what it comes to.
  func transfer(
    _ order: SourceLoad.TransferOrder,
    _ source: SourceKey,
    _ request: ImageRequest,
    _ transfer: TransferHandle,
    _ begin: @escaping @Sendable () -> Void
  ) async -> SourceLoad.Event {
    do throws(ImageError) {
      guard case .url(let url) = request.source else {
        return .received(order.number, try request.inlineBody(source))
      }
      guard request.isDownload else {
        return .received(order.number, try await local(url, source, request, transfer))
      }
      return try await download(url, order, source, request, transfer, begin)
    } catch {
      transfer.animations?.end(isWhole: false)
      return .failed(order.number, error)
    }
  }

  /// Reads a local file, or the body in a `data:` URL.
  private func local(
    _ url: String,
    _ source: SourceKey,
    _ request: ImageRequest,
    _ transfer: TransferHandle
  ) async throws(ImageError) -> Body {
    let limit = min(options.network.maximumBodyBytes, options.decoding.limits.maximumBytes)
    // Before it is read: a file that changes during the read is read again by the next request.
    let id = request.localID
    do throws(TransportError) {
      let response = try await transport.fetch(
        TransportRequest(url: url, maximumBodyBytes: limit)
      ) { transfer.note($0) }
      return Body(bytes: response.body, source: request.origin, id: id, sourceKey: source)
    } catch .cancelled {
      throw .cancelled
    } catch {
      throw .transport(error, url: request.displayName)
    }
  }

  private func download(
    _ url: String,
    _ order: SourceLoad.TransferOrder,
    _ source: SourceKey,
    _ request: ImageRequest,
    _ transfer: TransferHandle,
    _ begin: @escaping @Sendable () -> Void
  ) async throws(ImageError) -> SourceLoad.Event {
    let download = NetworkStage.Download(
      request: request,
      source: source,
      url: url,
      kept: order.validators,
      beginning: order.isReload ? nil : beginning(of: source, request),
      mayRetry: order.mayRetry,
      ignoresFailures: order.isReload,
      timeout: order.timeout,
      onBegin: { [records] in
        transfer.noteSent(as: records.nextNumber())
        begin()
      }
    )
    let isSafe = HTTPMethod.isSafe(request.transfer.method)
    let start = clock.now()
    let (reply, room): (NetworkStage.Reply, Backlog.Reservation?)
    do throws(ImageError) {
      (reply, room) = try await network.fetch(download, transfer)
    } catch {
      if !isSafe, error.isAfterSuccess { invalidateGet(of: request) }
      if isSafe, error.isGone { invalidate(source, transfer.number) }
      throw error
    }
    if !isSafe { invalidateGet(of: request) }
    switch reply {
    case .redirected(let redirect): return .redirected(order.number, redirect)
    case .notModified(let response):
      let found = confirm(response, of: source, request, transfer.number)
      return found.map { .notModified(order.number, $0) } ?? .forgotten(order.number)
    case .body(let bytes, let response, let mayStore, let prefix):
      let duration = Duration.microseconds(clock.now() - start)
      counters.record(.downloaded(bytes: bytes.count, duration: duration))
      var body = Body(bytes: bytes, source: .network, id: nil, sourceKey: source)
      body.arrival = Body.Arrival(
        response: response,
        request: request,
        wasConditional: order.validators != nil,
        transfer: transfer,
        room: room
      )
      (body.mayStore, body.prefix) = (mayStore, prefix)
      return .received(order.number, body)
    }
  }

  /// Takes note of a 304; nil when what it confirms must not be kept, or has been replaced.
  private func confirm(
    _ response: StoredResponse,
    of source: SourceKey,
    _ request: ImageRequest,
    _ number: Int
  ) -> SourceLoad.Found? {
    let mayStore = network.expiry(of: request) == .never || response.mayStore(method: "GET")
    guard mayStore else {
      invalidate(source, number)
      return nil
    }
    counters.record(.confirmed)
    var found = SourceLoad.Found(
      nil,
      id: response.body ?? source.id,
      validators: nil,
      validity: .fresh
    )
    if !request.caching.stores.isEmpty {
      var confirmed = record(by: response)
      confirmed.number = number
      guard records.set(confirmed, of: source, isConfirmation: true) else { return nil }
      disk.extend(response, for: "\(source)")
      found.validators = response
    }
    return found
  }

  /// Invalidates the GET responses of a URL that an unsafe method has succeeded on (RFC 9111,
  /// section 4.4).
  private func invalidateGet(of request: ImageRequest) {
    records.invalidate(location: request.locationKey(options.keys), at: clock.now())
    var read = request
    (read.transfer.method, read.transfer.body) = ("GET", nil)
    var sources = [read.sourceKey(options.keys)]
    read.transfer.headers = []
    sources.append(read.sourceKey(options.keys))
    for source in Set(sources) { invalidate(source) }
    // Of any variant; to ask once too often for another source does no harm.
    network.failures.removeAll()
  }
}
