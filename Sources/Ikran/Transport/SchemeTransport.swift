/// Sends each request to the transport of its URL's scheme: the pipeline's default.
public struct SchemeTransport: Transport {
  private let network: any Transport
  private let file: any Transport
  private let data: any Transport

  /// Creates the transport.
  ///
  /// - Parameters:
  ///   - network: For `http:` and `https:`.
  ///   - file: For `file:`.
  ///   - data: For `data:`.
  public init(
    network: any Transport = CurlTransport(),
    file: any Transport = FileTransport(),
    data: any Transport = DataTransport()
  ) {
    self.network = network
    self.file = file
    self.data = data
  }

  /// Fetches one body through the transport of the URL's scheme.
  ///
  /// - Parameters:
  ///   - request: What to fetch.
  ///   - progress: Called while bytes arrive.
  /// - Returns: The answer.
  /// - Throws: ``TransportError/invalidURL(_:)`` for any other scheme; what the transport throws.
  public func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let transport =
      switch urlScheme(of: request.url) {
      case "http", "https": network
      case "file": file
      case "data": data
      case let scheme?:
        throw .invalidURL("the scheme “\(scheme)” is not known; use http, https, file or data")
      case nil:
        throw .invalidURL("the URL has no scheme; it starts with http:, https:, file: or data:")
      }
    return try await transport.fetch(request, progress: progress)
  }
}
