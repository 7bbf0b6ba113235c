#if CLibraries
import CCurl

/// libcurl's set of transfers, with the connections they share.
///
/// A class because the loop's thread and those that wake it hold it.
final class CurlMultiHandle: @unchecked Sendable {  // only `wakeUp` is called off the loop's thread
  /// Bounds a sleep; commands and sockets end it earlier.
  private static let longestSleep: CInt = 60_000

  /// libcurl's own tables, made once per process; thread-safe since libcurl 7.84.
  private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private let raw: UnsafeMutableRawPointer

  /// Acquires the handle; nil when memory is short.
  ///
  /// `curl_multi_init`.
  init?(_ options: CurlOptions) {
    guard Self.isLibraryReady, let raw = curl_multi_init() else { return nil }
    self.raw = raw
    let total = max(1, options.connections.total)
    set(CURLMOPT_MAX_HOST_CONNECTIONS, max(1, options.connections.perHost))
    set(CURLMOPT_MAX_TOTAL_CONNECTIONS, total)
    // libcurl would keep four times the running transfers, which closes connections when the
    // load falls for a moment.
    set(CURLMOPT_MAXCONNECTS, total)
    set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    set(CURLMOPT_MAX_CONCURRENT_STREAMS, max(1, options.connections.streamsPerHost))
  }

  deinit { curl_multi_cleanup(raw) }

  /// Ends the loop's sleep, or its next one.
  ///
  /// `curl_multi_wakeup`, the one function libcurl allows from any thread.
  func wakeUp() { curl_multi_wakeup(raw) }

  /// Waits until a socket is ready, a timeout is due or ``wakeUp()`` is called.
  ///
  /// `curl_multi_poll`.
  func sleep() { curl_multi_poll(raw, nil, 0, Self.longestSleep, nil) }

  /// Whether a socket is ready now.
  ///
  /// `curl_multi_poll`.
  func isReady() -> Bool {
    var ready: CInt = 0
    return curl_multi_poll(raw, nil, 0, 0, &ready) == CURLM_OK && ready > 0
  }

  /// Moves all bytes that can move now; calls the transfers' callbacks.
  ///
  /// `curl_multi_perform`.
  func perform() {
    var running: CInt = 0
    curl_multi_perform(raw, &running)
  }

  /// A transfer that has ended since, with libcurl's result.
  ///
  /// `curl_multi_info_read`.
  func nextEnded() -> (CurlTransfer, CURLcode)? {
    var left: CInt = 0
    while let message = curl_multi_info_read(raw, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
        let transfer = CurlTransfer.owner(of: easy)
      else { continue }
      return (transfer, ikran_curl_message_result(message))
    }
    return nil
  }

  /// Starts a transfer.
  ///
  /// `curl_multi_add_handle`.
  ///
  /// - Returns: Nil, or why it cannot start.
  func add(_ transfer: CurlTransfer) -> TransportError? {
    let code = transfer.easy.withRaw { curl_multi_add_handle(raw, $0) }
    guard code != CURLM_OK else { return nil }
    return .failed(code: Int(code.rawValue), reason: String(cString: curl_multi_strerror(code)))
  }

  /// Ends a transfer; its connection is kept when its response is complete, else closed.
  ///
  /// `curl_multi_remove_handle`.
  func remove(_ transfer: CurlTransfer) {
    _ = transfer.easy.withRaw { curl_multi_remove_handle(raw, $0) }
  }

  private func set(_ option: CURLMoption, _ value: Int) {
    _ = ikran_curl_multi_set_long(raw, option, value)
  }
}
#endif
