import Glibc
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// One limit for all that a pipeline keeps in its folder.
@Suite("The limit of the folder", .timeLimit(.minutes(10)))
struct FolderLimitTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Bytes that a folder's files take on the disk.
  private func sizes(below folder: String) throws -> [String: Int] {
    try files(below: folder).keys.reduce(into: [:]) { sizes, path in
      var status = stat()
      #expect(stat(path, &status) == 0)
      sizes[path] = Int(status.st_blocks) * 512
    }
  }

  /// A photo for each name: half of them break off once, with most of their bytes received.
  private func origin() throws -> FakeTransport {
    // What follows the end of a PNG file is no part of the picture.
    let photo = try TestImages.png(width: 200, height: 200) + Array(repeating: 7, count: 100_000)
    return FakeTransport { request, _ throws(TransportError) in
      let fields = FakeResponse.fields([
        "ETag": "\"1\"", "Cache-Control": "max-age=600", "Content-Length": "\(photo.count)",
      ])
      guard request.url.contains("/broken") else {
        return TransportResponse(status: 200, headers: fields, body: photo, url: request.url)
      }
      request.onInterruption?(
        TransportResponse(
          status: 200,
          headers: fields,
          body: Array(photo.dropLast(100)),
          url: request.url,
          isComplete: false
        )
      )
      throw .connectionLost(received: photo.count - 100)
    }
  }

  @Test func filesPartialBodiesAndTablesKeepOneLimit() async throws {
    let limit = 8 << 20
    let pipeline = ImagePipeline.deterministic(transport: try origin(), folder: folder.path) {
      $0.disk?.limit = .bytes(limit)
      $0.memory.limit = .bytes(1 << 20)
    }
    for number in 0..<150 {
      let style = Style.fill(width: Double(90 + number % 3), height: 90)
      _ = try await pipeline.image(
        for: ImageRequest(location: "http://a.test/\(number)", style: style)
      )
      _ = try? await pipeline.image(
        for: ImageRequest(location: "http://a.test/broken/\(number)", style: style)
      )
    }
    await pipeline.finishWriting()
    let usage = await pipeline.usage
    // Each has a share that is used.
    for stage in [usage.disk, usage.partial, usage.tables] { #expect(stage.bytes > limit / 20) }
    let sum = usage.disk.bytes + usage.partial.bytes + usage.tables.bytes
    #expect(sum <= limit, "\(usage)")
    let sizes = try sizes(below: folder.path)
    let large = sizes.filter { $0.value > 200_000 }
    #expect(sizes.values.reduce(0, +) <= limit + (8 << 20), "\(large)")
  }
}
