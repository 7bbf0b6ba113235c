#if Memcached
import CMemcached
import IkranSystem

/// A connection to the servers of memcached, by libmemcached; which server has a key is as in
/// other clients with ketama.
final class MemcachedHandle: TierConnection {
  private let servers: [(host: String, port: Int)]
  /// The longest wait, in microseconds.
  private let timeout: UInt64
  private var raw: UnsafeMutablePointer<memcached_st>?

  /// Takes the servers; they are connected to when they are first used.
  init(_ servers: [(host: String, port: Int)], timeout: Duration) {
    self.servers = servers
    self.timeout = UInt64(max(1000, timeout.microseconds))
  }

  deinit { memcached_free(raw) }

  /// libmemcached's side, made when it is needed.
  ///
  /// C functions: `memcached_create`, `memcached_behavior_set`, `memcached_server_add`.
  private func handle() throws(TierError) -> UnsafeMutablePointer<memcached_st> {
    if let raw { return raw }
    guard let made = memcached_create(nil) else { throw .failed("no memory for a connection") }
    let behaviors: [(memcached_behavior_t, UInt64)] = [
      (MEMCACHED_BEHAVIOR_KETAMA, 1), (MEMCACHED_BEHAVIOR_NO_BLOCK, 1),
      (MEMCACHED_BEHAVIOR_TCP_NODELAY, 1), (MEMCACHED_BEHAVIOR_CONNECT_TIMEOUT, timeout / 1000),
      (MEMCACHED_BEHAVIOR_POLL_TIMEOUT, timeout / 1000),
      (MEMCACHED_BEHAVIOR_SND_TIMEOUT, timeout), (MEMCACHED_BEHAVIOR_RCV_TIMEOUT, timeout),
    ]
    for (behavior, value) in behaviors { memcached_behavior_set(made, behavior, value) }
    for server in servers { memcached_server_add(made, server.host, in_port_t(server.port)) }
    raw = made
    return made
  }

  /// C function: `memcached_get`, whose result is freed.
  func value(for key: String) throws(TierError) -> [UInt8]? {
    let raw = try handle()
    var count = 0
    var flags: UInt32 = 0
    var code = MEMCACHED_SUCCESS
    let found = memcached_get(raw, key, key.utf8.count, &count, &flags, &code)
    defer { free(found) }
    guard code != MEMCACHED_NOTFOUND else { return nil }
    try check(code)
    return found.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
  }

  /// C function: `memcached_set`.
  func store(_ bytes: [UInt8], for key: String) throws(TierError) {
    let raw = try handle()
    let code = bytes.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      return memcached_set(raw, key, key.utf8.count, start, bytes.count, 0, 0)
    }
    try check(code)
  }

  /// C function: `memcached_add`, whose times are whole seconds.
  func claim(_ key: String, for lifetime: Duration) throws(TierError) -> Bool {
    let raw = try handle()
    let seconds = Int(max(1, (lifetime.microseconds + 999_999) / 1_000_000))
    let code = memcached_add(raw, key, key.utf8.count, "1", 1, seconds, 0)
    // The text protocol says of an `add` that it is not stored, the binary one that there is one.
    if code == MEMCACHED_NOTSTORED || code == MEMCACHED_DATA_EXISTS { return false }
    try check(code)
    return true
  }

  /// C function: `memcached_delete`.
  func remove(_ key: String) throws(TierError) {
    let raw = try handle()
    let code = memcached_delete(raw, key, key.utf8.count, 0)
    if code != MEMCACHED_NOTFOUND { try check(code) }
  }

  /// Throws what a code stands for.
  ///
  /// A failure ends the connections: libmemcached would leave a server alone for a while that may
  /// be well again, which is for the breaker to decide.
  private func check(_ code: memcached_return_t) throws(TierError) {
    guard code != MEMCACHED_SUCCESS, code != MEMCACHED_BUFFERED else { return }
    let reason = memcached_strerror(raw, code).map { String(cString: $0) } ?? "it fails"
    if code == MEMCACHED_E2BIG || code == MEMCACHED_SERVER_MEMORY_ALLOCATION_FAILURE {
      throw .refused(reason)
    }
    memcached_free(raw)
    raw = nil
    throw .failed(reason)
  }
}
#endif
