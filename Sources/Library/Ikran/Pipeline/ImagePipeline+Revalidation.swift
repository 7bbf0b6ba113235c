import IkranStores
import IkranTransport

// Revalidations that no caller waits for.

extension ImagePipeline {
  /// Least time between two background revalidations of a source whose response has no lifetime: a
  /// list that shows an image a hundred times asks about it once.
  private static let revalidationInterval = Duration.seconds(60)

  /// Revalidates in the background what has just been shown, if it is stale.
  func revalidateIfStale(_ request: ImageRequest) {
    let visit = lookUp(request)
    if validity(of: visit) == .staleWhileRevalidate { revalidateInBackground(visit.source) }
  }

  /// Revalidates a source in the background; the caller goes on at once.
  func revalidateInBackground(_ source: SourceRequest) {
    guard !context.network.isOffline, !loader.isTransferring(source) else { return }
    if let url = source.url, let error = context.network.unreachable(url) {
      return context.counters.count(.usedStale(because: error))
    }
    background.start {
      let change = self.context.records.nextChange()
      // A failure is ignored: the stored response stays usable.
      let error = await self.validationError(of: source.request)
      // Nothing was asked.
      switch error {
      case .cancelled, .offline: return
      default: break
      }
      if error?.isGone == true { self.context.invalidate(source.key, as: change) }
      // A response with `stale-while-revalidate` names the time of the next revalidation.
      let record = self.context.record(of: source)
      if record?.response?.cacheControl.staleWhileRevalidate == nil {
        self.pauseRevalidation(of: source, for: Self.revalidationInterval)
      }
    }
  }

  private func validationError(of request: ImageRequest) async -> ImageError? {
    var request = request
    request.priority = .low
    do throws(ImageError) {
      try await withinDeadline(of: request) { [request] () async throws(ImageError) in
        try await self.validate(request, Subscription(.low))
      }
      return nil
    } catch {
      if case .cancelled = error { return error }
      context.counters.count(.usedStale(because: error))
      return error
    }
  }

  /// Counts the use of something stale whose origin could not be asked, and pauses its
  /// revalidation.
  func noteStale(_ error: ImageError?, of source: SourceRequest) {
    guard let error else { return }
    context.counters.count(.usedStale(because: error))
    // Once the program is online again its origin is asked at once.
    if case .offline = error { return }
    pauseRevalidation(of: source, for: UnreachableHosts.rememberedFor)
  }

  /// Lets a stale source be shown for a while without asking, in this process: its origin has just
  /// been asked, or could not be.
  private func pauseRevalidation(of source: SourceRequest, for duration: Duration) {
    let now = context.clock.now()
    guard let record = context.record(of: source),
      let response = record.response,
      response.cacheControl.staleIfError == nil, !record.fresh.contains(now),
      Freshness(of: response, at: now).mayBeShown
    else { return }
    context.records.prolong(record, of: source.key, to: now..<now + duration.microseconds)
  }
}
