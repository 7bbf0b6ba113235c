import IkranCodecs
import IkranPixels
import IkranSystem
import Support
import Testing

@testable import IkranService

/// Files that results become.
@Suite("Encoding of results")
struct ResultEncoderTests {
  private func noise(_ side: Int = 64) throws -> Bitmap {
    var random = SeededGenerator(seed: 7)
    var canvas = try Canvas(size: PixelSize(width: side, height: side), format: .bgrx)
    canvas.withMutableBytes { bytes in
      for index in 0..<bytes.count where index % 4 != 3 {
        bytes[index] = .random(in: 0...255, using: &random)
      }
    }
    return canvas.finish()
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .webp, .gif, .bmp])
  func aResultHasTheFormatThatIsWanted(_ format: ImageFormat) throws {
    let file = try ResultEncoder(Output()).encode(noise(), as: format)
    #expect(file.format == format && ImageFormat(of: file.bytes) == format)
  }

  @Test(arguments: [ImageFormat.tiff, .ico, .svg, .heic, .pdf])
  func formatsThatAreNotWrittenAreErrors(_ format: ImageFormat) throws {
    let encoder = ResultEncoder(Output())
    #expect(!ResultEncoder.writes(format))
    #expect(throws: RenderError.cannotWrite(format)) { try encoder.encode(noise(), as: format) }
  }

  @Test func theNearestQualityHolds() {
    var output = Output()
    var settings = QualitySettings()
    func quality(_ format: ImageFormat) -> Int {
      ResultEncoder(output, settings: settings).quality(of: format)
    }
    #expect(quality(.jpeg) == 80 && quality(.webp) == 79)
    settings.quality = 70
    #expect(quality(.jpeg) == 70 && quality(.avif) == 63)
    output.formatQuality = [.webp: 50]
    #expect(quality(.webp) == 50 && quality(.jpeg) == 70)
    output.quality = 30
    #expect(quality(.webp) == 30 && quality(.jpeg) == 30)
  }

  @Test func aFileIsWrittenAgainUntilItFits() throws {
    var output = Output(quality: 100)
    let full = try ResultEncoder(output).encode(noise(), as: .jpeg).bytes.count
    output.maximumBytes = full / 2
    #expect(try ResultEncoder(output).encode(noise(), as: .jpeg).bytes.count <= full / 2)
    // Formats that lose nothing stay as they are.
    #expect(try ResultEncoder(output).encode(noise(), as: .png).bytes.count > full / 2)
  }

  @Test func theQualityFallsInSteps() throws {
    let output = Output(quality: 100, maximumBytes: 100)
    var qualities: [Int] = []
    // 400, 160 and 101 bytes are over three times, over one and a half times, and over the limit.
    let sizes = [400, 160, 101, 101, 101]
    _ = try ResultEncoder(output).fitted(.webp) { encoding in
      if case .webp(let quality) = encoding { qualities.append(quality) }
      return [UInt8](repeating: 0, count: sizes[qualities.count - 1])
    }
    // A quarter, a half, three quarters; at 9 it ends.
    #expect(qualities == [100, 25, 12, 9])
  }

  @Test func ofVerySmallPicturesThereIsNoAVIF() throws {
    let encoder = ResultEncoder(Output())
    #expect(try encoder.encode(noise(15), as: .avif).format == .jpeg)
    let clear = try Samples.picture(40, 15, Samples.clear)
    #expect(try encoder.encode(clear, as: .avif).format == .png)
  }

  @Test func metadataAreKeptAsTheURLSays() throws {
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
      xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:rights><rdf:Alt><rdf:li \
      xml:lang="x-default">Ann</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta>
      """
    let metadata = ImageMetadata(xmp: Array(xmp.utf8))
    func kept(_ output: Output) throws -> String? {
      let file = try ResultEncoder(output).encode(noise(), as: .jpeg, metadata: metadata)
      return ImageMetadata(of: file.bytes).xmpFacts?.rights
    }
    #expect(try kept(Output()) == "Ann")
    #expect(try kept(Output(keepsCopyright: false)) == nil)
    #expect(try kept(Output(stripsMetadata: false, keepsCopyright: false)) == "Ann")
  }

  // MARK: - Animations

  /// A GIF of three frames, of 40 × 20 pixels: the quarters, turned by 0°, 180° and 0°.
  private func animation() throws -> any FrameSource {
    let frames = try [Samples.quarters(), Samples.quarters().oriented(.down), Samples.quarters()]
    let writer = try AnimationEncoder(.gif, size: frames[0].size, plays: 2, hasAlpha: false)
    for (index, frame) in frames.enumerated() { try writer.add(frame, duration: 100 + index * 10) }
    return try #require(try CodecList.standard.frames(of: writer.finish()))
  }

  private func info() -> ImageInfo {
    var info = ImageInfo(format: .gif, size: PixelSize(width: 40, height: 20))
    info.frames = 3
    return info
  }

  @Test(arguments: [ImageFormat.gif, .webp])
  func eachFrameOfAnAnimationIsRendered(_ format: ImageFormat) throws {
    var options = ProcessingOptions()
    options.framing.crop = Framing.Crop(width: 0.5, height: 0.5, gravity: Gravity(kind: .northWest))
    options.framing.padding.left = 5
    let plan = try ResultPlan(info(), options, as: format, isAnimated: true)
    let result = AnimatedResult(plan: plan, mostFrames: 2, watermark: nil)
    let file = try result.encoded(animation(), by: ResultEncoder(Output(quality: 100)))
    let source = try #require(try CodecList.standard.frames(of: file.bytes))
    #expect(source.info.format == format && source.info.plays == 2)
    #expect(source.info.size == PixelSize(width: 25, height: 10))
    #expect(source.info.frames.map(\.duration) == [100, 110])
    let composer = source.makeComposer()
    let (first, second) = (try composer.compose(0), try composer.compose(1))
    #expect(first.color(x: 2, y: 5)?.alpha == 0 && second.color(x: 2, y: 5)?.alpha == 0)
    let (red, white) = (first.color(x: 15, y: 5), second.color(x: 15, y: 5))
    #expect(red?.red ?? 0 > 240 && red?.blue ?? 255 < 15)
    #expect(white?.red ?? 0 > 240 && white?.blue ?? 0 > 240)
  }

  @Test func anAnimationThatIsNotWantedAnyMoreEnds() throws {
    let plan = try ResultPlan(info(), ProcessingOptions(), as: .gif, isAnimated: true)
    let result = AnimatedResult(plan: plan, mostFrames: 9, watermark: nil)
    let (workspace, cancellation) = (Workspace(), JobCancellation())
    workspace.cancellation = cancellation
    cancellation.cancel()
    #expect(throws: RenderError.cancelled) {
      try result.encoded(animation(), by: ResultEncoder(Output()), workspace)
    }
  }

  @Test func aFormatWithoutAnimationsIsAnError() throws {
    let plan = try ResultPlan(info(), ProcessingOptions(), as: .jpeg, isAnimated: true)
    let result = AnimatedResult(plan: plan, mostFrames: 9, watermark: nil)
    #expect(throws: RenderError.encode(.noAnimations(.jpeg))) {
      try result.encoded(animation(), by: ResultEncoder(Output()))
    }
  }
}
