import Ikran
import IkranTransport

/// `ikran inspect`: the header of an image file.
struct InspectCommand: Command {
  var input = Input.standardInput
  var transfer = RequestOptions()
  var isJSON = false
  var cache = CacheChoice()

  static let syntax = Syntax<Self>(
    name: "inspect",
    summary: "Prints what an image's header says, without decoding it.",
    operand: Operand("FILE|URL|-", \.input, .input),
    options: Option.transfer(\.transfer) + [.flag("json", \.isJSON, "prints JSON")]
      + Option.cache(\.cache),
    notes: [
      """
      Prints format, width and height (as stored, before the orientation is applied), frames,
      durations (milliseconds per frame, none for stills), loops (0 is forever, none for stills),
      orientation (1…8, as in EXIF), alpha, bits (per channel), icc (has a colour profile),
      animated, and what EXIF, XMP and the colour profile say, - or null without them: of EXIF the
      camera, when and how the picture was taken, whether it has a place and a thumbnail, artist
      and copyright; of XMP its bytes, creators and rights.
      """,
      """
      A cached file of the URL is used, and revalidated when it is stale, as by ikran get. Otherwise
      the download ends as soon as the header has arrived, and nothing is stored: PNG metadata
      behind the pixels is not waited for.
      """,
    ]
  )

  func run(_ output: Output) async throws -> Int32 {
    let (info, metadata) = try await inspection(output)
    try output.report(Self.facts(info, metadata), asJSON: isJSON)
    return 0
  }

  private typealias Inspection = (info: ImageInfo, metadata: ImageMetadata)

  private func inspection(_ output: Output) async throws -> Inspection {
    if case .url(let url) = input { return try await inspection(of: url, output) }
    let bytes = try await input.bytes()
    do throws(DecodeError) {
      return (try CodecList.isolatedStandard.probe(bytes.span), ImageMetadata(of: bytes))
    } catch {
      throw ImageError.decode(error, url: input.name)
    }
  }

  private func inspection(of url: String, _ output: Output) async throws -> Inspection {
    var request = ImageRequest(location: url, style: .original)
    transfer.apply(to: &request)
    let session = try Session(cache)
    return try await session.finishing(output) {
      try await Self.inspect(request, session.pipeline, output)
    }
  }

  /// Inspects the input and shows the progress of a download.
  private static func inspect(
    _ request: ImageRequest,
    _ pipeline: ImagePipeline,
    _ output: Output
  ) async throws -> Inspection {
    let (changes, change) = AsyncStream.makeStream(
      of: TransferProgress.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    async let inspection = inspect(request, pipeline, change)
    var bar = ProgressBar(on: output)
    for await progress in changes { bar.show(progress) }
    bar.clear()
    return try await inspection
  }

  private static func inspect(
    _ request: ImageRequest,
    _ pipeline: ImagePipeline,
    _ change: AsyncStream<TransferProgress>.Continuation
  ) async throws -> Inspection {
    defer { change.finish() }
    return try await pipeline.inspect(request) { change.yield($0) }
  }

  static func facts(_ info: ImageInfo, _ metadata: ImageMetadata) -> JSON {
    [
      "format": .string(info.format.rawValue),
      "width": .integer(info.size.width),
      "height": .integer(info.size.height),
      "frames": .integer(info.frames),
      "durations": .array(info.durations.map(JSON.integer)),
      "loops": .integer(orNull: info.loops),
      "orientation": .integer(Int(info.orientation.rawValue)),
      "alpha": .bool(info.hasAlpha),
      "bits": .integer(info.bitsPerChannel),
      "icc": .bool(info.hasICCProfile),
      "animated": .bool(info.isAnimated),
      "exif": JSON(metadata.exifFacts),
      "xmp": JSON(metadata.xmpFacts),
      "profile": JSON(metadata.profileFacts),
    ]
  }
}
