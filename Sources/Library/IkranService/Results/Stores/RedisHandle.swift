#if Redis
import CRedis
import IkranSystem

/// A connection to Redis, by hiredis.
final class RedisHandle: TierConnection {
  private let place: RedisPlace
  private let timeout: timeval
  private var raw: UnsafeMutablePointer<redisContext>?

  init(_ place: RedisPlace, timeout: Duration) {
    self.place = place
    let time = max(1000, timeout.microseconds)
    self.timeout = timeval(tv_sec: Int(time / 1_000_000), tv_usec: Int(time % 1_000_000))
  }

  deinit { disconnect() }

  func value(for key: String) throws(TierError) -> [UInt8]? {
    try command(["GET", key]) { reply in
      reply.type == REDIS_REPLY_STRING ? Self.bytes(reply) : nil
    }
  }

  func store(_ bytes: [UInt8], for key: String) throws(TierError) {
    try command([Array("SET".utf8), Array(key.utf8), bytes]) { _ in }
  }

  func claim(_ key: String, for lifetime: Duration) throws(TierError) -> Bool {
    let milliseconds = max(1, lifetime.microseconds / 1000)
    return try command(["SET", key, "1", "NX", "PX", "\(milliseconds)"]) { reply in
      reply.type != REDIS_REPLY_NIL
    }
  }

  func remove(_ key: String) throws(TierError) { try command(["DEL", key]) { _ in } }

  /// Connects, chooses the database and says who is asking.
  ///
  /// C functions: `redisConnectWithTimeout`, `redisSetTimeout`.
  private func connect() throws(TierError) {
    guard raw == nil else { return }
    guard let made = redisConnectWithTimeout(place.host, CInt(place.port), timeout) else {
      throw .failed("no memory for a connection")
    }
    raw = made
    guard made.pointee.err == 0, redisSetTimeout(made, timeout) == REDIS_OK else {
      throw lost()
    }
    if let password = place.password {
      try command(["AUTH"] + (place.user.map { [$0] } ?? []) + [password]) { _ in }
    }
    if place.database != 0 { try command(["SELECT", "\(place.database)"]) { _ in } }
  }

  /// Ends the connection, whose next use begins another.
  ///
  /// C function: `redisFree`.
  private func disconnect() {
    if let raw { redisFree(raw) }
    raw = nil
  }

  /// Why the connection cannot be used any more.
  private func lost() -> TierError {
    let reason = raw.map { context in
      withUnsafeBytes(of: context.pointee.errstr) { text in
        String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
      }
    }
    disconnect()
    return .failed(reason ?? "the connection is lost")
  }

  private func command<Value>(
    _ words: [String],
    _ read: (redisReply) -> Value
  ) throws(TierError) -> Value {
    try command(words.map { Array($0.utf8) }, read)
  }

  /// Sends a command and reads its reply.
  ///
  /// C functions: `redisCommandArgv`, `freeReplyObject`.
  private func command<Value>(
    _ words: [[UInt8]],
    _ read: (redisReply) -> Value
  ) throws(TierError) -> Value {
    try connect()
    let joined = words.flatMap { $0 }
    let lengths = words.map(\.count)
    let reply = joined.withUnsafeBytes { bytes -> UnsafeMutableRawPointer? in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
      var offset = 0
      var pointers: [UnsafePointer<CChar>?] = []
      for length in lengths {
        pointers.append(start + offset)
        offset += length
      }
      return redisCommandArgv(raw, CInt(words.count), &pointers, lengths)
    }
    guard let reply else { throw lost() }
    defer { freeReplyObject(reply) }
    let value = reply.assumingMemoryBound(to: redisReply.self).pointee
    guard value.type != REDIS_REPLY_ERROR else {
      let text = String(decoding: Self.bytes(value), as: UTF8.self)
      if text.hasPrefix("OOM") { throw .refused(text) }
      disconnect()
      throw .failed(text)
    }
    return read(value)
  }

  private static func bytes(_ reply: redisReply) -> [UInt8] {
    reply.str.map { Array(UnsafeRawBufferPointer(start: $0, count: reply.len)) } ?? []
  }
}
#endif
