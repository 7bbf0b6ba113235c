#if CLibraries
import CCurl

/// libcurl's side of one transfer at a time.
struct CurlEasyHandle: ~Copyable {
  private let raw: UnsafeMutableRawPointer
  /// Where libcurl writes what went wrong; it outlives `raw`.
  private let message: UnsafeMutablePointer<CChar>
  /// Used by libcurl until the handle is gone.
  private let cookies: CurlCookieJar?

  /// Acquires a handle with everything set that never changes; nil when memory is short.
  ///
  /// `curl_easy_init`.
  ///
  /// - Parameters:
  ///   - options: What never changes.
  ///   - cookies: Where cookies are kept; nil ignores them.
  init?(_ options: CurlOptions, cookies: CurlCookieJar?) {
    guard let raw = curl_easy_init() else { return nil }
    self.raw = raw
    self.cookies = cookies
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    _ = ikran_curl_set_pointer(raw, CURLOPT_ERRORBUFFER, message)
    _ = ikran_curl_allow_http_only(raw)
    _ = ikran_curl_detach_lookups(raw)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // One read takes a whole small image; libcurl's own 16 KB would need several system calls.
    set(CURLOPT_BUFFERSIZE, 64 << 10)
    set(CURLOPT_USERAGENT, options.identity.userAgent)
    set(options.tls)
    set(options.proxy, isGuarded: options.destinations.addresses.refusesSome)
    if let cookies {
      _ = ikran_curl_set_pointer(raw, CURLOPT_SHARE, cookies.raw)
      set(CURLOPT_COOKIEFILE, "")  // An empty name turns cookies on and reads no file.
    }
    if let speed = options.limits.minimumSpeed {
      set(CURLOPT_LOW_SPEED_LIMIT, min(max(1, speed.bytesPerSecond), Int(CInt.max)))
      set(CURLOPT_LOW_SPEED_TIME, speed.curlSeconds)
    }
  }

  deinit {
    curl_easy_cleanup(raw)
    message.deallocate()
  }

