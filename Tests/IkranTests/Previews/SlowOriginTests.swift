import IkranCodecs
import IkranPixels
import IkranServer
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Previews over real sockets: the origin sends a part of the file when the part before was seen.
@Suite(.timeLimit(.minutes(10))) struct SlowOriginTests {
  /// A file, and numbers of its bytes: each shows more than the one before, the last all of it.
  struct File: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let parts: [Int]

    /// How many bytes a look needs after one at `count`.
    func next(after count: Int) -> Int {
      testDescription == "JPEG" ? count + count / 8 : 2 * count
    }
  }

  static let files = [progressive, png, gif]

  /// With bytes after its end: so all scans are there before the transfer is over.
  static let progressive: File = {
    let photo = ProgressiveSite.file
    var (scans, ends) = (JPEGScans(), [Int]())
    for count in photo.indices {
      let before = scans.count
      scans.read(photo.span.extracting(0...count))
      if scans.count > before { ends.append(scans.end + 2) }
    }
    // A look needs an eighth more than the one before.
    let parts = ends.reversed().reduce(into: [Int]()) { parts, end in
      if parts.first.map({ $0 > end + end / 8 }) ?? true { parts.insert(end, at: 0) }
    }
    let rest = Array(repeating: UInt8(0), count: 20_000)
    return File(testDescription: "JPEG", bytes: photo + rest, parts: parts)
  }()

  private static let png: File = {
    let bytes = PNGSample(
      size: PixelSize(width: 60, height: 50),
      isInterlaced: true,
      pixel: { x, y in [UInt16(x * 1_000), UInt16(y * 1_200), UInt16(x * y * 20)] }
    ).bytes
    // Without the last chunk, which has no pixels.
    return File(testDescription: "PNG", bytes: bytes, parts: doubling(upTo: bytes.count - 12))
  }()

  private static let gif: File = {
    let bytes = GIFSample.interlaced(width: 160, height: 128) { x, y in UInt8((x * y) % 256) }
    return File(testDescription: "GIF", bytes: bytes, parts: doubling(upTo: bytes.count - 1))
  }()

  private static func doubling(upTo count: Int) -> [Int] { [8, 4, 2, 1].map { count / $0 } }

  /// A pipeline for which 100 ms pass from look to look at the clock.
  private func pipeline() -> ImagePipeline {
    let time = Guarded(Int64(1_800_000_000_000_000))
    let clock = PipelineClock {
      time.withLock { time in
        time += StillPreviews.interval
        return time
      }
    } sleep: { _ in
    }
    var options = PipelineOptions.steady
    options.network.retry = .fixed(maximum: 1, delay: .zero)
    options.network.resumption.minimumBytes = 1
    // A busy machine may take longer between two parts than a transfer may stand still.
    let transport = CurlTransport(CurlOptions(limits: TransferLimits(minimumSpeed: nil)))
    return ImagePipeline(options: options, transport: transport, clock: clock)
  }

  /// The previews of a request and its image; the origin has sent all before `offset`, and sends the next
  /// part when all has been seen that can be of the one before.
  private func seen(
    _ request: ImageRequest,
    _ pipeline: ImagePipeline,
    of file: File,
    from offset: Int,
    _ gate: BodyGate
  ) async throws -> (previews: [ImageResponse], image: Bitmap?) {
    // What is there of the rest before the first preview.
    var sent = offset + gate.count
    let begins = sent
    var parts = file.parts.filter { $0 > begins }[...]
    func send(_ count: Int) {
      sent = count
      gate.open(to: count - offset)
    }
    var (previews, image, hasBegun) = ([ImageResponse](), Bitmap?.none, false)
    // Nothing arrives before it is listened to.
    pipeline.isSuspended = true
    let events = pipeline.events(for: request)
    pipeline.isSuspended = false
    for await event in events {
      switch event {
      case .progress(let progress):
        // Its first bytes are there, so that more of them is another chunk.
        if progress.received >= begins, !hasBegun {
          hasBegun = true
          send(parts.popFirst() ?? file.bytes.count)
        }
      case .preview(let response):
        previews.append(response)
        // A part may arrive in pieces, and a look that was under way has missed the last one: then one
        // more byte brings the next look.
        let hasMore = file.next(after: response.encodedBytes) <= sent
        send(hasMore ? sent + 1 : parts.popFirst() ?? file.bytes.count)
      case .finished(let response): image = response.image
      default: Issue.record("\(event)")
      }
    }
    return (previews, image)
  }

  /// Each preview is nearer to the picture than the one before, and the last one equal to it.
  private func expectOrder(
    _ seen: (previews: [ImageResponse], image: Bitmap?),
    of file: [UInt8],
    atLeast count: Int
  ) throws {
    let whole = try CodecList.standard.decode(file.span).bitmap
    #expect(seen.image?.hasSamePixels(as: whole) == true)
    let pixels = try whole.straightRGBA()
    let differences = try seen.previews.map { preview in
      #expect(preview.source == .network && preview.image.size == whole.size)
      let shown = try preview.image.straightRGBA()
      // Not each byte, of which there are many.
      return stride(from: 0, to: pixels.count, by: 41).reduce(0) { sum, index in
        sum + abs(Int(shown[index]) - Int(pixels[index]))
      }
    }
    #expect(differences.count >= count)
    #expect(differences == differences.sorted(by: >))
    #expect(Set(differences).count == differences.count && differences.last == 0)
    let bytes = seen.previews.map(\.encodedBytes)
    #expect(bytes == bytes.sorted())
  }

  @Test(arguments: files) func aSlowFileIsSeenInItsOrder(_ file: File) async throws {
    let gate = BodyGate(40)
    let origin = try Origin { _ in Response(200, body: file.bytes, gate: gate) }
    defer { origin.stop() }
    let pipeline = pipeline()
    let request = ImageRequest(location: origin.baseURL + "/a", style: .original)
    let seen = try await seen(request, pipeline, of: file, from: 0, gate)
    try expectOrder(seen, of: file.bytes, atLeast: file.parts.count)
    #expect(pipeline.statistics.downloads == 1)
  }

  @Test(arguments: files)
  func aFileThatGoesOnAfterItBrokeOffIsSeenInItsOrder(_ file: File) async throws {
    let (gate, broken) = (BodyGate(20), file.parts[0] + 30)
    let requests = Recorder<RequestHead>()
    let tag = Field("ETag", "\"1\"")
    let origin = try Origin { head in
      requests.add(head)
      guard head.header("range") == "bytes=\(broken)-" else {
        return Response(200, headers: [tag], body: file.bytes, cut: broken)
      }
      let count = file.bytes.count
      let range = Field("Content-Range", "bytes \(broken)-\(count - 1)/\(count)")
      return Response(206, headers: [tag, range], body: Array(file.bytes[broken...]), gate: gate)
    }
    defer { origin.stop() }
    let request = ImageRequest(location: origin.baseURL + "/a", style: .original)
    let seen = try await seen(request, pipeline(), of: file, from: broken, gate)
    try expectOrder(seen, of: file.bytes, atLeast: file.parts.count - 1)
    #expect(requests.items.count == 2)
  }

  @Test func theRestOfAFileIsSeenAfterItsThumbnail() async throws {
    let (file, gate) = (Self.progressive, BodyGate(20))
    let site = try ProgressiveSite(ProgressiveSite.Conduct(file: file.bytes, restGate: gate))
    let pipeline = pipeline()
    _ = try await pipeline.response(for: site.thumbnail())
    let arrived = pipeline.statistics.downloadedBytes
    var whole = site.original
    whole.stopsEarly = false
    let seen = try await seen(whole, pipeline, of: file, from: arrived, gate)
    #expect(site.ranges == ["", "bytes=\(arrived)-"])
    try expectOrder(seen, of: file.bytes, atLeast: 1)
  }
}
