import IkranCodecs
import IkranPixels
import Support
import Testing

@testable import IkranService

/// Files in qualities that were looked for.
@Suite("Automatic qualities")
struct AutoqualityTests {
  /// Soft colours, edges and some noise, as photos have them.
  private func photo(_ width: Int = 120, _ height: Int = 88) throws -> Bitmap {
    var random = SeededGenerator(seed: 4)
    var canvas = try Canvas(size: PixelSize(width: width, height: height), format: .bgrx)
    let stride = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let edge = (x / 13 + y / 9) % 3 * 30
          for channel in 0..<3 {
            let light = edge + x + channel * y / 2 + .random(in: 0...24, using: &random)
            bytes[y * stride + x * 4 + channel] = UInt8(min(light, 255))
          }
        }
      }
    }
    return canvas.finish()
  }

  private func output(_ text: String) throws -> Output { try options(text).output }

  /// The file of a picture, its quality, and how different it is.
  private func made(
    _ text: String,
    _ format: ImageFormat,
    of picture: Bitmap
  ) throws -> (bytes: [UInt8], dissimilarity: Double) {
    let bytes = try ResultEncoder(output(text)).encode(picture, as: format).bytes
    let shown = try CodecList.standard.decode(bytes.span, rules: DecodeRules(colors: .keepProfile))
    return (bytes, picture.dissimilarity(to: try shown.bitmap.converted(to: .bgrx)))
  }

  private func quality(_ text: String, _ format: ImageFormat, of picture: Bitmap) throws -> Int {
    let encoder = ResultEncoder(try output(text))
    return try encoder.similar(to: picture, as: format) { (encoding) throws(RenderError) in
      do throws(EncodeError) { return try picture.encoded(as: encoding) } catch {
        throw .encode(error)
      }
    }.quality
  }

  private static var formats: [ImageFormat] {
    [.jpeg, .webp, .avif, .jpegXL].filter(ResultEncoder.writes)
  }

  @Test(arguments: formats)
  func aFileIsAsSimilarAsIsWanted(_ format: ImageFormat) throws {
    let picture = try photo()
    for target in [0.01, 0.03, 0.1] {
      let file = try made("aq:dssim:\(target):1:100:0.002", format, of: picture)
      #expect(file.dissimilarity <= target + 0.002, "\(target)")
      #expect(file.dissimilarity > 0)
    }
  }

  @Test(arguments: formats)
  func theQualityRisesAsTheTargetFalls(_ format: ImageFormat) throws {
    let picture = try photo()
    let targets = [0.2, 0.1, 0.05, 0.02, 0.005]
    let found = try targets.map {
      try quality("aq:dssim:\($0):1:100:0.0001", format, of: picture)
    }
    #expect(found == found.sorted() && found[0] < found[4], "\(found)")
  }

  @Test func theLowestSuchQualityIsTaken() throws {
    let picture = try photo()
    let found = try quality("aq:dssim:0.03:1:100:0", .jpeg, of: picture)
    #expect((2...99).contains(found))
    func dissimilarity(_ quality: Int) throws -> Double {
      try made("q:\(quality)", .jpeg, of: picture).dissimilarity
    }
    #expect(try dissimilarity(found) <= 0.03)
    #expect(try dissimilarity(found - 1) > 0.03)
    let file = try made("aq:dssim:0.03:1:100:0", .jpeg, of: picture).bytes
    #expect(try file == made("q:\(found)", .jpeg, of: picture).bytes)
  }

  @Test func theBoundsHoldWhateverTheTarget() throws {
    let picture = try photo()
    #expect(try quality("aq:dssim:0:20:30:0", .jpeg, of: picture) == 30)
    #expect(try quality("aq:dssim:1:20:30:0", .jpeg, of: picture) == 20)
    #expect(try quality("aq:dssim:0", .jpeg, of: picture) == 80)
    #expect(try quality("aq:dssim:1", .jpeg, of: picture) == 70)
  }

  @Test func boundsAreTheURLsBeforeTheFormatsBeforeTheOthers() throws {
    let settings = AutoqualitySettings()
    func bounds(_ text: String, _ format: ImageFormat) throws -> ClosedRange<Int> {
      settings.bounds(of: format, try output(text).autoquality)
    }
    #expect(try bounds("aq:dssim", .jpeg) == 70...80)
    #expect(try bounds("aq:dssim", .avif) == 60...65)
    #expect(try bounds("aq:dssim::10:90", .avif) == 10...90)
    #expect(try bounds("aq:dssim::90", .jpeg) == 90...90)
    #expect(try bounds("aq:dssim:::50", .jpeg) == 50...50)
  }

  @Test(arguments: formats)
  func aFileHasTheHighestQualityThatFits(_ format: ImageFormat) throws {
    let picture = try photo()
    let (small, large) = (
      try made("q:30", format, of: picture).bytes.count,
      try made("q:90", format, of: picture).bytes.count
    )
    let target = (small + large) / 2
    let file = try made("aq:size:\(target):10:90", format, of: picture).bytes
    #expect(file.count <= target && file.count >= small)
    // What no quality reaches is the lowest; what all do is the highest.
    #expect(try made("aq:size:1:30:90", format, of: picture).bytes.count == small)
    #expect(try made("aq:size:9999999:30:90", format, of: picture).bytes.count == large)
  }

  @Test func formatsWithoutQualitiesStayAsTheyAre() throws {
    let picture = try photo()
    for format in [ImageFormat.png, .gif, .bmp] {
      let plain = try ResultEncoder(Output()).encode(picture, as: format)
      for text in ["aq:size:10", "aq:dssim:0.5"] {
        #expect(try ResultEncoder(output(text)).encode(picture, as: format) == plain)
      }
    }
    let plain = try ResultEncoder(Output()).encode(picture, as: .jpeg)
    #expect(try ResultEncoder(output("aq:none:5")).encode(picture, as: .jpeg) == plain)
  }

  @Test func aLimitOfBytesIsTheHarderBound() throws {
    let picture = try photo()
    let free = try made("aq:dssim:0:90:95", .jpeg, of: picture).bytes.count
    let limit = free * 2 / 3
    let bound = try made("aq:dssim:0:90:95/mb:\(limit)", .jpeg, of: picture).bytes.count
    #expect(free > limit && bound <= limit)
  }

  @Test(arguments: ["aq:dssim:0:1:100:0", "aq:size:1:1:100"])
  func aPictureOfMorePixelsThanThatHasThePlainQuality(_ text: String) throws {
    let picture = try photo()
    var settings = QualitySettings()
    let plain = try ResultEncoder(output("q:55")).encode(picture, as: .jpeg)
    let found = try ResultEncoder(output(text + "/q:55")).encode(picture, as: .jpeg)
    #expect(found != plain)
    settings.autoquality.maximumPixels = picture.width * picture.height
    let atLimit = try ResultEncoder(output(text + "/q:55"), settings: settings)
    #expect(try atLimit.encode(picture, as: .jpeg) == found)
    settings.autoquality.maximumPixels -= 1
    let above = try ResultEncoder(output(text + "/q:55"), settings: settings)
    #expect(try above.encode(picture, as: .jpeg) == plain)
  }

  @Test func theMostPixelsAreMillions() throws {
    let settings = try ServiceSettings(environment: ["IMGPROXY_AUTOQUALITY_MAX_RESOLUTION": "0.5"])
    #expect(settings.formats.encoders.autoquality.maximumPixels == 500_000)
  }

  @Test func noMoreThanSevenFilesAreWritten() throws {
    let picture = try photo(32, 24)
    for text in ["aq:dssim:0:1:100:0", "aq:dssim:0.02:1:100:0", "aq:size:1:1:100"] {
      var questions = 0
      _ = try ResultEncoder(output(text)).encode(picture, as: .jpeg) {
        questions += 1
        return true
      }
      #expect((2...7).contains(questions), "\(text)")
    }
  }

  @Test func aPictureThatIsNotWantedAnyMoreEndsBetweenTrials() throws {
    let picture = try photo(32, 24)
    for count in 0..<5 {
      var left = count
      #expect(throws: RenderError.cancelled) {
        try ResultEncoder(output("aq:dssim:0:1:100:0")).encode(picture, as: .jpeg) {
          left -= 1
          return left >= 0
        }
      }
      #expect(left == -1)
    }
  }

  @Test func transparentPicturesAreCompared() throws {
    let ground = Color(red: 0, green: 0, blue: 0, alpha: 0)
    let part = Samples.box(5, 5, 30, 20)
    let picture = try Samples.picture(48, 40, ground, [(part, Samples.red)])
    let found = try quality("aq:dssim:0.01:1:100", .webp, of: picture)
    #expect(found < 100)
  }

  @Test func ofAnAnimationTheFirstFrameDecides() throws {
    let frame = try photo(64, 48)
    let flat = try Bitmap(Color.white, size: frame.size)
    func file(_ frames: [Bitmap], _ text: String) throws -> [UInt8] {
      let writer = try AnimationEncoder(.png, size: frame.size, plays: 1, hasAlpha: false)
      for frame in frames { try writer.add(frame, duration: 100) }
      let source = try #require(try CodecList.standard.frames(of: writer.finish()))
      var info = ImageInfo(format: .png, size: frame.size)
      info.frames = frames.count
      let plan = try ResultPlan(info, options(text), as: .webp, isAnimated: true)
      let result = AnimatedResult(plan: plan, mostFrames: 9, watermark: nil)
      return try result.encoded(source, by: ResultEncoder(output(text))).bytes
    }
    let text = "aq:dssim:0.05:1:100:0"
    let found = try quality(text, .webp, of: frame)
    #expect(try file([frame, flat], text) == file([frame, flat], "q:\(found)"))
    // White is the same in every quality.
    #expect(try file([flat, frame], text) == file([flat, frame], "q:1"))
    // The bytes are those of all frames.
    let limit = try file([flat, frame], "q:40").count
    let sized = try file([flat, frame], "aq:size:\(limit):1:100")
    #expect(sized.count <= limit && sized.count > limit / 2)
  }
}