  private borrowing func set(_ tls: TLSOptions) {
    set(CURLOPT_SSL_VERIFYPEER, tls.allowsInvalidCertificates ? 0 : 1)
    set(CURLOPT_SSL_VERIFYHOST, tls.allowsInvalidCertificates ? 0 : 2)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_CAINFO, tls.additionalCAFile)
    set(CURLOPT_SSLCERT, tls.clientCertificate)
    set(CURLOPT_SSLKEY, tls.clientKey)
    set(CURLOPT_KEYPASSWD, tls.clientKeyPassword)
  }

  private borrowing func set(_ proxy: ProxyOptions, isGuarded: Bool) {
    switch proxy {
    case .environment where !isGuarded: return
    case .environment, .none: set(CURLOPT_PROXY, "")
    case .server(let server):
      set(CURLOPT_NOPROXY, "")  // Bypassed hosts are ours to find: see `CurlTransfer`.
      set(CURLOPT_PROXYUSERNAME, server.user)
      set(CURLOPT_PROXYPASSWORD, server.password)
    }
  }

  /// Lends the pointer.
  borrowing func withRaw<R>(_ body: (UnsafeMutableRawPointer) -> R) -> R { body(raw) }

  /// Sets a number or a switch.
  ///
  /// `curl_easy_setopt`.
  borrowing func set(_ option: CURLoption, _ value: Int) {
    _ = ikran_curl_set_long(raw, option, value)
  }

  /// Sets a size.
  ///
  /// `curl_easy_setopt`.
  borrowing func set(_ option: CURLoption, bytes value: Int) {
    _ = ikran_curl_set_offset(raw, option, curl_off_t(value))
  }

  /// Sets a text, which libcurl copies; nil leaves libcurl's own.
  ///
  /// `curl_easy_setopt`.
  borrowing func set(_ option: CURLoption, _ value: String?) {
    guard let value else { return }
    _ = value.withCString { ikran_curl_set_string(raw, option, $0) }
  }

  /// Removes a text.
  ///
  /// `curl_easy_setopt`.
  borrowing func clear(_ option: CURLoption) {
    _ = ikran_curl_set_string(raw, option, nil)
  }

  /// Sets the header fields, which must live as long as the transfer runs.
  ///
  /// `curl_easy_setopt`.
  borrowing func set(_ headers: CurlHeaderList) {
    _ = ikran_curl_set_list(raw, CURLOPT_HTTPHEADER, headers.first)
  }

  /// Sets the callbacks for headers, for bytes, for bytes on the wire and for their number;
  /// `context` must outlive the handle.
  ///
  /// `curl_easy_setopt`.
  borrowing func setReceiver(
    _ context: UnsafeMutableRawPointer,
    onHeader: @escaping ikran_curl_bytes_callback,
    onBytes: @escaping ikran_curl_bytes_callback,
    onWire: @escaping curl_debug_callback,
    onProgress: @escaping curl_xferinfo_callback
  ) {
    _ = ikran_curl_set_pointer(raw, CURLOPT_PRIVATE, context)
    _ = ikran_curl_set_pointer(raw, CURLOPT_HEADERDATA, context)
    _ = ikran_curl_set_pointer(raw, CURLOPT_WRITEDATA, context)
    _ = ikran_curl_set_callback(raw, CURLOPT_HEADERFUNCTION, onHeader)
    _ = ikran_curl_set_callback(raw, CURLOPT_WRITEFUNCTION, onBytes)
    _ = ikran_curl_set_debug(raw, onWire, context)
    _ = ikran_curl_set_progress(raw, onProgress, context)
  }

  /// Sets the request: the method and the body, which libcurl copies.
  ///
  /// `curl_easy_setopt`.
  borrowing func set(method: String, body: [UInt8]?) {
    _ = ikran_curl_set_pointer(raw, CURLOPT_POSTFIELDS, nil)  // Frees the last body.
    set(CURLOPT_HTTPGET, 1)  // Undoes what other methods have set, but for CUSTOMREQUEST.
    clear(CURLOPT_CUSTOMREQUEST)
    // libcurl sends a request again by itself when a reused connection turns out to be closed.
    set(CURLOPT_FRESH_CONNECT, HTTPMethod.isIdempotent(method) ? 0 : 1)
    if let body {
      set(CURLOPT_POST, 1)
      _ = body.withUnsafeBytes { ikran_curl_set_body(raw, $0.baseAddress, $0.count) }
      if method != "POST" { set(CURLOPT_CUSTOMREQUEST, method) }
    } else if method == "HEAD" {
      set(CURLOPT_NOBODY, 1)
    } else if method != "GET" {
      set(CURLOPT_CUSTOMREQUEST, method)
    }
  }

  /// Sets the callback that opens sockets; `context` must outlive the handle.
  ///
  /// `curl_easy_setopt`.
  borrowing func setOpener(
    _ context: UnsafeMutableRawPointer,
    _ opener: @escaping curl_opensocket_callback
  ) {
    _ = ikran_curl_set_opener(raw, opener, context)
  }

  /// A number about the transfer.
  ///
  /// `curl_easy_getinfo`.
  borrowing func number(_ info: CURLINFO) -> Int { ikran_curl_get_long(raw, info) }

  /// A size or a time about the transfer.
  ///
  /// `curl_easy_getinfo`.
  borrowing func offset(_ info: CURLINFO) -> Int { Int(ikran_curl_get_offset(raw, info)) }

  /// A text about the transfer.
  ///
  /// `curl_easy_getinfo`.
  borrowing func text(_ info: CURLINFO) -> String? {
    ikran_curl_get_string(raw, info).map { String(cString: $0) }
  }

  /// The cookies in the jar, as lines of a cookie file.
  ///
  /// `curl_easy_getinfo`, `curl_slist_free_all`.
  borrowing func cookieLines() -> [String] {
    let list = ikran_curl_get_cookies(raw)
    defer { curl_slist_free_all(list) }
    var (lines, next): ([String], _) = ([], list)
    while let item = next {
      if let line = item.pointee.data { lines.append(String(cString: line)) }
      next = item.pointee.next
    }
    return lines
  }

  /// What went wrong, in libcurl's words without a full stop.
  ///
  /// `CURLOPT_ERRORBUFFER`, else `curl_easy_strerror`.
  borrowing func reason(_ code: CURLcode) -> String {
    let text = String(cString: message[0] == 0 ? curl_easy_strerror(code) : UnsafePointer(message))
    return text.last == "." ? String(text.dropLast()) : text
  }

  /// Removes the last transfer's error text.
  borrowing func clearReason() { message[0] = 0 }
}

/// Cookies in memory, shared by the transfers of one loop.
final class CurlCookieJar {
  fileprivate let raw: UnsafeMutableRawPointer

  /// Makes an empty jar; nil when memory is short.
  ///
  /// `curl_share_init`.
  init?() {
    guard let raw = ikran_curl_share_cookies() else { return nil }
    self.raw = raw
  }

  deinit { curl_share_cleanup(raw) }
}

extension MinimumSpeed {
  /// Whole seconds, at least 1, at most libcurl's largest.
  fileprivate var curlSeconds: Int {
    let (seconds, attoseconds) = duration.components
    return max(1, Int(min(seconds, Int64(CInt.max) - 1)) + (attoseconds > 0 ? 1 : 0))
  }
}
#endif
