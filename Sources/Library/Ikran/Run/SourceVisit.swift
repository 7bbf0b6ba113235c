import IkranStores
import IkranTransport

/// One hop of one request: a source, and what is known of it at that moment, looked up once.
///
/// An `await` ends a visit: what is looked up after it is another one.
struct SourceVisit {
  let source: SourceRequest
  /// What is known of the source; nil for nothing, and for one that is no download.
  let record: SourceRecord?
  /// Whether a target on another origin is a source of its own.
  let isolatesRedirects: Bool

  var request: ImageRequest { source.request }

  /// The request for the target of a stored redirect; nil when there is none.
  var target: ImageRequest? {
    guard let response = record?.response, let location = response.redirectTarget else {
      return nil
    }
    return source.request.redirected(
      to: location,
      from: response.sentOrigin,
      isIsolated: isolatesRedirects
    )
  }
}

extension SourceVisit {
  /// What becomes of what is available: an image, or a redirect.
  enum Decision: Equatable {
    /// It is used.
    case use
    /// It is used, and its origin is asked in the background.
    case useAndRevalidate
    /// It is used though it is stale, as its origin could not be reached a moment ago.
    case useUnreachable(ImageError)
    /// Its origin is asked first.
    case ask
  }

  /// Decides by how new a result has to be, by how far what is available may be used (nil when that
  /// is not known), and by why its origin cannot be asked now, if that is known.
  static func decision(
    demand: SourceLoad.Demand,
    validity: SourceLoad.Validity?,
    unreachable: ImageError?
  ) -> Decision {
    switch (demand, validity) {
    case (.cached, _): .use
    case (.revalidated, _), (.reloaded, _): .ask
    case (.fresh, .fresh): .use
    case (.fresh, .staleWhileRevalidate): .useAndRevalidate
    case (.fresh, .stale(usableOnError: true)): unreachable.map { .useUnreachable($0) } ?? .ask
    case (.fresh, .stale(usableOnError: false)), (.fresh, nil): .ask
    }
  }
}

extension ImagePipeline {
  /// What is known of a request's source now: a `pread` at most.
  func lookUp(_ request: ImageRequest) -> SourceVisit {
    let source = context.source(of: request)
    let record = context.record(of: source)
    return SourceVisit(
      source: source,
      record: record,
      isolatesRedirects: context.network.isolatesRedirects
    )
  }

  /// How far what a visit's record names may be used now; nil when only the disk knows.
  func validity(of visit: SourceVisit) -> SourceLoad.Validity? {
    visit.record.flatMap { context.validity(of: $0, for: visit.source) }
  }

  /// Uses what is stored if it may be used now, without asking its origin first: starts a
  /// revalidation that is due, and counts a stale use.
  ///
  /// - Parameters:
  ///   - visit: The visit.
  ///   - demand: How new it has to be.
  ///   - waits: Whether the caller would wait for the origin; else what is stale is left to one who
  ///     does.
  /// - Returns: Whether it is used.
  func useStored(
    at visit: SourceVisit,
    demand: SourceLoad.Demand,
    waits: Bool = true
  ) -> Bool {
    guard visit.source.isDownload else { return true }
    let validity = demand == .fresh ? validity(of: visit) : nil
    let mayMatter = waits && validity == .stale(usableOnError: true)
    let error = mayMatter ? visit.source.url.flatMap { context.network.unreachable($0) } : nil
    let decision = SourceVisit.decision(
      demand: demand,
      validity: validity,
      unreachable: error
    )
    switch decision {
    case .use: return true
    case .ask: return false
    case .useAndRevalidate: revalidateInBackground(visit.source)
    case .useUnreachable(let error): context.counters.count(.usedStale(because: error))
    }
    return true
  }
}
