import IkranTransport

/// Tells origins which trace a request belongs to.
///
/// Of several requests for one source that come at once, the first is the one that fetches it.
struct TracingTransport: Transport {
  let network: any Transport
  /// Whether origins get what other systems have added to the trace.
  let passesState: Bool

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    var traced = request
    if let trace = TraceContext.current {
      traced.headers += trace.fields(withState: passesState)
    }
    return try await network.fetch(traced, progress: progress)
  }
}
