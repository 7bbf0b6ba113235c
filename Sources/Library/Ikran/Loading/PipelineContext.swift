import IkranFoundation
import IkranCodecs
import IkranIsolation
import IkranStores
import IkranTransport

/// What loading needs: the caches, the network and the threads of one pipeline.
final class PipelineContext: Sendable {
  let options: PipelineOptions
  let codecs: CodecList
  let counters: PipelineCounters
  let clock: PipelineClock
  let transport: any Transport
  /// A transport that adds fields to requests, which `Vary` may name.
  private let addingTransport: (any IdentifyingTransport)?
  /// Styled images.
  let images: ImageMemory
  let tables: TableStage?
  let disk: DiskStage
  /// Files and decodes lately used, so that a second style needs no second download or decode.
  let bodies: MemoryCache<SourceKey, RecentBody>
  let decodes: MemoryCache<DecodeKey, DecodedImage>
  let records: SourceRecords
  /// The key of digests that stand for secrets on the disk.
  let secret: FolderSecret
  let network: NetworkStage
  let computing: ThreadPool

  /// The most bytes that wait for the decoder or to be written while downloads go on: a quarter of
  /// what memory may hold, within bounds.
  private static func backlogByteLimit(_ options: MemoryOptions) -> Int {
    min(64 << 20, max(8 << 20, options.byteLimit / 4))
  }

  init(
    _ options: PipelineOptions,
    transport: any Transport,
    codecs: CodecList,
    memoryCache: (any MemoryCaching<StyledKey, CachedImage>)?,
    diskCache: (any DataCaching)?,
    onEvent: (@Sendable (PipelineEvent) -> Void)?,
    clock: PipelineClock
  ) {
    let counters = PipelineCounters(onEvent: onEvent)
    let usable = options.withProtectedFolders { counters.count(.diskFailed("\($0)")) }
    let tableDirectory = usable.tables?.directory(nextTo: usable.disk)
    let secret = FolderSecret(folder: usable.disk?.directory ?? tableDirectory)
    let options = usable.withDividedLimit(secret)
    (self.options, self.secret) = (options, secret)
    self.transport = transport
    let identifying = transport.identifying
    addingTransport = identifying?.addsFields == true ? identifying : nil
    self.codecs = codecs.isolated(options.decoding.isolation)
    self.clock = clock
    self.counters = counters
    let context = StageContext(
      counters: counters,
      backlog: Backlog(limit: Self.backlogByteLimit(options.memory)),
      secret: secret,
      clock: clock
    )
    tables = options.tables.flatMap { tables in
      let showsFirstFrames = !options.decoding.animates
      return tableDirectory.map {
        TableStage($0, options: tables, showsFirstFrames: showsFirstFrames, in: context)
      }
    }
    disk = DiskStage(options.disk, cache: diskCache, in: context)
    records = Self.records(options, tables, hasOwnDisk: diskCache != nil)
    images = ImageMemory(options.memory, cache: memoryCache)
    bodies = MemoryCache(byteLimit: options.memory.fileByteLimit, isContended: false)
    decodes = MemoryCache(byteLimit: options.memory.byteLimit / 8, isContended: false)
    network = NetworkStage(options, transport: transport, in: context)
    computing = ThreadPool(
      name: "ikran-decode",
      threads: options.decoding.maximumConcurrent ?? ProcessInfo.processInfo.activeProcessorCount
    )
  }

  /// The records, with the file that tells later processes which of the tables' images are current,
  /// and what was invalidated.
  ///
  /// Without tables every record is read with its file; of what is encrypted no record is left in
  /// clear.
  private static func records(
    _ options: PipelineOptions,
    _ tables: TableStage?,
    hasOwnDisk: Bool
  ) -> SourceRecords {
    let disk = hasOwnDisk ? nil : options.disk?.directory
    let file = (disk ?? tables?.directory).map { FreshnessFile($0 + "/freshness") }
    let isInClear = tables != nil && !hasOwnDisk && options.disk?.encryptionKey == nil
    return SourceRecords(file, writesRecords: isInClear)
  }

  /// The source that a request visits first.
  func source(of request: ImageRequest) -> SourceRequest { SourceRequest(request, options.keys) }

