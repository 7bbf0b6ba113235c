import CMicroHTTPD
import IkranHTTP

/// One reference to a libmicrohttpd response.
struct ResponseHandle: ~Copyable {
  let pointer: OpaquePointer

  /// Builds a response; nil when memory or file descriptors ran out.
  ///
  /// C functions: MHD_create_response_from_…, MHD_add_response_header.
  init?(_ response: Response, connection: ConnectionHandle, suspended: SuspendedConnections) {
    let claimsLength = response.claimsLength
    let plain =
      response.cut == nil && response.announcesLength && !claimsLength && response.pace == Pace()
      && response.gate == nil
    let created: OpaquePointer? =
      switch response.payload {
      case .memory(let bytes) where plain: bytes.response(response.part)
      case .pattern(let shift)
      where plain && response.part.upperBound + shift <= Pattern.bytes.count:
        Pattern.bytes.response(response.part.lowerBound + shift..<response.part.upperBound + shift)
      case .file(let file) where plain && !response.part.isEmpty: file.response(response.part)
      case _ where plain && response.part.isEmpty: BodyBytes([]).response(0..<0)
      default: BodyReader.response(response, connection: connection, suspended: suspended)
      }
    guard let created else { return nil }
    pointer = created
    if claimsLength { ikran_response_may_lie(pointer, response.announcesLength ? 0 : 1) }
    for field in response.fields { MHD_add_response_header(pointer, field.name, field.value) }
  }

  deinit { MHD_destroy_response(pointer) }
}

/// Sends a body piece by piece: with pauses, without end, or truncated.
///
/// Only the connection's thread calls it.
private final class BodyReader {
  private let response: Response
  private let connection: ConnectionHandle
  private let suspended: SuspendedConnections
  private var hasPaused = false
  private var start: ContinuousClock.Instant?

  private init(_ response: Response, connection: ConnectionHandle, suspended: SuspendedConnections)
  {
    self.response = response
    self.connection = connection
    self.suspended = suspended
  }

  static func response(
    _ response: Response,
    connection: ConnectionHandle,
    suspended: SuspendedConnections
  ) -> OpaquePointer? {
    let reader = BodyReader(response, connection: connection, suspended: suspended)
    let context = Unmanaged.passRetained(reader)
    let created = MHD_create_response_from_callback(
      // MHD_SIZE_UNKNOWN, a macro with a cast.
      response.announcesLength && !response.claimsLength ? UInt64(response.part.count) : UInt64.max,
      16 << 10,
      readBody,
      context.toOpaque(),
      releaseReader
    )
    if created == nil { context.release() }
    return created
  }

  /// Fills `buffer` from `position` on; see MHD_ContentReaderCallback for the special results.
  fileprivate func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let end = min(response.part.count, response.cut ?? Int.max)
    guard position < end else {
      if response.resets { connection.reset() }
      return response.cut == nil ? endOfStream : endWithError
    }
    let open = response.gate?.count ?? Int.max
    if position >= open, let gate = response.gate {
      return suspended.pause(connection, at: position, of: gate) ? 0 : endWithError
    }
    let length = min(buffer.count, min(end, open) - position, response.pace.piece ?? Int.max)
    let pause = pause(before: position + length)
    if pause > .zero && !hasPaused {
      hasPaused = true
      // Zero is valid only for a suspended connection: otherwise the thread would call again at
      // once.
      return suspended.pause(connection, for: pause) ? 0 : endWithError
    }
    hasPaused = false
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<length])
    let offset = response.part.lowerBound + position
    let count =
      switch response.payload {
      case .memory(let bytes): bytes.copy(from: offset, into: piece)
      case .file(let file): file.copy(from: offset, into: piece)
      case .pattern(let shift):
        Pattern.bytes.copy(from: (offset % Pattern.period + shift) % Pattern.period, into: piece)
      }
    return count > 0 ? count : endWithError
  }

  private func pause(before count: Int) -> Duration {
    guard let time = response.pace.time(of: count) else { return response.pace.interval }
    let now = ContinuousClock.now
    let start = start ?? now
    self.start = start
    return start + time - now
  }
}

// Macros with casts, which Swift does not import.
private let endOfStream = -1
private let endWithError = -2

private func readBody(
  _ context: UnsafeMutableRawPointer?,
  _ position: UInt64,
  _ buffer: UnsafeMutablePointer<CChar>?,
  _ capacity: Int
) -> Int {
  guard let context, let buffer, position <= UInt64(Int.max) else { return endWithError }
  let reader = Unmanaged<BodyReader>.fromOpaque(context).takeUnretainedValue()
  let space = UnsafeMutableRawBufferPointer(start: buffer, count: capacity)
  return reader.read(at: Int(position), into: space)
}

private func releaseReader(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<BodyReader>.fromOpaque(context).release()
}
