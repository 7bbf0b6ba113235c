import IkranStores

// Revalidation that no caller waits for.

extension ImagePipeline {
  /// How long a response without a lifetime of its own is shown without asking once its origin has
  /// been asked: a list that shows an image a hundred times asks about it once.
  private static let pause = Duration.seconds(60)

  /// Whether what a cache holds of a request's source may be shown without waiting.
  ///
  /// Begins to revalidate, behind the caller, what may be shown meanwhile.
  func mayShow(_ request: ImageRequest) -> Bool {
    if isKnownCurrent(request) { return true }
    var request = request
    for _ in 0..<Self.maximumRedirects {
      let source = request.sourceKey(filteredBy: options.keyFilter)
      guard let kept = answers.value(for: source), let answer = kept.answer else { return false }
      let now = clock.now()
      if !kept.fresh.contains(now) {
        guard Freshness(of: answer, at: now) == .usableWhileChecked else { return false }
        revalidateBehind(request, source)
      }
      guard let next = kept.target(of: request) else { return true }
      request = next
    }
    return false
  }

  /// Asks the origin whether what is stored of a source still holds, behind the caller.
  func revalidateBehind(_ request: ImageRequest, _ source: String) {
    background.start {
      // Its failure is the next request's to find.
      let check = try? await self.withinDeadline(of: request) { () async throws(ImageError) in
        try await self.check(request, Interest(.low), mayRetry: false)
      }
      if case .redirected = check { return }
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
    note(KeptAnswer(answer, fresh: now..<now + Self.pause.microseconds), of: source)
  }
}
