#if CLibraries
import CCurl

/// One transfer at a time: a reusable libcurl handle and what it has received.
///
/// libcurl holds a pointer to it without a reference: the transfer owns the handle, so it
/// outlives it. Not `Sendable`; only the loop's thread touches it.
final class CurlTransfer {
  /// What becomes of a transfer that libcurl has ended.
  enum Outcome {
    case finished(Result<TransportResponse, TransportError>)
    /// It is ready to run again, towards a redirect's target.
    case redirected
  }

  /// Options of the handle that most transfers leave as they are.
  private struct AppliedOptions {
    var connectTimeout: Duration?
    var timeout: Duration?
    var version: Int?
    var encoding: String?
    var isDecoding = true
    var showsWire = false
    var login: CurlLogin?
  }

  let easy: CurlEasyHandle
  let options: CurlOptions
  private let credentialOrigin: String?
  private var job: CurlJob?
  private var hop: HTTPHop?
  private var headerList: CurlHeaderList?
  private var received = CurlResponse()
  private var metrics = TransferMetrics()
  private var addedFields: [HeaderField] = []
  /// The options that were set last; libcurl keeps them until they are set again.
  private var applied = AppliedOptions()
  /// Whether the handle is set for what most requests are: a GET without a body.
  private var isPlain = true
  /// Whether an address was refused on the way to the current hop.
  private var metForbiddenAddress = false

  /// Makes a transfer without a job; nil when memory is short.
  init?(_ options: CurlOptions, cookies: CurlCookieJar?) {
    guard let easy = CurlEasyHandle(options, cookies: cookies) else { return nil }
    self.easy = easy
    self.options = options
    credentialOrigin = options.identity.credential?.canonicalOrigin
    let context = Unmanaged.passUnretained(self).toOpaque()
    self.easy.setReceiver(
      context,
      onHeader: { CurlTransfer.receive($0, $1, $2, $3) { $0.takeHeader($1) } },
      onBytes: { CurlTransfer.receive($0, $1, $2, $3) { $0.takeBytes($1) } },
      onWire: { CurlTransfer.showWire($1, $2, $3, $4) },
      onProgress: { context, _, received, _, _ in
        CurlTransfer.noteWireBytes(context, Int(received))
      }
    )
    if options.destinations.addresses.refusesSome {
      self.easy.setOpener(context) { CurlTransfer.open($0, $2) }
    }
  }

