import IkranStores

// Revalidation that no caller waits for.

extension ImagePipeline {
  /// Least time between two background revalidations of a source whose response has no lifetime: a
  /// list that shows an image a hundred times asks about it once.
  private static let revalidationInterval = Duration.seconds(60)

  /// Whether what a cache holds of a request's source may be shown without waiting.
  ///
  /// Starts a background revalidation of each stale response on the way.
  func mayShowWhileRevalidating(_ request: ImageRequest) -> Bool {
    if isKnownCurrent(request) { return true }
    var request = request
    for _ in 0...Self.maximumRedirects {
      let source = request.sourceKey(filteredBy: options.keyFilter)
      guard let kept = answers.value(for: source), let answer = kept.answer else { return false }
      let now = clock.now()
      if !kept.fresh.contains(now) {
        guard Freshness(of: answer, at: now) == .usableWhileChecked else { return false }
        revalidateInBackground(request, source)
      }
      guard let next = kept.target(of: request) else { return true }
      request = next
    }
    return false
  }

  /// Revalidates a source in the background; the caller goes on at once.
  func revalidateInBackground(_ request: ImageRequest, _ source: String) {
    background.start {
      // A failure is ignored: the stored response stays usable, and the origin is asked again after
      // the interval.
      _ = try? await self.withinDeadline(of: request) { () async throws(ImageError) in
        try await self.check(request, Interest(.low), mayRetry: false)
      }
      self.postponeRevalidation(of: source)
    }
  }

  /// Lets a source that may be used while it is revalidated count as fresh for a while.
  ///
  /// Only this process heeds it.
  private func postponeRevalidation(of source: String) {
    let now = clock.now()
    guard let answer = answers.value(for: source)?.answer,
      answer.cacheControl.staleWhileRevalidate == nil,
      Freshness(of: answer, at: now) == .usableWhileChecked
    else { return }
    setFreshness(
      KeptAnswer(answer, fresh: now..<now + Self.revalidationInterval.microseconds),
      of: source
    )
  }
}
