#if CLibraries
import CCurl

extension TransferMetrics {
  /// Adds what one hop cost; valid once libcurl has ended it.
  ///
  /// libcurl counts each phase from the start of the hop, and leaves those at zero that it skipped.
  mutating func add(_ easy: borrowing CurlEasyHandle) {
    let lookUpEnd = easy.time(CURLINFO_NAMELOOKUP_TIME_T)
    let connectEnd = easy.time(CURLINFO_CONNECT_TIME_T)
    let tlsEnd = easy.time(CURLINFO_APPCONNECT_TIME_T)
    let isNew = easy.number(CURLINFO_NUM_CONNECTS) > 0
    if isNew {
      nameLookup += lookUpEnd
      connect += max(.zero, connectEnd - lookUpEnd)
      tls += max(.zero, tlsEnd - connectEnd)
    }
    let firstByteEnd = easy.time(CURLINFO_STARTTRANSFER_TIME_T)
    firstByte = firstByteEnd > .zero ? total + firstByteEnd : .zero
    total += easy.time(CURLINFO_TOTAL_TIME_T)
    receivedBytes += easy.number(CURLINFO_HEADER_SIZE) + easy.offset(CURLINFO_SIZE_DOWNLOAD_T)
    sentBytes += easy.number(CURLINFO_REQUEST_SIZE) + easy.offset(CURLINFO_SIZE_UPLOAD_T)
    reusedConnection = !isNew && (redirects == 0 || reusedConnection)
    httpVersion = Self.name(ofVersion: easy.number(CURLINFO_HTTP_VERSION))
    address = easy.text(CURLINFO_PRIMARY_IP).flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func name(ofVersion version: Int) -> String {
    switch version {
    case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
    case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
    case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
    case Int(CURL_HTTP_VERSION_3): "HTTP/3"
    default: ""
    }
  }
}

extension CurlEasyHandle {
  /// A time about the transfer; times are in microseconds.
  fileprivate borrowing func time(_ info: CURLINFO) -> Duration { .microseconds(offset(info)) }
}
#endif