  /// The transfer that a handle belongs to.
  static func owner(of easy: UnsafeMutableRawPointer) -> CurlTransfer? {
    ikran_curl_get_context(easy).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Prepares the handle for a job.
  func begin(_ job: CurlJob, defaultHeaders: CurlHeaderList, addedFields: [HeaderField]) {
    let request = job.request
    (self.job, self.addedFields) = (job, addedFields)
    received = CurlResponse(
      maximumHeaderBytes: options.limits.maximumHeaderBytes,
      maximumBodyBytes: request.maximumBodyBytes
    )
    if applied.connectTimeout != request.connectTimeout {
      applied.connectTimeout = request.connectTimeout
      easy.set(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout.curlMilliseconds)
    }
    configure(
      for: HTTPHop(request, address: job.address),
      within: request.timeout,
      list: request.headers.isEmpty && request.body == nil ? defaultHeaders : nil
    )
  }

  /// Prepares the handle for one address.
  private func configure(for hop: HTTPHop, within time: Duration, list: CurlHeaderList? = nil) {
    // libcurl signs fields that it removes, too.
    let removesFields = hop.body != nil && job?.request.signature == nil
    let list = list ?? CurlHeaderList(hop.headers, hasBody: removesFields)
    self.hop = hop
    headerList = list
    metForbiddenAddress = false
    easy.clearReason()
    easy.set(CURLOPT_URL, hop.address.url)
    easy.set(list)
    if applied.timeout != time {
      applied.timeout = time
      easy.set(CURLOPT_TIMEOUT_MS, time.curlMilliseconds)
    }
    setVersion(hop)
    setEncoding(hop)
    setDecoding(true)
    setShowsWire(false)
    setMethod(hop)
    setLogin(hop)
    if case .server(let proxy) = options.proxy {
      easy.set(CURLOPT_PROXY, proxy.serves(hop.address.host) ? proxy.url : "")
    }
  }

  private func setVersion(_ hop: HTTPHop) {
    let version = options.httpVersion.curlVersion(isSecure: hop.address.isSecure)
    guard applied.version != version else { return }
    applied.version = version
    easy.set(CURLOPT_HTTP_VERSION, version)
    // Over HTTP/1.1 no connection is shared: do not wait for one.
    easy.set(CURLOPT_PIPEWAIT, version == Int(CURL_HTTP_VERSION_1_1) ? 0 : 1)
  }

  /// Accepts every encoding that libcurl can remove, but none of a part: no part can be decoded
  /// without what comes before it.
  private func setEncoding(_ hop: HTTPHop) {
    let encoding = hop.headers.contains { $0.isNamed("range") } ? "identity" : ""
    guard applied.encoding != encoding else { return }
    applied.encoding = encoding
    // Decision 29: content encodings are removed by libcurl, and never from a part.
    easy.set(CURLOPT_ACCEPT_ENCODING, encoding)
  }

  private func setDecoding(_ isDecoding: Bool) {
    guard applied.isDecoding != isDecoding else { return }
    applied.isDecoding = isDecoding
    easy.set(CURLOPT_HTTP_CONTENT_DECODING, isDecoding ? 1 : 0)
  }

  /// libcurl shows the wire's bytes only together with messages about each transfer, which cost
  /// time.
  private func setShowsWire(_ showsWire: Bool) {
    guard applied.showsWire != showsWire else { return }
    applied.showsWire = showsWire
    easy.set(CURLOPT_VERBOSE, showsWire ? 1 : 0)
  }

  private func setMethod(_ hop: HTTPHop) {
    let mustBePlain = hop.method == "GET" && hop.body == nil
    guard !mustBePlain || !isPlain else { return }
    easy.set(method: hop.method, body: hop.body)
    isPlain = mustBePlain
  }

  private func setLogin(_ hop: HTTPHop) {
    let wanted = login(of: hop)
    guard applied.login != wanted else { return }
    applied.login = wanted
    easy.set(wanted)
  }

  private func login(of hop: HTTPHop) -> CurlLogin? {
    guard hop.isSameOrigin, hop.address.userInfo.isEmpty else { return nil }
    if let signature = job?.request.signature { return CurlLogin(signature) }
    guard let credential = options.identity.credential, hop.address.origin == credentialOrigin
    else { return nil }
    return CurlLogin(credential)
  }

  /// Reports what had arrived, when the transfer ends too early.
  func reportInterruption() {
    guard let job, let report = job.request.onInterruption, received.isResumable else { return }
    report(response(isComplete: false, metrics: nil))
  }

  /// Forgets everything about the job and hands it back; nil when there was none.
  func end() -> CurlJob? {
    let ended = job
    job = nil
    hop = nil
    headerList = nil
    received = CurlResponse()
    metrics = TransferMetrics()
    return ended
  }

  /// Connections that were opened for the current hop; valid once it ended.
  var openedConnections: Int { easy.number(CURLINFO_NUM_CONNECTS) }

  /// Whether its response came over a connection that transfers share.
  var isMultiplexed: Bool {
    easy.number(CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0)
  }

  /// What the caller gets, or that there is another hop to go.
  func outcome(_ code: CURLcode) -> Outcome {
    metrics.add(easy)
    if let refusal = received.refusal { return .finished(.failure(refusal)) }
    guard let job, let hop else { return .finished(.failure(.cancelled)) }
    if received.wasEnough {
      return .finished(.success(response(isComplete: false, metrics: metrics)))
    }
    guard code == CURLE_OK else {
      return .finished(.failure(proxyFailure(code, at: hop) ?? error(code, of: job, at: hop)))
    }
    if let error = received.missingEnd { return .finished(.failure(error)) }
    do throws(TransportError) { try received.removeEncoding() } catch {
      return .finished(.failure(error))
    }
    guard let target = received.redirectTarget else {
      return .finished(.success(response(isComplete: true, metrics: metrics)))
    }
    do {
      let address = try self.address(of: target, from: hop)
      if job.request.reportsRedirects {
        var response = response(isComplete: true, metrics: metrics)
        response.redirectTarget = address.url
        return .finished(.success(response))
      }
      try follow(address, from: hop, of: job)
      return .redirected
    } catch {
      return .finished(.failure(error))
    }
  }

  /// The address of a redirect's target, if it may be gone to.
  private func address(of target: String, from hop: HTTPHop) throws(TransportError) -> HTTPAddress {
    let limit = max(0, options.limits.maximumRedirects)
    guard hop.redirects < limit else { throw .tooManyRedirects(limit: limit) }
    guard let address = try? HTTPAddress(hop.address.url(ofLocation: target)),
      options.destinations.allow(address)
    else { throw .forbiddenRedirect(redacted(target)) }
    return address
  }

  private func follow(
    _ address: HTTPAddress,
    from hop: HTTPHop,
    of job: CurlJob
  ) throws(TransportError) {
    let left = job.request.timeout - metrics.total
    guard left > .zero else { throw .timedOut(after: job.request.timeout) }
    let next = hop.following(address, status: received.status)
    received.startNextHop()
    metrics.redirects = next.redirects
    configure(for: next, within: left)
  }

  private func response(isComplete: Bool, metrics: TransferMetrics?) -> TransportResponse {
    var response = TransportResponse(
      status: received.status,
      header: received.header,
      body: received.body,
      url: hop.map { $0.redirects > 0 ? $0.address.url : job?.request.url ?? $0.address.url } ?? "",
      isComplete: isComplete,
      metrics: metrics
    )
    response.addedFields = addedFields
    return response
  }
}

// MARK: - Receiving

extension CurlTransfer {
  /// The body of both callbacks: finds the transfer, lends it the bytes, says how many it took.
  private static func receive(
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

  /// Called by libcurl now and then with how many bytes of the body were received.
  ///
  /// Any other result than 0 ends the transfer.
  private static func noteWireBytes(_ context: UnsafeMutableRawPointer?, _ count: Int) -> CInt {
    guard let context else { return 1 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.received.noteWireBytes(count) ? 0 : 1
  }

  /// Called by libcurl with what it reads, and much else.
  private static func showWire(
    _ type: curl_infotype,
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
  ) -> CInt {
    guard type == CURLINFO_DATA_IN, let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    transfer.received.takeWire(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
  }

  private func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    let (isTaken, isEnd) = received.takeHeader(line)
    guard isEnd, received.status == 0 else { return isTaken }
    let status = easy.number(CURLINFO_RESPONSE_CODE)
    guard received.endHeader(status: status, isHead: hop?.method == "HEAD") else { return false }
    // A libcurl that chooses its decoders before this callback still refuses the body.
    setDecoding(!received.mustStayEncoded)
    setShowsWire(received.wireTail != nil)
    if received.status != 0, received.redirectTarget == nil {
      if let onHead = job?.request.onHead { onHead(response(isComplete: false, metrics: nil)) }
      report()
    }
    return true
  }

  private func takeBytes(_ chunk: UnsafeRawBufferPointer) -> Bool {
    guard received.takeBytes(chunk) else { return false }
    guard received.redirectTarget == nil, let job else { return true }
    report()
    if let onBytes = job.request.onBytes, received.isUseful { onBytes(received.body) }
    guard let shouldStop = job.request.shouldStop, received.isUseful,
      received.expected != received.body.count, shouldStop(received.body)
    else { return true }
    received.end()
    return false
  }

  private func report() {
    guard let progress = job?.progress else { return }
    progress(TransferProgress(received: received.body.count, expected: received.expected))
  }
}

// MARK: - Connecting

extension CurlTransfer {
  /// Opens a socket for an address that may be connected to.
  private static func open(
    _ context: UnsafeMutableRawPointer?,
    _ target: UnsafeMutablePointer<curl_sockaddr>?
  ) -> curl_socket_t {
    guard let context, let target else { return -1 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    if transfer.usesProxy { return ikran_curl_open_socket(target) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
      count = ikran_curl_address(target, buffer.baseAddress)
    }
    let policy = transfer.options.destinations.addresses
    guard NetworkAddress(bytes).map(policy.allows) ?? false else {
      transfer.metForbiddenAddress = true
      return -1  // CURL_SOCKET_BAD: libcurl tries the host's next address.
    }
    return ikran_curl_open_socket(target)
  }

  /// Whether the current hop goes through a proxy; the environment's is not used where this
  /// matters.
  private var usesProxy: Bool {
    guard case .server(let proxy) = options.proxy, let hop else { return false }
    return proxy.serves(hop.address.host)
  }
}

// MARK: - Failing

extension CurlTransfer {
  private func error(_ code: CURLcode, of job: CurlJob, at hop: HTTPHop) -> TransportError {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .hostNotFound(hop.address.host)
    case CURLE_COULDNT_CONNECT where metForbiddenAddress: .forbiddenAddress(hop.address.host)
    case CURLE_COULDNT_CONNECT: .cannotConnect(hop.address.hostAndPort)
    case CURLE_OPERATION_TIMEDOUT: slowness(of: job.request, after: metrics.total)
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
      hop.redirects > 0
        ? .forbiddenRedirect(redacted(hop.address.url))
        : .invalidURL("the URL is malformed: \(easy.reason(code))")
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
      CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3:
      .connectionLost(received: received.body.count)
    case CURLE_WEIRD_SERVER_REPLY: .invalidResponse(easy.reason(code))
    // All bytes were taken: libcurl found no room for those after the end of the encoded body.
    case CURLE_WRITE_ERROR where !received.encodings.isEmpty:
      .contentEncoding(received.undecodable("more bytes come after its end"))
    case CURLE_BAD_CONTENT_ENCODING: .contentEncoding(received.undecodable(easy.reason(code)))
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
      .tls(easy.reason(code))
    default: .failed(code: Int(code.rawValue), reason: easy.reason(code))
    }
  }
}
#endif
