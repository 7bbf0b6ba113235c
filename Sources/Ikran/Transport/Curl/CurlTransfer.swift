import CCurl

/// One transfer at a time: a reusable libcurl handle and what it has received.
///
/// libcurl holds a pointer to it without a reference: the transfer owns the handle, so it
/// outlives it. Not `Sendable`; only the loop's thread touches it.
final class CurlTransfer {
  /// A sender's word about a length reserves at most this much; the rest grows with what arrives.
  private static let maximumTrustedLength = 1 << 20
  /// All header lines of all hops together.
  private static let maximumHeaderBytes = 256 << 10

  let easy: CurlEasyHandle
  private let maximumRedirects: Int
  private var job: CurlJob?
  private var headerList: CurlHeaderList?
  private var headers: [HeaderField] = []
  private var headerBytes = 0
  private var body: [UInt8] = []
  private var maximumBodyBytes = 0
  private var expected: Int?
  /// Why a callback told libcurl to stop; it hears only that the write failed.
  private var refusal: TransportError?

  /// Makes a transfer without a job; nil when memory is short.
  init?(_ options: CurlOptions) {
    guard let easy = CurlEasyHandle(options) else { return nil }
    self.easy = easy
    maximumRedirects = max(0, options.maximumRedirects)
    self.easy.setReceiver(
      Unmanaged.passUnretained(self).toOpaque(),
      onHeader: { CurlTransfer.hear($0, $1, $2, $3) { $0.takeHeader($1) } },
      onBytes: { CurlTransfer.hear($0, $1, $2, $3) { $0.takeBytes($1) } }
    )
  }

  /// The transfer that a handle belongs to.
  static func owner(of easy: UnsafeMutableRawPointer) -> CurlTransfer? {
    ikran_curl_get_context(easy).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Prepares the handle for a job.
  func begin(_ job: CurlJob, defaultHeaders: CurlHeaderList) {
    let request = job.request
    let list = request.headers.isEmpty ? defaultHeaders : CurlHeaderList(request.headers)
    self.job = job
    headerList = list
    maximumBodyBytes = max(0, request.maximumBodyBytes)
    easy.clearReason()
    easy.set(CURLOPT_URL, job.address.url)
    easy.set(list)
    easy.set(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout.curlMilliseconds)
    easy.set(CURLOPT_TIMEOUT_MS, request.timeout.curlMilliseconds)
    easy.set(CURLOPT_MAXFILESIZE_LARGE, bytes: maximumBodyBytes)
    // Over plain http only HTTP/1.1 is spoken, and waiting for a connection to share is in vain.
    let version = job.address.isSecure ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1)
    easy.set(CURLOPT_HTTP_VERSION, version)
    easy.set(CURLOPT_PIPEWAIT, job.address.isSecure ? 1 : 0)
  }

  /// Forgets everything about the job and hands it back; nil when there was none.
  func end() -> CurlJob? {
    let ended = job
    job = nil
    headerList = nil
    headers = []
    headerBytes = 0
    body = []
    expected = nil
    refusal = nil
    return ended
  }

  /// Connections that were opened for it; valid once it ended.
  var openedConnections: Int { easy.number(CURLINFO_NUM_CONNECTS) }

  /// Whether its answer came over a connection that transfers share.
  var isMultiplexed: Bool {
    easy.number(CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_2_0)
  }

  /// What the caller gets, given libcurl's verdict.
  func outcome(_ code: CURLcode) -> Result<TransportResponse, TransportError> {
    if let refusal { return .failure(refusal) }
    guard let job else { return .failure(.cancelled) }
    guard code == CURLE_OK else { return .failure(error(code, of: job)) }
    return .success(
      TransportResponse(
        status: easy.number(CURLINFO_RESPONSE_CODE),
        headers: headers,
        body: body,
        url: finalURL(of: job)
      )
    )
  }
}

// MARK: - Receiving

extension CurlTransfer {
  /// The body of both callbacks: finds the transfer, lends it the bytes, says how many it took.
  private static func hear(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?,
    _ take: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let bytes, let context else { return 0 }
    let length = size * count
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    let isTaken = take(transfer, UnsafeRawBufferPointer(start: bytes, count: length))
    // Any other number than the length ends the transfer; 0 would do for bytes, not for nothing.
    return isTaken ? length : length ^ 1
  }

