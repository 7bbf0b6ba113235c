import IkranCodecs
import IkranPlayback
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What runs within the pipeline's own calls may use it: no lock is held around it.
@Suite(.timeLimit(.minutes(10)))
struct ReentrantReaderTests {
  private let request = ImageRequest(location: "http://example.test/a.png", style: .original)

  /// Whether another thread gets through a call while this one waits for it.
  private static func getsThrough(_ call: @escaping @Sendable () -> Void) -> Bool {
    let done = ThreadLatch()
    BackgroundThread.start(name: "reentrant") {
      call()
      done.open()
    }
    return done.wait(seconds: 120)
  }

  @Test func aReaderOfEventsThatRunsWithinTheCallMayAskForMore() async throws {
    let (png, latch) = (try TestImages.png(width: 8, height: 8), Latch())
    let transport = FakeTransport { request, progress throws(TransportError) in
      _ = await latch.wait()
      progress(TransferProgress(received: 1, expected: png.count))
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let task = ImagePipeline(options: .steady, transport: transport).task(for: request)
    let results = Recorder<Bool>()
    // To leave one would cancel the load.
    let streams = Recorder<AsyncStream<ImageEvent>>()
    let reader = Task(executorPreference: CallingThread()) {
      for await event in task.events {
        guard case .progress = event else { continue }
        results.add(Self.getsThrough { streams.add(task.events) })
      }
    }
    latch.open()
    _ = try await task.response
    await reader.value
    #expect(results.items.first == true)
  }

  @Test func eventsThatAreAskedForWithinAnEventFollowIt() async throws {
    let (png, latch) = (try TestImages.png(width: 8, height: 8), Latch())
    let transport = FakeTransport { request, progress throws(TransportError) in
      _ = await latch.wait()
      for received in 1...3 { progress(TransferProgress(received: received, expected: 3)) }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    var request = request
    request.transfer.progressStep = 0
    let task = ImagePipeline(options: .steady, transport: transport).task(for: request)
    let later = Recorder<AsyncStream<ImageEvent>>()
    let reader = Task(executorPreference: CallingThread()) {
      for await event in task.events {
        guard case .progress = event, later.items.isEmpty else { continue }
        later.add(task.events)
      }
    }
    latch.open()
    await reader.value
    var received: [Int] = []
    for await event in try #require(later.items.first) {
      if case .progress(let progress) = event { received.append(progress.received) }
    }
    #expect(received == [2, 3])
  }

  @Test func aReaderOfAPrefetchThatRunsWithinTheCallMayAskForMore() async throws {
    let (png, latch) = (try TestImages.png(width: 8, height: 8), Latch())
    let transport = FakeTransport { request, _ throws(TransportError) in
      _ = await latch.wait()
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let prefetcher = Prefetcher(ImagePipeline(options: .steady, transport: transport))
    let list = prefetcher.start([request])
    let results = Recorder<Bool>()
    let reader = Task(executorPreference: CallingThread()) {
      for await _ in list.updates { results.add(Self.getsThrough { _ = list.progress }) }
    }
    latch.open()
    await reader.value
    #expect(results.items == [true])
  }

  @Test func aTransferEndsWhileAnAnimationTakesUpWhatHasArrived() async throws {
    let (first, second) = try Self.parts(of: try Fixtures.bytes("animation-3-frames.gif"))
    let (isSeen, isTaken, hasFailed) = (Latch(), Latch(), ThreadLatch())
    let transport = FakeTransport { request, _ throws(TransportError) in
      request.onBytes?(first)
      _ = await isSeen.wait()
      request.onBytes?(second)
      _ = await isTaken.wait()
      throw .cannotConnect("example.test")
    }
    let results = Recorder<Bool>()
    let codec = CallingCodec(from: second.count) {
      isTaken.open()
      results.add(hasFailed.wait(seconds: 120))
    }
    let pipeline = ImagePipeline(
      options: .steady,
      transport: transport,
      codecs: CodecList([codec])
    )
    var request = ImageRequest(location: "http://example.test/a.gif", style: .circle(16))
    request.transfer.retry = RetryPolicy.none
    var early: Animation?
    for await event in pipeline.events(for: request) {
      switch event {
      case .preview(let response):
        early = response.animation
        isSeen.open()
      case .failed: hasFailed.open()
      default: break
      }
    }
    try await until { results.items.count == 1 }
    #expect(results.items == [true])
    // What the file has become outranks the older beginning of it, which comes later.
    guard case .broken = early?.info.end else {
      Issue.record("\(String(describing: early?.info.end))")
      return
    }
  }

  @Test func aCodecIsAskedWhatAnArrivingFileIsWithoutALock() throws {
    let (file, looks) = (ProgressiveSite.file, Recorder<Bool>())
    let stop = Guarded<EarlyStop?>(nil)
    // Each would keep the other.
    defer { stop.withLock { $0 = nil } }
    let codec = AskedCodec {
      guard let known = stop.withLock({ $0 }) else { return }
      looks.add(Self.getsThrough { _ = known.prefix })
    }
    let codecs = CodecList([codec] + CodecList.standard.codecs)
    let early = EarlyStop(codecs, format: nil) { FileNeeds([.pixels(.original)]) }
    stop.withLock { $0 = early }
    let headers = [HeaderField("ETag", "\"1\""), HeaderField("Accept-Ranges", "bytes")]
    let url = "http://example.test/a.jpg"
    let head = TransportResponse(status: 200, headers: headers, body: [], url: url)
    early.begin(head, after: nil)
    for count in stride(from: 0, to: file.count, by: 500) {
      _ = early.shouldStop(Array(file.prefix(count)))
    }
    #expect(!looks.items.isEmpty && looks.items.allSatisfy { $0 })
  }

  /// Two beginnings of a GIF, which has long comments after its header and before its end.
  private static func parts(of gif: [UInt8]) throws -> ([UInt8], [UInt8]) {
    let header = 13 + 3 << (Int(gif[10]) & 7 + 1)
    func comment(_ blocks: Int) -> [UInt8] {
      [0x21, 0xFE] + [UInt8](repeating: 255, count: blocks * 256) + [0]
    }
    let first = Array(gif[..<header]) + comment(12) + Array(gif[header...].dropLast())
    return (first, first + comment(24))
  }
}

/// Runs a task's steps on the thread that makes them ready.
private final class CallingThread: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// Recognizes nothing, and calls out when it is asked.
private struct AskedCodec: Codec {
  let call: @Sendable () -> Void

  var format: ImageFormat { ImageFormat(rawValue: "asked") }

  func recognizes(_ prefix: Span<UInt8>) -> Bool {
    call()
    return false
  }

  func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    throw .unknownFormat(hint: nil)
  }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture { throw .unknownFormat(hint: nil) }
}

/// GIF, of which the first source of so many bytes calls out when it is asked what it holds.
private final class CallingCodec: Codec {
  private let count: Int
  private let isCalled = Guarded(false)
  private let call: @Sendable () -> Void

  init(from count: Int, _ call: @escaping @Sendable () -> Void) {
    (self.count, self.call) = (count, call)
  }

  var format: ImageFormat { .gif }

  func recognizes(_ prefix: Span<UInt8>) -> Bool { GIFDecoder().recognizes(prefix) }

  func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    try GIFDecoder().probe(bytes)
  }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    try GIFDecoder().decode(bytes, fitting: fitting, rules: rules, workspace: workspace)
  }

  func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) -> (any FrameSource)? {
    guard let frames = try GIFDecoder().frames(of: bytes, isPrefix: isPrefix, rules: rules)
    else { return nil }
    guard bytes.count >= count else { return frames }
    return CallingFrames(frames: frames) { [self] in
      let isFirst = isCalled.withLock { isCalled in
        defer { isCalled = true }
        return !isCalled
      }
      if isFirst { call() }
    }
  }
}

private struct CallingFrames: FrameSource {
  let frames: any FrameSource
  let call: @Sendable () -> Void

  var info: AnimationInfo {
    call()
    return frames.info
  }

  func makeComposer() -> sending any FrameComposer { frames.makeComposer() }
}
