import IkranSystem
import IkranTransport

/// Asks the program for new credentials after a response of status 401, once for all requests of an
/// origin that were refused with the same ones.
final class CredentialRenewal: Sendable {
  typealias Hook = @Sendable (TransportRequest, TransportResponse) async -> TransportRequest?

  /// A request that was refused, and the one to send in its place.
  private struct Renewal: Sendable {
    let refused: TransportRequest
    let renewed: TransportRequest?

    /// The request to send in place of one that was refused with the same credentials; nil when the
    /// renewal does not say.
    func applied(to request: TransportRequest) -> TransportRequest? {
      guard let renewed else { return nil }
      let changed = renewed.headers.filter { !refused.headers.contains($0) }
      guard !changed.isEmpty else { return nil }
      let names = Set(changed.map { $0.name.lowercased() })
      var request = request
      request.headers.removeAll { names.contains($0.name.lowercased()) }
      request.headers += changed
      return request
    }
  }

  private let renewals = Coalescer<SourceKey, Renewal>()

  /// The number of requests that wait for new credentials.
  var waiting: Int { renewals.callers }

  /// The request to send again, with new credentials; nil when the 401 is final.
  ///
  /// - Parameters:
  ///   - request: The request that was refused.
  ///   - response: The refusal.
  ///   - hook: What asks for new credentials.
  ///   - own: Names the request's own hooks: those of others have other credentials.
  /// - Returns: The request.
  func renewed(
    _ request: TransportRequest,
    after response: TransportResponse,
    by hook: Hook?,
    hooks own: String?
  ) async -> TransportRequest? {
    guard response.status == 401, let hook, let address = try? HTTPAddress(request.url) else {
      return nil
    }
    let isMine = Guarded(false)
    let renewal: Renewal
    do throws(ImageError) {
      renewal = try await renewals.value(
        for: Self.key(of: request, to: address, hooks: own),
        subscription: Subscription(.normal)
      ) { (_) async throws(ImageError) in
        isMine.withLock { $0 = true }
        return Renewal(refused: request, renewed: await hook(request, response))
      }
    } catch {
      return nil
    }
    if isMine.withLock({ $0 }) { return renewal.renewed?.continuing(request) }
    guard renewal.renewed != nil else { return nil }
    if let shared = renewal.applied(to: request) { return shared.continuing(request) }
    // The other request's credentials are not in its fields, such as a signature in its URL.
    return await hook(request, response)?.continuing(request)
  }

  /// Names an origin and the credentials that it has refused.
  private static func key(
    of request: TransportRequest,
    to address: HTTPAddress,
    hooks own: String?
  ) -> SourceKey {
    let fields = request.headers.filter(\.isCredential)
      .map { "\($0.name.lowercased()):\($0.value)" }
    return SourceKey(
      ([address.origin, own ?? ""] + fields.sorted()).joined(separator: "\u{0}")
    )
  }
}
