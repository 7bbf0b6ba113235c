import IkranStores
import IkranTransport

// From a response to a reply.

extension Attempt {
  /// Makes the redirect that a response asks for; nil for other responses.
  ///
  /// - Throws: A failure where it leads to what is no `http:` or `https:` URL.
  func makeRedirect(from response: TransportResponse) throws(Failure) -> Redirect? {
    guard sent.reportsRedirects, HTTPHop.isRedirect(response.status),
      let location = response.redirectTarget ?? response.header("location"), !location.isEmpty
    else { return nil }
    // The one that a transport reports is absolute already.
    let target =
      response.redirectTarget ?? (try? HTTPAddress(sent.url))?.url(ofLocation: location)
    guard let target, (try? HTTPAddress(target)) != nil else {
      throw Failure(.forbiddenRedirect(redacted(target ?? location)), of: download)
    }
    var stored = storedResponse(response, received: network.clock.now())
    stored.headers.append(HeaderField("location", target))
    stored.setSentOrigin(sent.url, insteadOf: download.url)
    return Redirect(
      location: target,
      sentURL: sent.url,
      change: transfer.change,
      response: stored
    )
  }

  /// Makes the reply of a response, or throws why it brings no image; `prefix` describes a body
  /// that ended early.
  func makeReply(to response: TransportResponse, prefix: BodyPrefix?) throws(Failure) -> Reply {
    let received = network.clock.now()
    if response.status == 304, let kept = download.kept {
      guard kept.isConfirmed(by: response) else { throw restart(after: response) }
      return .notModified(kept.refreshed(by: response, requested: requestTime, received: received))
    }
    let body = try makeBody(of: response, prefix: prefix)
    try check(response, received: received)
    if response.status != 206, partial != nil { forgetPartial() }
    var stored = storedResponse(response, received: received)
    // The stored part and this range are joined (with a prefix, still not the whole file): a 200.
    if response.status == 206 { stored.status = 200 }
    let storing = Body.Storing(stored, method: sent.method)
    let file = try decrypted(body, of: response)
    return .body(file, stored, storing: storing, prefix: prefix)
  }

  /// Makes the body, with what was there before it where it goes on from that.
  private func makeBody(
    of response: TransportResponse,
    prefix: BodyPrefix?
  ) throws(Failure) -> [UInt8] {
    switch response.status {
    case 206, 416:
      guard let partial else { return response.body }
      forgetPartial()
      if response.status == 206, prefix != nil, partial.isContinued(by: response) {
        return partial.bytes + response.body
      }
      guard response.status == 206, let whole = partial.completed(by: response) else {
        throw restart(after: response)
      }
      return whole
    case 304: return response.body
    default:
      try refuseMislabelled(response)
      return response.body
    }
  }

  private func restart(after response: TransportResponse) -> Failure {
    Failure(error: download.error(of: response), restartsAtOnce: true)
  }

  /// Refuses a range whose status says that it is the whole file.
  ///
  /// Where a range was requested, the file is requested again whole. Where none was, a body that is
  /// as long as its range and shorter than the file is only a part of it.
  private func refuseMislabelled(_ response: TransportResponse) throws(Failure) {
    guard response.isMislabelledPart else { return }
    let reason = "its status is \(response.status), and its Content-Range names a part"
    var failure = Failure(.invalidResponse(reason), of: download)
    if partial != nil {
      forgetPartial()
      failure.restartsAtOnce = true
      throw failure
    }
    guard let range = response.header("content-range").flatMap({ ContentRange($0) }),
      range.range?.count == response.body.count, range.total ?? .max > response.body.count
    else { return }
    throw failure
  }

  /// Throws where status or content type say that it is no image.
  private func check(_ response: TransportResponse, received: Int64) throws(Failure) {
    let rules = network.options.responses
    let isWhole = response.status != 206 || partial != nil
    guard rules.statuses.contains(response.status), response.status != 204, isWhole else {
      throw Failure(
        error: download.error(of: response),
        retryAfter: retryAfter(response, now: received),
        isNoStore: CacheControl(response.headers).noStore
      )
    }
    guard rules.accepts(mediaType: response.mediaType) else {
      let type = response.header("content-type") ?? "none"
      let context = ErrorContext(response.head)
      throw Failure(error: .contentType(type, url: download.name, context))
    }
  }

  private func decrypted(
    _ body: [UInt8],
    of response: TransportResponse
  ) throws(Failure) -> [UInt8] {
    guard let decrypt = network.hooks.decrypt else { return body }
    do { return try decrypt(body) } catch {
      let (reason, context) = ("decrypting failed: \(error)", ErrorContext(response.head))
      throw Failure(error: .refused(reason, url: download.name, context))
    }
  }

  private func storedResponse(
    _ response: TransportResponse,
    received: Int64
  ) -> StoredResponse {
    StoredResponse(
      response,
      to: sent.headers,
      secret: network.secret,
      requested: requestTime,
      received: received
    )
  }
}