  private func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    headerBytes += line.count
    guard headerBytes <= Self.maximumHeaderBytes else {
      let reason = "the header is longer than \(Self.maximumHeaderBytes) bytes"
      return refuse(.failed(code: Int(CURLE_WRITE_ERROR.rawValue), reason: reason))
    }
    if line.starts(with: "HTTP/".utf8) {
      headers = []  // Another hop, or the answer after an interim one.
      return true
    }
    let text = line.trimmingASCIIWhitespace()
    guard !text.isEmpty else { return headerIsComplete() }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return true }
    let name = UnsafeRawBufferPointer(rebasing: text[..<colon])
    let value = UnsafeRawBufferPointer(rebasing: text[(colon + 1)...])
    headers.append(
      HeaderField(
        String(decoding: name, as: UTF8.self),
        String(decoding: value.trimmingASCIIWhitespace(), as: UTF8.self)
      )
    )
    return true
  }

  private func headerIsComplete() -> Bool {
    guard body.isEmpty, expected == nil else { return true }  // Trailing fields end so, too.
    let status = easy.number(CURLINFO_RESPONSE_CODE)
    let isRedirect = (300..<400).contains(status) && headers.contains { $0.isNamed("location") }
    guard status >= 200, !isRedirect else { return true }
    let length = easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    if length >= 0 {
      guard length <= maximumBodyBytes else {
        return refuse(.bodyTooLarge(limit: maximumBodyBytes))
      }
      expected = length
      body.reserveCapacity(min(length, Self.maximumTrustedLength))
    }
    job?.progress(TransferProgress(received: 0, expected: expected))
    return true
  }

  private func takeBytes(_ chunk: UnsafeRawBufferPointer) -> Bool {
    guard chunk.count <= maximumBodyBytes - body.count else {
      return refuse(.bodyTooLarge(limit: maximumBodyBytes))
    }
    body.append(contentsOf: chunk)
    job?.progress(TransferProgress(received: body.count, expected: expected))
    return true
  }

  private func refuse(_ error: TransportError) -> Bool {
    refusal = error
    return false
  }
}

// MARK: - Failing

extension CurlTransfer {
  private func error(_ code: CURLcode, of job: CurlJob) -> TransportError {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .hostNotFound(finalAddress(of: job).host)
    case CURLE_COULDNT_RESOLVE_PROXY: .hostNotFound(easy.reason(code))
    case CURLE_COULDNT_CONNECT: .cannotConnect(finalAddress(of: job).hostAndPort)
    case CURLE_OPERATION_TIMEDOUT: .timedOut(after: passedTimeout(of: job.request))
    case CURLE_TOO_MANY_REDIRECTS: .tooManyRedirects(limit: maximumRedirects)
    case CURLE_FILESIZE_EXCEEDED: .bodyTooLarge(limit: maximumBodyBytes)
    case CURLE_UNSUPPORTED_PROTOCOL: .forbiddenRedirect(redirectTarget)
    case CURLE_URL_MALFORMAT:
      easy.number(CURLINFO_REDIRECT_COUNT) > 0 || !headers.isEmpty
        ? .forbiddenRedirect(redirectTarget)
        : .invalidURL("the URL is malformed: \(easy.reason(code))")
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
      CURLE_HTTP2, CURLE_HTTP2_STREAM:
      .connectionLost(received: body.count)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
      .tls(easy.reason(code))
    default: .failed(code: Int(code.rawValue), reason: easy.reason(code))
    }
  }

  /// libcurl has one code for both time-outs; the time spent tells them apart.
  private func passedTimeout(of request: TransportRequest) -> Duration {
    let spent = Duration.microseconds(easy.offset(CURLINFO_TOTAL_TIME_T))
    return spent >= request.timeout ? request.timeout : min(request.connectTimeout, request.timeout)
  }

  private var redirectTarget: String {
    redacted(headers.last { $0.isNamed("location") }?.value ?? "nowhere")
  }

  private func finalURL(of job: CurlJob) -> String {
    guard easy.number(CURLINFO_REDIRECT_COUNT) > 0 else { return job.request.url }
    return easy.text(CURLINFO_EFFECTIVE_URL) ?? job.request.url
  }

  private func finalAddress(of job: CurlJob) -> HTTPAddress {
    // A redirect's target that is no address leaves the first one to name.
    (try? HTTPAddress(finalURL(of: job))) ?? job.address
  }
}

extension HeaderField {
  fileprivate func isNamed(_ other: String) -> Bool {
    name.utf8.count == other.utf8.count && name.lowercased() == other
  }
}

extension Duration {
  /// Whole milliseconds, at least 1 (0 would mean no time-out at all), at most libcurl's largest.
  fileprivate var curlMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds < Int64(CInt.max) / 1000 else { return Int(CInt.max) }
    guard seconds >= 0 else { return 1 }
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func trimmingASCIIWhitespace() -> UnsafeRawBufferPointer {
    func isWhite(_ byte: UInt8) -> Bool {
      byte == 0x20 || byte == 0x0D || byte == 0x0A || byte == 0x09
    }
    var range = startIndex..<endIndex
    while let first = range.first, isWhite(self[first]) { range = first + 1..<range.upperBound }
    while let last = range.last, isWhite(self[last]) { range = range.lowerBound..<last }
    return UnsafeRawBufferPointer(rebasing: self[range])
  }
}
