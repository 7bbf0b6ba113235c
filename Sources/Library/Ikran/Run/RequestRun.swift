import IkranStores
import IkranTransport

// Decision 73: one loop, and one look-up for each visit.
/// One request on its way to what it wants: from source to source, as redirects lead, until one has
/// it.
///
/// Each visit looks up what is known, decides, and asks the source's load for the rest.
struct RequestRun {
  /// What it is to bring.
  enum Goal {
    case image
    case file
    /// Only a response of each origin; what the caches have of the target will do.
    case validation
  }

  /// What it has brought.
  enum Outcome {
    case image(LoadedImage)
    case file(Body)
    /// What the caches have is valid.
    case valid
  }

  private let pipeline: ImagePipeline
  private let subscription: Subscription
  private let goal: Goal
  private var request: ImageRequest
  private var demand: SourceLoad.Demand
  private var trail = RedirectTrail()

  init(
    _ request: ImageRequest,
    for goal: Goal,
    demand: SourceLoad.Demand,
    subscription: Subscription,
    in pipeline: ImagePipeline
  ) {
    (self.request, self.goal, self.demand) = (request, goal, demand)
    (self.subscription, self.pipeline) = (subscription, pipeline)
  }

  /// Brings it; with it the source that had it.
  mutating func run() async throws(ImageError) -> (result: Outcome, source: SourceKey) {
    do throws(ImageError) { return try await visitUntilFound() } catch {
      // Nothing came of a redirect: what its source brought before will do.
      guard goal != .validation, let (older, change) = trail.fallback else { throw error }
      if error.isGone { pipeline.context.invalidate(older.key, as: change) }
      guard error.allowsStaleResponse else { throw error }
      pipeline.noteStale(error, older.key)
      (request, demand, trail) = (older.request, .cached, RedirectTrail())
      return try await visitUntilFound()
    }
  }

  private mutating func visitUntilFound() async throws(ImageError) -> (Outcome, SourceKey) {
    while true {
      var visit = pipeline.lookUp(request)
      try trail.enter(visit)
      // In the background each response is revalidated by itself: a redirect's target need only be
      // there.
      if goal == .validation, !trail.steps.isEmpty { demand = .fresh }
      // A stored redirect is followed, once its origin has been asked where that is due.
      if demand != .reloaded, visit.target != nil {
        if let next = try await target(of: visit) {
          request = next
          continue
        }
        visit = pipeline.lookUp(request)
      }
      // What memory, a table or the styled files on the disk have is shown, if it may be.
      let drawing = goal == .image ? try pipeline.drawing(of: visit.source) : nil
      let cachedImage = try await findImage(at: &visit, drawing)
      if let cachedImage, cachedImage.cached.body == nil || pipeline.tryUse(visit, demand: demand) {
        return end(.image(cachedImage), visit)
      }
      // Everything else is up to the source's load, for all who want it.
      let want = want(of: visit, drawing, cachedBody: cachedImage?.cached.body)
      switch try step(after: await load(want, visit), from: visit, cachedImage) {
      case .end(let outcome): return end(outcome, visit)
      case .follow(let target): request = target
      case .lookUpAgain: break
      }
    }
  }

  /// What follows a source's load.
  private enum Step {
    case end(Outcome)
    /// The next visit is to the target of a redirect.
    case follow(ImageRequest)
    /// The next visit is to the same source: more is known of it.
    case lookUpAgain
  }

  private mutating func step(
    after result: SourceResult,
    from visit: SourceVisit,
    _ cachedImage: LoadedImage?
  ) throws(ImageError) -> Step {
    switch result {
    case .image(let image, let error):
      noteUse(of: visit, isFromCache: image.source != .network, staleBecause: error)
      return .end(.image(image))
    case .body(let body, let error):
      noteUse(of: visit, isFromCache: body.source != .network, staleBecause: error)
      return .end(.file(body))
    case .unchanged(_, let error):
      if let cachedImage {
        noteUse(of: visit, isFromCache: true, staleBecause: error)
        return .end(.image(cachedImage))
      }
      pipeline.noteStale(error, visit.source.key)
      return goal == .validation ? .end(.valid) : .lookUpAgain
    case .redirected(let redirect): return .follow(try next(after: redirect, from: visit))
    case .storedRedirect:
      trail.leave(visit)
      return .lookUpAgain
    case .notCached: throw .offline(url: visit.source.displayName)
    case .failed(let error): throw error
    }
  }

