/// Sends each request to the transport of its URL's scheme: the pipeline's default.
///
/// The default reads local files and connects to every address. For URLs that strangers wrote use
/// ``Transport/untrustedURLs(_:)``.
public struct SchemeTransport: Transport {
  /// For `http:` and `https:`.
  fileprivate(set) var network: any Transport
  private var file: (any Transport)?
  private var data: any Transport
  /// Of other schemes, in lower case.
  private var others: [String: any Transport] = [:]

  /// Creates the transport.
  ///
  /// - Parameters:
  ///   - network: For `http:` and `https:`.
  ///   - file: For `file:`; nil refuses such URLs.
  ///   - data: For `data:`.
  public init(
    network: any Transport,
    file: (any Transport)? = FileTransport(),
    data: any Transport = DataTransport()
  ) {
    self.network = network
    self.file = file
    self.data = data
  }

  /// Sends URLs of a scheme to a transport, in place of the one that had them.
  ///
  /// What it brings of another scheme than `file` and `data` is treated as what a server sends: it
  /// is kept in the caches as the response's fields say, and not at all with `Cache-Control:
  /// no-store`. Its own redirects are for the transport to follow.
  ///
  /// - Parameters:
  ///   - transport: Gets the URLs as they are written, without their fragment.
  ///   - scheme: Such as `s3`, in letters of any case, with or without its colon; `http` and
  ///     `https` have one transport.
  public mutating func register(_ transport: any Transport, for scheme: String) {
    switch scheme.prefix(while: { $0 != ":" }).lowercased() {
    case "http", "https": network = transport
    case "file": file = transport
    case "data": data = transport
    case let other: others[other] = transport
    }
  }

  /// Whether none of its transports is the program's own.
  package var isBuiltIn: Bool {
    network is any BuiltInTransport && (file.map { $0 is FileTransport } ?? true)
      && data is DataTransport && others.isEmpty
  }

  /// Fetches one body through the transport of the URL's scheme.
  ///
  /// - Parameters:
  ///   - request: What to fetch.
  ///   - progress: Called while bytes arrive.
  /// - Returns: The response.
  /// - Throws: ``TransportError/invalidURL(_:)`` for a scheme without one, and for files when none
  ///   are read; what the transport throws.
  public func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    try await transport(of: request.url).fetch(request, progress: progress)
  }

  private func transport(of url: String) throws(TransportError) -> any Transport {
    switch urlScheme(of: url) {
    case "http", "https": return network
    case "data": return data
    case "file":
      guard let file else {
        throw .invalidURL("the scheme “file” is not allowed here; use http, https or data")
      }
      return file
    case let scheme?:
      if let other = others[scheme] { return other }
      throw .invalidURL("the scheme “\(scheme)” is not known; use http, https, file or data")
    case nil:
      throw .invalidURL("the URL has no scheme; it starts with http:, https:, file: or data:")
    }
  }
}
