#if canImport(Glibc)
import CIkranSandbox
import Glibc
import IkranCodecs
import IkranPixels
import IkranSystem
import Synchronization

/// One decoder in another process; one thread at a time asks it.
final class DecoderProcess: Sendable {
  /// A number that no other decoder of this program has.
  let number: Int
  let process: pid_t
  /// Its descriptor (`pidfd`), which stays its own when its number is another process's; negative
  /// where the kernel has none.
  private let handle: Int32
  private let channel: Channel
  private let memory: SharedMemory
  /// Written to when the thread that waits for a response is to give it up.
  private let interrupt: Int32
  private let lastRequest = Atomic(0)
  /// The last request whose response no caller wants.
  private let unwanted = Atomic(0)
  private let hasResponded = Atomic(false)
  /// Whether it was waited for: from then on its number may be another process's.
  private let isReaped = Atomic(false)

  /// The most bytes of a response without its pixels: a colour profile, a long animation's times.
  private static let longestMessage = 32 << 20
  /// How often a response is looked for, some 40 µs in all, before the thread sleeps: to be woken
  /// takes as long as a small picture.
  private static let looks = 64
  /// How long a response may still come when no caller waits for it any more.
  private static let graceMilliseconds = 20
  /// How long that is for a header, without which a download is not kept, and for a frame, as other
  /// animations have their canvases in the same decoder.
  private static let longGraceMilliseconds = 45

  /// Why an exchange brought no response: the process is of no more use.
  enum Loss: Error {
    /// It had ended before it was asked.
    case gone
    case crashed(reason: String)
    /// It decodes nothing, whatever the file: it is not sealed off, or of another version.
    case isUnfit(reason: String)
    case tookTooLong
    /// The file finds no room in the memory that both share.
    case noMemory
    /// No caller wants the response, and it has not come soon.
    case cancelled
  }

  /// Starts a program that decodes.
  init(_ path: String, number: Int) throws(IsolationFailure) {
    guard let memory = SharedMemory(byteCount: 1 << 20) else {
      throw .notStarted(reason: "no memory can be shared with it")
    }
    var ends: [Int32] = [-1, -1]
    let made = ends.withUnsafeMutableBufferPointer { ends in
      ends.baseAddress.map { ikran_channel_pair($0) } ?? -EINVAL
    }
    let interrupt = ikran_interrupt_create()
    guard made == 0, interrupt >= 0 else {
      for descriptor in ends + [interrupt] where descriptor >= 0 { close(descriptor) }
      throw .notStarted(reason: "no channel to it can be made")
    }
    var handle: Int32 = -1
    let process = Self.start(path, channel: ends[1], memory: memory.descriptor, &handle)
    close(ends[1])
    guard process > 0 else {
      close(ends[0])
      close(interrupt)
      throw .notStarted(reason: "\(path): \(String(cString: strerror(-process)))")
    }
    (self.number, self.process, self.memory) = (number, process, memory)
    self.handle = handle
    (channel, self.interrupt) = (Channel(descriptor: ends[0]), interrupt)
  }

  deinit {
    close(channel.descriptor)
    close(interrupt)
    defer { if handle >= 0 { close(handle) } }
    guard !isReaped.load(ordering: .relaxed) else { return }
    ikran_program_kill(process, handle)
    _ = exitReason()
  }

  /// Gives the process its environment: what its fonts and sanitizers need, and no secret.
  private static func start(
    _ path: String,
    channel: Int32,
    memory: Int32,
    _ handle: inout Int32
  ) -> Int32 {
    let names = [
      "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "XDG_DATA_HOME", "XDG_DATA_DIRS",
      "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "ASAN_OPTIONS",
      "TSAN_OPTIONS",
    ]
    var variables = ["SWIFT_BACKTRACE=enable=no", "\(DecoderProgram.variable)=1"]
    for name in names {
      if let value = Files.variable(name) { variables.append("\(name)=\(value)") }
    }
    var pointers: [UnsafeMutablePointer<CChar>?] = variables.map { $0.withPath { strdup($0) } }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { pointers in
      guard let variables = pointers.baseAddress else { return -EINVAL }
      return path.withPath { ikran_program_start($0, variables, channel, memory, &handle) }
    }
  }

  /// The number of its next request, by which another thread can give it up.
  func nextRequest() -> Int { lastRequest.add(1, ordering: .relaxed).newValue }

  /// Sends it a request and the file that belongs to it.
  ///
  /// - Throws: ``Loss``; then it must not be asked again.
  func send(_ request: DecoderRequest, _ file: Span<UInt8>) throws(Loss) {
    var wire = WireWriter()
    request.write(to: &wire)
    let place = (wire.bytes.count + 63) & ~63
    guard memory.grow(to: place + file.count) else {
      throw .noMemory
    }
    memory.write(wire.bytes.span, at: 0)
    memory.write(file, at: place)
    let packet = Packet(
      messageBytes: wire.bytes.count,
      payloadOffset: place,
      payloadBytes: file.count,
      memoryBytes: memory.byteCount
    )
    guard channel.send(packet) else { throw .gone }
  }

  /// Waits for the response to what was sent.
  ///
  /// - Parameters:
  ///   - request: What it was asked for.
  ///   - number: The request's number.
  ///   - seconds: How long it may take.
  /// - Returns: The response, and the picture's pixels.
  /// - Throws: ``Loss``; then it must not be asked again.
  func response(
    to request: DecoderRequest,
    number: Int,
    within seconds: Int
  ) throws(Loss) -> (DecoderResponse, Bitmap?) {
    defer { if memory.byteCount > SharedMemory.keptByteCount { memory.trim() } }
    let isPatient = request.isForHeader || request.isForFrame
    try wait(
      for: number,
      seconds,
      isPatient ? Self.longGraceMilliseconds : Self.graceMilliseconds
    )
    guard let (reply, passed) = channel.receive() else { throw exitLoss() }
    guard let response = read(reply, passed, to: request) else {
      throw .crashed(reason: "its response makes no sense")
    }
    hasResponded.store(true, ordering: .relaxed)
    return response
  }