  private func end(_ result: Outcome, _ visit: SourceVisit) -> (Outcome, SourceKey) {
    pipeline.store(trail.steps)
    if case .image(let image) = result { pipeline.traceLookUp(of: image, at: visit) }
    return (result, visit.source.key)
  }

  // MARK: - Redirects

  /// Where a stored redirect leads, asked about first if that is due; nil when the source brings an
  /// image itself now.
  private mutating func target(
    of visit: SourceVisit
  ) async throws(ImageError) -> ImageRequest? {
    // Redirects in a circle contradict each other, however fresh they are.
    let asked = trail.isCircle && demand == .fresh ? .revalidated : demand
    if pipeline.tryUse(visit, demand: asked) { return visit.target }
    let want = SourceLoad.Want(
      demand: .revalidated,
      priority: visit.request.priority,
      reads: [],
      needsBody: false,
      timeout: timeout
    )
    // Without the record: what is known would be validated, and a redirect has no bytes to keep.
    switch await load(want, visit, usesRecord: false) {
    case .redirected(let redirect): return try next(after: redirect, from: visit)
    case .failed(let error):
      guard demand == .fresh, !trail.isCircle, error.allowsStaleResponse,
        pipeline.validity(of: visit) == .stale(usableOnError: true)
      else { throw error }
      pipeline.noteStale(error, visit.source.key)
      return visit.target
    case .image, .body, .unchanged, .storedRedirect, .notCached: return nil
    }
  }

  /// The request for where an origin has redirected to.
  private mutating func next(
    after redirect: Redirect,
    from visit: SourceVisit
  ) throws(ImageError) -> ImageRequest {
    // The load may have told more of the source.
    let known = pipeline.lookUp(visit.request)
    let isUsable = demand == .fresh && pipeline.validity(of: known) == .stale(usableOnError: true)
    return try trail.follow(
      redirect,
      from: visit.source,
      isUsable: isUsable,
      isIsolated: pipeline.context.network.isolatesRedirects
    )
  }

  // MARK: - One source

  /// The image that memory, a table or the disk has, made from the current bytes.
  ///
  /// Reading the disk may tell more of the source: then the visit is another one.
  private func findImage(
    at visit: inout SourceVisit,
    _ drawing: SourceLoad.Drawing?
  ) async throws(ImageError) -> LoadedImage? {
    guard let drawing, visit.request.caching.policy != .reload else { return nil }
    if let image = pipeline.storedImage(at: visit) { return image }
    guard pipeline.hasStyledFiles(for: visit.request) else { return nil }
    let image = try await pipeline.processedImage(
      at: visit,
      for: drawing.key,
      subscription: subscription
    )
    visit = pipeline.lookUp(visit.request)
    // While it was read and decoded, other bytes may have become current.
    return image?.cached.body == visit.record?.body ? image : nil
  }

  private func want(
    of visit: SourceVisit,
    _ drawing: SourceLoad.Drawing?,
    cachedBody: BodyID?
  ) -> SourceLoad.Want {
    let request = visit.request
    return SourceLoad.Want(
      // Local files and inline data count as cached.
      demand: demand == .cached && !visit.source.isDownload ? .fresh : demand,
      priority: request.priority,
      reads: demand == .reloaded ? [] : request.caching.reads.intersection(.bodies),
      drawing: drawing,
      stopsEarly: request.stopsEarly && !request.isForDisk,
      cachedBody: cachedBody,
      needsBody: goal != .validation,
      timeout: timeout
    )
  }

  private var timeout: Duration {
    request.transfer.timeout ?? pipeline.context.options.network.timeout
  }

  private func load(
    _ want: SourceLoad.Want,
    _ visit: SourceVisit,
    usesRecord: Bool = true
  ) async -> SourceResult {
    subscription.startWaiting(at: pipeline.context.clock.now())
    let known =
      usesRecord ? visit.record.flatMap { pipeline.context.found($0, of: visit.source) } : nil
    return await pipeline.loader.result(of: want, from: visit.source, known: known, subscription)
  }

  /// Takes note that something was used, which may be stale.
  private func noteUse(of visit: SourceVisit, isFromCache: Bool, staleBecause error: ImageError?) {
    pipeline.noteStale(error, visit.source.key)
    if demand == .fresh, isFromCache { pipeline.revalidateIfStale(visit.request) }
  }
}
