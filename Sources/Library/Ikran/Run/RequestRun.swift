import IkranStores
import IkranTransport

// Decision 73: one loop, and one look-up for each visit.
/// One request on its way to what it wants: from source to source, as redirects lead, until one has
/// it.
///
/// Each visit looks up what is known, decides, and asks the source's load for the rest.
struct RequestRun<Goal: RunGoal> {
  private let goal: Goal
  private var request: ImageRequest
  private var demand: SourceLoad.Demand
  private var trail = RedirectTrail()

  init(
    _ request: ImageRequest,
    to goal: Goal,
    demand: SourceLoad.Demand
  ) {
    (self.request, self.goal, self.demand) = (request, goal, demand)
  }

  private var pipeline: ImagePipeline { goal.pipeline }

  /// Runs until it has what it is to bring, and returns that with the source that had it.
  mutating func run() async throws(ImageError) -> (outcome: Goal.Outcome, source: SourceRequest) {
    do throws(ImageError) { return try await visitUntilFound() } catch {
      // Nothing came of a redirect: what its source brought before will do.
      guard !goal.isValidation, let (older, change) = trail.fallback else { throw error }
      if error.isGone { pipeline.context.invalidate(older.key, as: change) }
      guard error.allowsStaleResponse else { throw error }
      (request, demand, trail) = (older.request, .cached, RedirectTrail())
      do throws(ImageError) {
        let found = try await visitUntilFound()
        pipeline.noteStale(error, of: older)
        return found
      } catch let second {
        // Why there is nothing newer says more than that there is nothing older.
        if case .cancelled = second { throw second }
        throw error
      }
    }
  }

  private mutating func visitUntilFound() async throws(ImageError) -> (Goal.Outcome, SourceRequest)
  {
    // An alternative may have been asked, and have brought nothing.
    goal.subscription.forgetResponse()
    while true {
      var visit = pipeline.lookUp(request)
      try trail.enter(visit)
      // In the background each response is revalidated by itself: a redirect's target need only be
      // there, and what that redirects to.
      if goal.isValidation, !trail.steps.isEmpty { demand = .fresh }
      // A stored redirect is followed, once its origin has been asked where that is due.
      if demand != .reloaded, let target = visit.target {
        switch try await stepAlongRedirect(to: target, from: visit) {
        case .end(let outcome): return end(outcome, visit)
        case .follow(let target): request = target
        case .lookUpAgain: break
        }
        continue
      }
      // What memory, a table or the styled files on the disk have is shown, if it may be.
      let renderTarget = try goal.renderTarget(of: visit.source)
      let stored = demand == .reloaded ? nil : try await goal.stored(renderTarget, at: &visit)
      if let stored, stored.madeFrom == nil || pipeline.useStored(at: visit, demand: demand) {
        return end(goal.outcome(of: stored), visit)
      }
      // Everything else is up to the source's load, for all who want it.
      let want = want(of: visit)
      let known = visit.record.flatMap { pipeline.context.knownSource($0) }
      let result = await load(renderTarget, insteadOf: stored, as: want, from: visit, known: known)
      switch try stepAfterLoad(result, from: visit, stored) {
      case .end(let outcome): return end(outcome, visit)
      case .follow(let target): request = target
      case .lookUpAgain: break
      }
    }
  }

  private mutating func stepAfterLoad(
    _ result: SourceResult<Goal.Found>,
    from visit: SourceVisit,
    _ stored: Goal.Found?
  ) throws(ImageError) -> RunStep<Goal.Outcome> {
    switch result {
    case .found(let found, let error):
      noteUse(of: visit, isFromCache: found.source != .network, staleBecause: error)
      return .end(goal.outcome(of: found))
    case .unchanged(let error):
      if let stored {
        noteUse(of: visit, isFromCache: true, staleBecause: error)
        return .end(goal.outcome(of: stored))
      }
      pipeline.noteStale(error, of: visit.source)
      return goal.stepAfterUnchanged
    case .redirected(let redirect): return .follow(try next(after: redirect, from: visit))
    case .storedRedirect:
      trail.leave(visit)
      return .lookUpAgain
    // What was to be validated has been removed.
    case .notCached where goal.isValidation: return goal.stepAfterUnchanged
    case .notCached: throw .offline(url: visit.source.displayName)
    case .failed(let error): throw error
    }
  }

