import FoundationEssentials
import IkranCodecs
import IkranStores
import IkranTransport

/// What loading needs: the caches, the network and the threads of one pipeline.
struct LoadStages: Sendable {
  let options: PipelineOptions
  let codecs: CodecList
  let counters: PipelineCounters
  let clock: PipelineClock
  let transport: any Transport
  /// Styled images, the first stage and the second.
  let images: ImageMemory
  let tables: TableStage?
  let disk: DiskStage
  /// Files and decodes lately used, so that a second style needs no second download or decode.
  let bodies: MemoryCache<SourceKey, RecentBody>
  let decodes: MemoryCache<DecodeKey, DecodedImage>
  let records: SourceRecords
  let network: NetworkStage
  let computing: ThreadPool

  /// How far what a record names may be used now.
  func validity(of record: SourceRecord, _ request: ImageRequest) -> SourceLoad.Validity? {
    let now = clock.now()
    switch network.expiry(of: request) {
    case .never: return .fresh
    case .fromResponse: return record.validity(at: now)
    case .after(let duration):
      let (age, isTooLarge) = now.subtractingReportingOverflow(record.received)
      if !isTooLarge, .microseconds(age) < duration { return .fresh }
      guard case .stale(let usableOnError)? = record.validity(at: now) else {
        return .stale(usableOnError: true)
      }
      return .stale(usableOnError: usableOnError)
    }
  }

  /// What is known of a request's source, by a `pread` at most.
  func record(of source: SourceKey, _ request: ImageRequest) -> SourceRecord? {
    guard let record = records.record(of: source, at: request.locationKey(options.keys)) else {
      return nil
    }
    // Chosen for other fields than this request's: what it names is not for this one (RFC 9111,
    // section 4.1).
    if let response = record.response, !response.varying.isEmpty,
      !response.matches(request.transfer.headers)
    {
      return .none(since: clock.now())
    }
    return record
  }

  /// What the rules need of a record.
  func found(
    _ record: SourceRecord,
    _ body: Body? = nil,
    _ request: ImageRequest
  ) -> SourceLoad.Found? {
    guard let id = record.body else { return nil }
    let hasValidators = record.response?.conditions.isEmpty == false
    return SourceLoad.Found(
      body,
      id: id,
      validators: hasValidators ? record.response : nil,
      validity: validity(of: record, request) ?? .stale(usableOnError: false)
    )
  }

  /// Forgets a source: nothing that was made from its earlier bytes is shown any more.
  func invalidate(_ source: SourceKey) {
    records.set(.none(since: clock.now()), of: source)
    bodies.remove(source)
    disk.remove("\(source)")
  }
}

/// A file in memory.
struct RecentBody: Sendable {
  let bytes: [UInt8]
  let id: BodyID
}
