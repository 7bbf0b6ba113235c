import IkranStores
import IkranTransport

// Redirects: each is reused only as long as its own response is fresh, and its target is a source
// of its own, one copy for all that redirect to it.

extension ImagePipeline {
  /// A visit to the last target of the redirects that memory knows, fresh or stale: a
  /// `pread` for each at most.
  func finalVisit(_ request: ImageRequest) -> SourceVisit {
    var visit = lookUp(request)
    for _ in 0..<Self.maximumRedirects {
      guard let target = visit.target else { break }
      visit = lookUp(target)
    }
    return visit
  }

  /// The key of what a request shows: of its last target.
  func styledKey(afterRedirects request: ImageRequest) -> StyledKey {
    guard context.records.hasRedirects else { return styledKey(request) }
    return styledKey(finalVisit(request).source)
  }

  /// Stores redirects in place of what their URLs brought before, now that an image has come of
  /// them: a network that wants a log-in first redirects too, and so does a site under repair.
  func store(_ steps: [RedirectTrail.Step]) {
    for step in steps { store(step) }
  }

  private func store(_ step: RedirectTrail.Step) {
    let (redirect, source) = (step.redirect, step.source)
    let request = source.request
    // The target has the same key, if the program's filter says so: then the image is stored under
    // it.
    guard context.source(of: step.target).key != source.key, !request.caching.stores.isEmpty,
      !context.records.wereEmptied(since: redirect.change)
    else { return }
    let visit = lookUp(request)
    guard !redirect.response.cacheControl.noStore || context.network.expiry(of: request) == .never
    else {
      if visit.record != nil || storedImage(at: visit) != nil {
        context.invalidate(source.key, as: redirect.change)
      }
      return
    }
    var record = context.record(by: redirect.response)
    record.change = redirect.change
    // A record that was set or removed while the target was loading is newer.
    guard context.records.set(record, of: source.key) else { return }
    context.removeOutdatedBody(of: source.key)
    guard request.caching.stores.contains(.disk) else { return }
    // A stale redirect to the same target is on the disk already: writing it again gains nothing.
    let isKnown = visit.record?.response?.redirectTarget == redirect.location
    guard !isKnown || !record.fresh.isEmpty else { return }
    let isLast: @Sendable () -> Bool = { [records = context.records] in
      records.isLast(redirect.change, of: source.key)
    }
    // The target may be a secret, such as a signed URL: that stays in memory.
    guard !redirect.location.contains(where: { $0 == "?" || $0 == "@" }) else {
      return context.disk.remove("\(source.key)", if: isLast)
    }
    context.disk.store(redirect.response.bytes, for: "\(source.key)", cost: 0) {
      isLast() ? [] : nil
    }
  }
}