  private func end(
    _ outcome: Goal.Outcome,
    _ visit: SourceVisit
  ) -> (Goal.Outcome, SourceRequest) {
    pipeline.store(trail.steps)
    return (outcome, visit.source)
  }

  // MARK: - Redirects

  /// What follows from a stored redirect, whose origin is asked first if that is due: it may lead
  /// elsewhere by now, or bring what is wanted itself.
  private mutating func stepAlongRedirect(
    to target: ImageRequest,
    from visit: SourceVisit
  ) async throws(ImageError) -> RunStep<Goal.Outcome> {
    // Redirects in a circle contradict each other, however fresh they are.
    let asked = trail.isCircle && demand == .fresh ? .revalidated : demand
    if pipeline.useStored(at: visit, demand: asked) { return .follow(target) }
    var asking = want(of: visit)
    (asking.demand, asking.reads) = (.revalidated, [])
    // Without the record: what is known would be validated, and a redirect has no bytes to keep.
    let renderTarget = try goal.renderTarget(of: visit.source)
    let result = await load(renderTarget, insteadOf: nil, as: asking, from: visit, known: nil)
    switch result {
    case .failed(let error):
      guard demand == .fresh, !trail.isCircle, error.allowsStaleResponse else { throw error }
      // While its origin was asked, another redirect may have been stored, or a file in its place.
      let latest = pipeline.lookUp(visit.request)
      let validity = pipeline.validity(of: latest)
      switch SourceVisit.decision(demand: demand, validity: validity, unreachable: error) {
      case .use, .useAndRevalidate: break
      case .useUnreachable(let error): pipeline.noteStale(error, of: visit.source)
      case .ask: throw error
      }
      return latest.target.map { .follow($0) } ?? .lookUpAgain
    case .found, .unchanged, .redirected, .storedRedirect, .notCached:
      return try stepAfterLoad(result, from: visit, nil)
    }
  }

  /// The request for where an origin has redirected to.
  private mutating func next(
    after redirect: Redirect,
    from visit: SourceVisit
  ) throws(ImageError) -> ImageRequest {
    try trail.follow(
      redirect,
      from: visit.source,
      isUsable: isUsableOnError(pipeline.lookUp(visit.request)),
      isIsolated: pipeline.context.network.isolatesRedirects
    )
  }

  /// Whether what a visit has found will do, though stale, where nothing newer comes.
  private func isUsableOnError(_ visit: SourceVisit) -> Bool {
    demand == .fresh && pipeline.validity(of: visit) == .stale(usableOnError: true)
  }

  // MARK: - One source

  private func load(
    _ renderTarget: Goal.RenderTarget,
    insteadOf stored: Goal.Found?,
    as want: SourceLoad.Want,
    from visit: SourceVisit,
    known: SourceLoad.KnownSource?
  ) async -> SourceResult<Goal.Found> {
    goal.subscription.startWaiting(at: pipeline.context.clock.now())
    let source = visit.source
    return await goal.load(renderTarget, insteadOf: stored, as: want, from: source, known: known)
  }

  /// What the request wants of a source, but for its content: that is its goal's.
  private func want(of visit: SourceVisit) -> SourceLoad.Want {
    let (request, context) = (visit.request, pipeline.context)
    return SourceLoad.Want(
      // Local files and inline data count as cached.
      demand: demand == .cached && !visit.source.isDownload ? .fresh : demand,
      priority: request.priority,
      reads: demand == .reloaded ? [] : request.caching.reads,
      stores: request.caching.stores,
      contents: context.contents(of: request),
      expiry: context.network.expiry(of: request),
      timeout: context.network.timeout(of: request),
      isForDisk: request.isForDisk
    )
  }

  /// Takes note that something was used, which may be stale.
  private func noteUse(of visit: SourceVisit, isFromCache: Bool, staleBecause error: ImageError?) {
    pipeline.noteStale(error, of: visit.source)
    // Its origin may just have been asked.
    guard demand == .fresh, isFromCache, goal.subscription.response == nil else { return }
    pipeline.revalidateIfStale(visit.request)
  }
}