  /// How far what a record names may be used now.
  func validity(
    of record: SourceRecord,
    for source: SourceRequest
  ) -> SourceLoad.Validity? {
    validity(of: record, expiry: network.expiry(of: source.request))
  }

  /// How far it may be used by how long a request wants it used without asking.
  func validity(
    of record: SourceRecord,
    expiry: ResponseOptions.Expiry
  ) -> SourceLoad.Validity? {
    let now = clock.now()
    return .decided(by: expiry, response: record.validity(at: now), age: record.age(at: now))
  }

  /// What is known of a source, by a `pread` at most; nil for one that is no download.
  func record(of source: SourceRequest) -> SourceRecord? {
    record(of: source.key, at: source.location, for: source.request)
  }

  /// Looks it up for a request and its source's key; the request is not copied for that.
  func record(of key: SourceKey, for request: ImageRequest) -> SourceRecord? {
    record(of: key, at: request.locationKey(options.keys), for: request)
  }

  private func record(
    of key: SourceKey,
    at location: SourceKey,
    for request: ImageRequest
  ) -> SourceRecord? {
    guard request.isDownload, let record = records.record(of: key, at: location) else {
      return nil
    }
    // Chosen for other fields than this request's: what it names is not for this one (RFC 9111,
    // section 4.1).
    if let response = record.response, !response.varying.isEmpty,
      !response.matches(sentFields(of: request), secret)
    {
      return .none(since: clock.now())
    }
    return record
  }

  /// The fields that a request is sent with, those included that the transport adds.
  private func sentFields(of request: ImageRequest) -> [HeaderField] {
    request.transfer.headers + addedFields(to: request)
  }

  private func addedFields(to request: ImageRequest) -> [HeaderField] {
    guard let addingTransport, case .url(let url) = request.source else { return [] }
    return addingTransport.addedFields(to: url)
  }

  /// Names what may share a transfer: one that was sent without a cookie is not for a request that
  /// has it, and one that the system refuses is not for a request made for low data.
  func coalescingKey(of source: SourceRequest) -> SourceKey {
    let (key, added) = (source.failureKey, addedFields(to: source.request))
    let isForLowData = source.request.isForLowData
    guard !added.isEmpty || isForLowData else { return key }
    let mark = isForLowData ? "\u{0}for low data" : ""
    return SourceKey("\(key)\(mark)" + added.map { "\u{0}\($0.name):\($0.value)" }.joined())
  }

  /// What a response of a source's origin makes known, at this moment.
  func record(by response: StoredResponse) -> SourceRecord {
    let lifetime = options.network.responses.assumedLifetime(of: response)
    return SourceRecord(response, at: clock.now(), assuming: lifetime)
  }

  /// What the rules need of a record.
  func knownSource(_ record: SourceRecord, body: Body? = nil) -> SourceLoad.KnownSource? {
    guard let id = record.body else { return nil }
    // What must not be stored is transferred again for those who ask.
    let hasValidators = record.response?.hasConditions == true && !record.isNoStore
    let now = clock.now()
    return SourceLoad.KnownSource(
      body,
      id: id,
      validators: hasValidators ? record.response : nil,
      validity: record.validity(at: now),
      age: record.age(at: now)
    )
  }

  /// Forgets a source: nothing that was made from its earlier bytes is shown any more.
  ///
  /// Loads under way are not told; ``SourceLoader/invalidate(as:_:)`` does that.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - change: The transfer's whose response says so; nil for one of its own.
  func invalidate(_ source: SourceKey, as change: ChangeNumber? = nil) {
    var record = SourceRecord.none(since: clock.now())
    record.change = change ?? records.nextChange()
    guard records.set(record, of: source) else { return }
    removeOutdatedBody(of: source)
    // What is stored until then is newer.
    disk.remove("\(source)") { [records, change = record.change] in
      records.isLast(change, of: source)
    }
  }

  /// Removes a source's file from memory, unless it is the current one by now.
  func removeOutdatedBody(of source: SourceKey) {
    guard let id = bodies.value(for: source)?.id, !records.isCurrent(id, of: source) else { return }
    bodies.remove(source) { $0.id == id }
  }
}
