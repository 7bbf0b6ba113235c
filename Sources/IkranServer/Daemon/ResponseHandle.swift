import CMicroHTTPD

/// One reference to a libmicrohttpd response.
struct ResponseHandle: ~Copyable {
  let pointer: OpaquePointer

  /// Builds a response; nil when memory or file descriptors ran out.
  ///
  /// C functions: MHD_create_response_from_…, MHD_add_response_header.
  init?(_ answer: Answer, connection: ConnectionHandle, waits: Waits) {
    let claimsLength = answer.claimsLength
    let plain =
      answer.cut == nil && answer.announcesLength && !claimsLength && answer.pace == Pace()
    let created: OpaquePointer? =
      switch answer.payload {
      case .memory(let bytes) where plain: bytes.response(answer.part)
      case .pattern(let shift) where plain && answer.part.upperBound + shift <= Pattern.bytes.count:
        Pattern.bytes.response(answer.part.lowerBound + shift..<answer.part.upperBound + shift)
      case .file(let file) where plain && !answer.part.isEmpty: file.response(answer.part)
      case _ where plain && answer.part.isEmpty: BodyBytes([]).response(0..<0)
      default: BodyReader.response(answer, connection: connection, waits: waits)
      }
    guard let created else { return nil }
    pointer = created
    if claimsLength { ikran_response_may_lie(pointer, answer.announcesLength ? 0 : 1) }
    for field in answer.fields { MHD_add_response_header(pointer, field.name, field.value) }
  }

  deinit { MHD_destroy_response(pointer) }
}

/// Feeds a body piece by piece: with pauses, without end, or with an end that comes too early.
///
/// Only the connection's own thread calls it.
private final class BodyReader {
  private let answer: Answer
  private let connection: ConnectionHandle
  private let waits: Waits
  private var hasPaused = false
  private var start: ContinuousClock.Instant?

  private init(_ answer: Answer, connection: ConnectionHandle, waits: Waits) {
    self.answer = answer
    self.connection = connection
    self.waits = waits
  }

  static func response(
    _ answer: Answer,
    connection: ConnectionHandle,
    waits: Waits
  ) -> OpaquePointer? {
    let reader = BodyReader(answer, connection: connection, waits: waits)
    let context = Unmanaged.passRetained(reader)
    let response = MHD_create_response_from_callback(
      // MHD_SIZE_UNKNOWN, a macro with a cast.
      answer.announcesLength && !answer.claimsLength ? UInt64(answer.part.count) : UInt64.max,
      16 << 10,
      readBody,
      context.toOpaque(),
      releaseReader
    )
    if response == nil { context.release() }
    return response
  }

  /// Fills `buffer` from `position` on; see MHD_ContentReaderCallback for the special results.
  fileprivate func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let end = min(answer.part.count, answer.cut ?? Int.max)
    guard position < end else {
      if answer.resets { connection.reset() }
      return answer.cut == nil ? endOfStream : endWithError
    }
    let length = min(buffer.count, end - position, answer.pace.piece ?? Int.max)
    let pause = pause(before: position + length)
    if pause > .zero && !hasPaused {
      hasPaused = true
      // Zero is right only for a suspended connection: the thread would ask again at once.
      return waits.pause(connection, for: pause) ? 0 : endWithError
    }
    hasPaused = false
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<length])
    let offset = answer.part.lowerBound + position
    let count =
      switch answer.payload {
      case .memory(let bytes): bytes.copy(from: offset, into: piece)
      case .file(let file): file.copy(from: offset, into: piece)
      case .pattern(let shift):
        Pattern.bytes.copy(from: (offset % Pattern.period + shift) % Pattern.period, into: piece)
      }
    return count > 0 ? count : endWithError
  }

  private func pause(before count: Int) -> Duration {
    guard let time = answer.pace.time(of: count) else { return answer.pace.interval }
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