  /// Whether it has sent nothing since its last response: that would pass for the next one.
  var isSilent: Bool {
    var file = pollfd(fd: channel.descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&file, 1, 0) == 0
  }

  /// Ends the wait for the response to a request, if it has not come; any thread may call it.
  func abandon(_ request: Int) {
    // One that is late must not hide a newer one.
    unwanted.max(request, ordering: .releasing)
    var one: UInt64 = 1
    _ = write(interrupt, &one, 8)
  }

  /// Waits until there is a response, or nothing more to wait for.
  private func wait(for request: Int, _ seconds: Int, _ grace: Int) throws(Loss) {
    if isThereSoon() { return }
    let end = Self.milliseconds() + seconds * 1_000
    while true {
      let left = end - Self.milliseconds()
      guard left > 0 else { throw .tookTooLong }
      let (hasResponse, isInterrupted) = try poll(milliseconds: left)
      if hasResponse { return }
      guard isInterrupted else { continue }
      var count: UInt64 = 0
      _ = Glibc.read(interrupt, &count, 8)
      guard unwanted.load(ordering: .acquiring) == request else { continue }
      // To keep the process is faster than to start another.
      guard try responds(within: grace) else { throw .cancelled }
      return
    }
  }

  private func isThereSoon() -> Bool {
    var file = pollfd(fd: channel.descriptor, events: Int16(POLLIN), revents: 0)
    for _ in 0..<Self.looks where Glibc.poll(&file, 1, 0) > 0 { return true }
    return false
  }

  /// Whether a response comes in time, whatever else is written.
  private func responds(within milliseconds: Int) throws(Loss) -> Bool {
    let end = Self.milliseconds() + milliseconds
    while true {
      if try poll(milliseconds: max(0, end - Self.milliseconds()), channelAlone: true).hasResponse {
        return true
      }
      if Self.milliseconds() >= end { return false }
    }
  }

  private func poll(
    milliseconds: Int,
    channelAlone: Bool = false
  ) throws(Loss) -> (hasResponse: Bool, isInterrupted: Bool) {
    var files = [
      pollfd(fd: channel.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0),
    ]
    let count = Glibc.poll(&files, channelAlone ? 1 : 2, Int32(clamping: milliseconds))
    guard count >= 0 || errno == EINTR else {
      throw .crashed(reason: "its channel cannot be read")
    }
    return count > 0 ? (files[0].revents != 0, files[1].revents != 0) : (false, false)
  }

  /// The message of a packet; nil when it is none that a decoder sends.
  private func read(
    _ reply: Packet,
    _ passed: Int32,
    to request: DecoderRequest
  ) -> (DecoderResponse, Bitmap?)? {
    var passed = passed
    defer { if passed >= 0 { close(passed) } }
    // A decoder makes room for no more than its message and a small picture.
    guard reply.messageBytes <= Self.longestMessage,
      reply.memoryBytes <= max(memory.byteCount, 2 * Self.longestMessage),
      memory.map(reply.memoryBytes), memory.has(0, reply.messageBytes)
    else { return nil }
    var wire = WireReader(memory.read(0, reply.messageBytes))
    guard let response = try? DecoderResponse(from: &wire), request.mayBring(response) else {
      return nil
    }
    guard case .picture(let picture) = response else { return (response, nil) }
    guard let byteCount = picture.byteCount else { return nil }
    var bitmap: Bitmap?
    if passed >= 0 {
      bitmap = SharedPixels(taking: passed, byteCount: byteCount)?.picture(
        picture.size,
        picture.format
      )
      passed = -1
    } else {
      bitmap = memory.picture(picture.size, picture.format, at: reply.payloadOffset)
    }
    guard var bitmap else { return nil }
    bitmap.profile = picture.profile.map { ColorProfile($0) }
    return (response, bitmap)
  }

  private static func milliseconds() -> Int { Int(WallClock.coarseNanoseconds() / 1_000_000) }

  /// How the process ended, once.
  func exitReason() -> String {
    switch exitLoss() {
    case .crashed(let reason), .isUnfit(let reason): reason
    case .gone, .tookTooLong, .noMemory, .cancelled: "it has ended"
    }
  }

  /// How the process ended, once; one that has only closed its channel is ended.
  private func exitLoss() -> Loss {
    isReaped.store(true, ordering: .relaxed)
    var status: Int32 = 0
    for round in 0... {
      // The kernel closes the channel a moment before the process has ended.
      let ended = waitpid(process, &status, round < Self.patience ? WNOHANG : 0)
      if ended == process { break }
      guard ended >= 0 || errno == EINTR else { return .crashed(reason: "its process is gone") }
      if round == Self.patience - 1 { ikran_program_kill(process, handle) }
      BackgroundThread.pause()
    }
    let (signal, code) = (status & 0x7f, status >> 8 & 0xff)
    guard signal == 0 else { return .crashed(reason: "signal \(signal)") }
    // Exit codes are believed only before the first response.
    guard !hasResponded.load(ordering: .relaxed) else {
      return .crashed(reason: "exit code \(code)")
    }
    return switch code {
    case DecoderWorker.notSealed: .isUnfit(reason: "the kernel has no seccomp to seal it off")
    case DecoderWorker.otherVersion: .isUnfit(reason: "it belongs to another version of Ikran")
    default: .crashed(reason: "exit code \(code)")
    }
  }

  /// How often it is looked whether it has ended: for a tenth of a second.
  private static let patience = 1_000
}
#endif
