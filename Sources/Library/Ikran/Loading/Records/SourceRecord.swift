import IkranStores

// Decision 33: images are valid by content.
/// The knowledge of a source: which bytes are current, and until when that may be taken for
/// granted.
struct SourceRecord: Sendable {
  /// The id of the current bytes; nil for a redirect, and for a source that has none any more.
  var body: BodyID?
  /// Its origin's response; nil when that is not known here.
  var response: StoredResponse?
  /// Whether the response must not be stored: only requests that never ask use it unasked.
  let isNoStore: Bool
  /// When it may be used without asking, in microseconds since 1970.
  var fresh: Range<Int64>

  /// Orders it among what this process has learned.
  var change = ChangeNumber.none

  /// Whether the origin has brought or confirmed them while the process ran.
  var isOfThisProcess: Bool { change > .none && body != nil }

  /// When the origin last said so, in microseconds since 1970.
  var received: Int64 { response?.received ?? fresh.lowerBound }

  /// When it was asked for that.
  var requested: Int64 { response?.requested ?? fresh.lowerBound }

  /// Whether the bytes were chosen for fields that the source's key leaves out: only the whole
  /// response then says for which requests.
  var variesWithCredentials: Bool {
    response?.varying.contains { $0.isCredential || $0.isForCaches } == true
  }

  /// A record of what the origin said.
  ///
  /// - Parameters:
  ///   - response: What the origin said.
  ///   - now: Microseconds since 1970.
  ///   - lifetime: How long it is fresh at least, from its arrival.
  init(_ response: StoredResponse, at now: Int64, assuming lifetime: Duration = .zero) {
    (body, self.response) = (response.body, response)
    // A redirect is stored where nothing says that it may be, too (decision 32).
    isNoStore =
      response.redirectTarget == nil
      ? !response.mayStore(method: "GET") : response.cacheControl.noStore
    var until = response.requested
    if case .fresh(let end) = Freshness(of: response, at: now), !isNoStore { until = end }
    if lifetime > .zero, !isNoStore {
      let (end, isTooLate) = response.received.addingReportingOverflow(lifetime.microseconds)
      until = max(until, isTooLate ? .max : end)
    }
    fresh = min(response.requested, until)..<until
  }

  /// A record of bytes from a cache that says nothing of their age: good until it drops them.
  init(unlimited body: BodyID) {
    (self.body, response, isNoStore) = (body, nil, false)
    fresh = .min..<(.max)
  }

  /// A record that an earlier process left in the freshness file.
  init(_ entry: FreshnessFile.Entry) {
    (body, response, fresh) = (entry.body, nil, entry.fresh)
    isNoStore = false
  }

  private init(noneSince now: Int64) {
    (body, response, isNoStore) = (nil, nil, false)
    fresh = now..<now
  }

  /// Nothing that was made from the source's earlier bytes may be shown.
  static func none(since now: Int64) -> SourceRecord { SourceRecord(noneSince: now) }

  /// Whether the record is a redirect.
  var isRedirect: Bool { response?.redirectTarget != nil }

  /// Bytes of memory that it takes.
  var cost: Int { 96 + (response?.cost ?? 0) }

  /// How long ago that was, at a moment; for ever for what must not be stored.
  func age(at now: Int64) -> Duration {
    if isNoStore { return .microseconds(Int64.max) }
    let (age, isTooLarge) = now.subtractingReportingOverflow(received)
    return .microseconds(isTooLarge ? .max : age)
  }

  /// How far what the record names may be used at a moment; nil when only its origin's full
  /// response tells, which is on the disk.
  func validity(at now: Int64) -> SourceLoad.Validity? {
    if isNoStore { return .stale(usableOnError: false) }
    // A record without an end stays fresh when the clock is set back.
    if fresh.contains(now) || fresh.upperBound == .max { return .fresh }
    guard let response else { return nil }
    switch Freshness(of: response, at: now) {
    case .fresh: return .fresh
    case .staleWhileRevalidate: return .staleWhileRevalidate
    case .stale(let isUsableOnError): return .stale(usableOnError: isUsableOnError)
    }
  }
}
