import CCurl

/// libcurl's side of one transfer at a time.
struct CurlEasyHandle: ~Copyable {
  private let raw: UnsafeMutableRawPointer
  /// Where libcurl writes what went wrong; it outlives `raw`.
  private let message: UnsafeMutablePointer<CChar>

  /// Acquires a handle with everything set that never changes; nil when memory is short.
  ///
  /// `curl_easy_init`.
  init?(_ options: CurlOptions) {
    guard let raw = curl_easy_init() else { return nil }
    self.raw = raw
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    _ = ikran_curl_set_pointer(raw, CURLOPT_ERRORBUFFER, message)
    _ = ikran_curl_allow_http_only(raw)
    _ = ikran_curl_detach_lookups(raw)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_FOLLOWLOCATION, 1)
    set(CURLOPT_MAXREDIRS, max(0, options.maximumRedirects))
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    // One read takes a whole small image; libcurl's own 16 KB would need several system calls.
    set(CURLOPT_BUFFERSIZE, 64 << 10)
    set(CURLOPT_USERAGENT, options.userAgent)
    set(CURLOPT_CAINFO, options.additionalCAFile)
  }

  deinit {
    curl_easy_cleanup(raw)
    message.deallocate()
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
    _ = ikran_curl_set_string(raw, option, value)
  }

  /// Takes a text back.
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

  /// Says who hears of headers and bytes; `context` must outlive the handle.
  ///
  /// `curl_easy_setopt`.
  borrowing func setReceiver(
    _ context: UnsafeMutableRawPointer,
    onHeader: @escaping ikran_curl_bytes_callback,
    onBytes: @escaping ikran_curl_bytes_callback
  ) {
    _ = ikran_curl_set_pointer(raw, CURLOPT_PRIVATE, context)
    _ = ikran_curl_set_pointer(raw, CURLOPT_HEADERDATA, context)
    _ = ikran_curl_set_pointer(raw, CURLOPT_WRITEDATA, context)
    _ = ikran_curl_set_callback(raw, CURLOPT_HEADERFUNCTION, onHeader)
    _ = ikran_curl_set_callback(raw, CURLOPT_WRITEFUNCTION, onBytes)
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

  /// What went wrong, in libcurl's words.
  ///
  /// `CURLOPT_ERRORBUFFER`, else `curl_easy_strerror`.
  borrowing func reason(_ code: CURLcode) -> String {
    String(cString: message[0] == 0 ? UnsafePointer(message) : curl_easy_strerror(code))
  }

  /// Forgets the last transfer's error text.
  borrowing func clearReason() { message[0] = 0 }
}

/// Header fields in the form libcurl wants.
final class CurlHeaderList {
  /// What is sent unless a request says otherwise.
  private static let accept = HeaderField("Accept", "image/*,*/*;q=0.8")

  private(set) var first: UnsafeMutablePointer<curl_slist>?

  /// Makes a list of a request's fields and the ones always sent.
  ///
  /// `curl_slist_append`, which copies.
  init(_ fields: [HeaderField]) {
    let hasAccept = fields.contains { $0.name.lowercased() == "accept" }
    for field in hasAccept ? fields : fields + [Self.accept] {
      // “Name;” is how libcurl spells a field without a value; “Name:” would remove it.
      let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
      if let list = curl_slist_append(first, line) { first = list }
    }
  }

  deinit { curl_slist_free_all(first) }

  /// Refuses fields that would end their line early and start another.
  ///
  /// - Throws: ``TransportError/failed(code:reason:)`` with libcurl's code for a bad argument.
  static func validate(_ fields: [HeaderField]) throws(TransportError) {
    for field in fields {
      let isToken = !field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      let isOneLine = field.value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
      guard isToken, isOneLine, !field.name.contains(":"), !field.name.contains(";") else {
        throw .failed(
          code: Int(CURLE_BAD_FUNCTION_ARGUMENT.rawValue),
          reason: "a header field to send has a name or value that HTTP does not allow"
        )
      }
    }
  }
}
