import FoundationEssentials
import IkranPixels
import IkranSystem
import IkranTransport
import Support
import Testing

@testable import Ikran

/// The straight line of `docs/ARCHITECTURE.md`, next to what a request really passes.
@Suite(.timeLimit(.minutes(10)))
struct StraightLineTests {
  /// A function of the drawing, and the file that it names.
  private struct Step {
    let function: String
    let file: String?

    var name: String { String(function.split(separator: ".").last ?? "") }
  }

  private static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: URL(filePath: "\(root)/\(path)"), encoding: .utf8)
  }

  /// The steps in the drawing's order.
  private func drawing() throws -> [Step] {
    let page = try Self.text("docs/ARCHITECTURE.md")
    let section = try #require(page.split(separator: "## The straight line").last)
    let lines = section.split(separator: "```")[1].split(separator: "\n")
    return lines.compactMap { line in
      guard let first = line.first, "│▼ ".contains(first) else { return nil }
      let words = line.drop { "│▼ 0123456789".contains($0) }.split(separator: " ")
      let file = words.last.flatMap { $0.contains("/") ? String($0) : nil }
      return words.first.map { Step(function: String($0), file: file) }
    }
  }

  @Test func everyStepOfTheDrawingIsInItsFile() throws {
    let steps = try drawing()
    #expect(steps.count > 15)
    let folder = "\(Self.root)/Sources/Library/Ikran"
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".swift") }
    for step in steps {
      let inFile = files.filter { file in
        step.file.map { file == "\($0).swift" || file.hasPrefix("\($0)/") } ?? true
      }
      let isThere = try inFile.contains { file in
        let text = try Self.text("Sources/Library/Ikran/\(file)")
        return ["func \(step.name)(", "func \(step.name)<", "case \(step.name)("].contains {
          text.utf8.contains($0.utf8)
        }
      }
      #expect(isThere, "\(step.function) is not in \(step.file ?? "any file")")
    }
  }

  @Test func aColdURLPassesTheDrawingInItsOrder() async throws {
    let passed = Recorder<String>()
    let body = try TestImages.png(width: 8, height: 8)
    let picture = try TestImages.gradient(width: 8, height: 8)
    // What has no hook is seen by the first question that it asks after the step before it.
    let ask: @Sendable (String, String) -> Void = { last, step in
      if passed.items.last == last { passed.add(step) }
    }
    let clock = PipelineClock(
      now: {
        ask("ImageGoal.stored", "SourceLoader.image")
        ask("readCaches", "transfer")
        ask("image", "makeCurrent")
        return 1
      },
      sleep: { _ in }
    )
    let keys = KeyOptions(filter: { name in
      ask("checkedHit", "lookUp")
      return name
    })
    let hooks = PipelineHooks(
      prepare: { request in
        passed.add("prepared")
        return request
      },
      willSend: { request in
        passed.add("NetworkStage.fetch")
        return request
      }
    )
    let pipeline = ImagePipeline(
      options: PipelineOptions(memory: .steady, keys: keys, hooks: hooks),
      transport: FakeTransport { (request, _) in
        passed.add("Attempt.run")
        return TransportResponse(status: 200, headers: .fresh, body: body, url: request.url)
      },
      codecs: CodecList([RecordingCodec(passed: passed, picture: picture)]),
      memoryCache: RecordingMemory(passed: passed),
      diskCache: RecordingDisk(passed: passed),
      onEvent: { if case .requestFinished = $0 { passed.add("resume") } },
      clock: clock
    )
    let url = try #require(URL(string: "http://example.test/cold.png"))
    _ = try await pipeline.image(for: ImageRequest(url))
    // The file is written later.
    await pipeline.finishWriting()
    #expect(
      passed.items == [
        "prepared", "checkedHit", "lookUp", "ImageGoal.stored", "SourceLoader.image", "readCaches",
        "transfer", "NetworkStage.fetch", "Attempt.run", "identify", "image", "makeCurrent",
        "resume",
      ]
    )
    var rest = try drawing().map(\.function)[...]
    for function in passed.items {
      let index = try #require(rest.firstIndex(of: function), "\(function) comes earlier")
      rest = rest[(index + 1)...]
    }
  }
}

/// Says when memory is asked: for a hit, and then by the run.
private final class RecordingMemory: MemoryCaching {
  private let passed: Recorder<String>
  private let lookUps = Counter()

  init(passed: Recorder<String>) { self.passed = passed }

  func value(for key: StyledKey) -> CachedImage? {
    lookUps.add()
    passed.add(lookUps.count == 1 ? "checkedHit" : "ImageGoal.stored")
    return nil
  }

  func store(_ value: CachedImage, cost: Int, for key: StyledKey) {}
  func remove(_ key: StyledKey) {}
  func contains(_ key: StyledKey) -> Bool { false }
  func removeAll() {}
}

/// Says when the disk is read.
private struct RecordingDisk: DataCaching {
  let passed: Recorder<String>

  func body(for key: String) -> [UInt8]? {
    passed.add("readCaches")
    return nil
  }

  func store(_ body: [UInt8], for key: String) {}
  func remove(_ key: String) {}
  func removeAll() {}
}

/// Says when bytes are identified, and when an image is made of them.
private struct RecordingCodec: Codec {
  let passed: Recorder<String>
  let picture: Bitmap
  let format = ImageFormat.png

  func recognizes(_ prefix: Span<UInt8>) -> Bool { true }

  func probe(_ bytes: Span<UInt8>) -> ImageInfo {
    // The header is read once more for the decode.
    if passed.items.last == "Attempt.run" { passed.add("identify") }
    return ImageInfo(format: format, size: picture.size)
  }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) -> DecodedPicture {
    passed.add("image")
    return DecodedPicture(bitmap: picture)
  }
}
