import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Which 206 goes on from what arrived before a transfer broke off: one of the same version only.
@Suite(.timeLimit(.minutes(10)))
struct ResumeVersionTests {
  private static let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
  /// The older version; its first half arrives.
  private let old: [UInt8]
  /// The newer version, of the same length.
  private let new: [UInt8]
  private let half: Int
  private let folder: TemporaryDirectory
  private let clock = ManualClock()

  init() throws {
    old = try TestImages.png(width: 64, height: 64)
    // The header stays: what is no image is refused.
    new = old.enumerated().map { index, byte in index < 41 ? byte : byte ^ 1 }
    half = old.count / 2
    folder = try TemporaryDirectory()
  }

  private func pipeline(_ origin: ScriptedOrigin, retry: RetryPolicy = .none) -> ImagePipeline {
    var options = PipelineOptions.steady
    options.disk = DiskOptions(directory: folder.path)
    options.network.retry = retry
    options.network.failures = .none
    options.network.resumption.minimumBytes = 1
    return ImagePipeline(options: options, transport: origin, clock: clock.pipelineClock)
  }

  private var request: ImageRequest {
    ImageRequest(location: "http://a.test/a.png", style: .original)
  }

  private func fields(_ fields: [String: String], _ more: [String: String]) -> [HeaderField] {
    ScriptedOrigin.Answer.fields(fields.merging(more) { $1 })
  }

  /// A response of the older version that breaks off in the middle.
  private func brokenOff(
    _ fields: [String: String],
    announcesLength: Bool = true
  ) -> ScriptedOrigin.Answer {
    let length = announcesLength ? ["Content-Length": "\(old.count)"] : [:]
    return .interrupted(
      status: 200,
      headers: self.fields(fields, length),
      body: Array(old[..<half])
    )
  }

  /// The rest of a version.
  private func rest(
    of version: [UInt8],
    status: Int = 206,
    total: String? = nil,
    _ fields: [String: String]
  ) -> ScriptedOrigin.Answer {
    let range = "bytes \(half)-\(old.count - 1)/\(total ?? "\(old.count)")"
    return .response(
      status: status,
      headers: self.fields(fields, ["Content-Range": range]),
      body: Array(version[half...])
    )
  }

  /// The bytes that another process gets, and its requests, after a transfer broke off.
  private func resumed(
    after broken: ScriptedOrigin.Answer,
    _ answers: ScriptedOrigin.Answer...
  ) async throws -> (bytes: [UInt8], origin: ScriptedOrigin) {
    let first = pipeline(ScriptedOrigin([broken]))
    await #expect(throws: ImageError.self) { try await first.data(for: request) }
    await first.finishWriting()
    let origin = ScriptedOrigin(answers)
    let second = pipeline(origin)
    let bytes = try await second.data(for: request)
    await second.finishWriting()
    return (bytes, origin)
  }

  @Test(arguments: [
    [:], ["Last-Modified": changed], ["ETag": "W/\"1\""], ["ETag": "\"2\""],
    ["ETag": "\"2\"", "Last-Modified": changed], ["ETag": ""],
  ])
  func aRangeWithoutTheTagOfTheBeginningBeginsAgain(_ fields: [String: String]) async throws {
    let (bytes, origin) = try await resumed(
      after: brokenOff(["ETag": "\"1\"", "Last-Modified": Self.changed]),
      rest(of: new, fields),
      .ok(new)
    )
    #expect(bytes == new)
    #expect(origin.requests.count == 2)
    #expect(origin.header("Range", of: 0) == "bytes=\(half)-")
    #expect(origin.requests.count < 2 || origin.header("Range", of: 1) == nil)
  }

  private static let dated = ["Last-Modified": changed, "Date": "Sun, 06 Nov 1994 08:51:00 GMT"]

  @Test(
    arguments: [
      (nil, ["Last-Modified": changed, "ETag": "\"2\""]), (nil, ["ETag": "\"2\""]), ("*", [:]),
      ("*", ["Last-Modified": changed]), ("9999999", [:]),
      (nil, ["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"]),
    ] as [(String?, [String: String])]
  )
  func aRangeAfterADateBeginsAgainOnAnyDoubt(
    total: String?,
    fields: [String: String]
  ) async throws {
    let (bytes, origin) = try await resumed(
      after: brokenOff(Self.dated),
      rest(of: new, total: total, fields),
      .ok(new)
    )
    #expect(bytes == new)
    #expect(origin.header("If-Range", of: 0) == Self.changed)
    #expect(origin.requests.count == 2)
  }

  @Test(arguments: [[:], ["Last-Modified": changed]])
  func aRangeAfterADateGoesOnWhenTheLengthIsTheSame(_ fields: [String: String]) async throws {
    let (bytes, origin) = try await resumed(
      after: brokenOff(Self.dated),
      rest(of: old, fields)
    )
    #expect(bytes == old)
    #expect(origin.requests.count == 1)
  }

  @Test func aDateWithoutALengthIsNotResumed() async throws {
    let (bytes, origin) = try await resumed(
      after: brokenOff(Self.dated, announcesLength: false),
      .ok(new)
    )
    #expect(bytes == new)
    #expect(origin.header("Range", of: 0) == nil)
  }

  @Test func aWholeAnswerThatNamesARangeIsRequestedAgainWhole() async throws {
    let (bytes, origin) = try await resumed(
      after: brokenOff(["ETag": "\"1\""]),
      rest(of: new, status: 200, ["ETag": "\"1\""]),
      .ok(new)
    )
    #expect(bytes == new)
    #expect(origin.requests.count == 2)
    #expect(origin.requests.count < 2 || origin.header("Range", of: 1) == nil)
  }

  @Test func aPartThatSaysItIsTheWholeIsRefused() async throws {
    let part = "bytes 0-\(half - 1)/\(new.count)"
    let origin = ScriptedOrigin([.ok(Array(new[..<half]), ["Content-Range": part])])
    let loader = pipeline(origin)
    await #expect(throws: ImageError.self) { try await loader.data(for: request) }
    let whole = "bytes 0-\(new.count - 1)/\(new.count)"
    origin.answer(.ok(new, ["Content-Range": whole]))
    #expect(try await loader.data(for: request) == new)
    await loader.finishWriting()
  }

  @Test func whatArrivedOfAWholeAnswerThatNamesARangeIsNotResumed() async throws {
    let (_, origin) = try await resumed(
      after: brokenOff(["ETag": "\"1\"", "Content-Range": "bytes 0-9/10"]),
      .ok(new)
    )
    #expect(origin.header("Range", of: 0) == nil)
  }

  @Test(arguments: [true, false])
  func progressIsNeverMoreThanTheFile(isResumed: Bool) async throws {
    let second =
      isResumed ? rest(of: old, ["ETag": "\"1\""]) : .ok(new, ["ETag": "\"2\""]).delayed(by: .zero)
    let loader = pipeline(
      ScriptedOrigin([brokenOff(["ETag": "\"1\""]), second]),
      retry: .fixed(maximum: 1, delay: .zero)
    )
    // Nothing arrives before the events are read.
    loader.isSuspended = true
    let events = loader.events(for: request)
    loader.isSuspended = false
    var seen: [TransferProgress] = []
    for await event in events {
      if case .progress(let progress) = event { seen.append(progress) }
    }
    #expect(seen.allSatisfy { $0.received <= $0.expected ?? old.count })
    #expect(seen.allSatisfy { $0.expected ?? old.count == old.count })
    #expect(seen.last == TransferProgress(received: old.count, expected: old.count))
  }
}
