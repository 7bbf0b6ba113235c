import IkranCodecs
import IkranIsolation
import IkranPixels
import TestBasics
import Testing

/// What another process decodes is what this one would.
extension OneAfterTheOther {
  @Suite struct IsolatedDecodingTests {
    private let decoders = Decoders()
    private let picture = Decoders.picture

    @Test(arguments: [
      Fitting.original, .cover(PixelSize(width: 20, height: 20)),
      .inside(PixelSize(width: 90, height: 20)),
      .inside(PixelSize(width: 90, height: 90), enlarges: false),
      .around(PixelSize(width: 20, height: 20), enlarges: false),
      .region(
        PixelRectangle(x: 3, y: 4, width: 8, height: 6),
        PixelSize(width: 16, height: 12),
        isolated: true
      ),
    ])
    func aPictureHasTheSamePixels(fitting: Fitting) throws {
      let here = try CodecList.standard.decode(picture.span, fitting: fitting)
      let there = try decoders.codecs.decode(picture.span, fitting: fitting)
      #expect(there.bitmap.size == here.bitmap.size)
      #expect(there.bitmap.hasSamePixels(as: here.bitmap))
    }

    @Test func aLargePictureTravelsInMemoryThatBothShare() throws {
      let file = Decoders.png(700, 500)
      let here = try CodecList.standard.decode(file.span).bitmap
      let there = try decoders.codecs.decode(file.span).bitmap
      #expect(there.hasSamePixels(as: here))
      decoders.pool.endIdle()
      #expect(there.hasSamePixels(as: here), "The pixels outlive their decoder.")
    }

    @Test func aFileLargerThanTheSharedMemoryArrivesWhole() throws {
      let file = Decoders.png(1000, 900)
      try #require(file.count > 4 << 20)
      let fitting = Fitting.cover(PixelSize(width: 30, height: 30))
      let here = try CodecList.standard.decode(file.span, fitting: fitting).bitmap
      for _ in 0..<3 {
        let there = try decoders.codecs.decode(file.span, fitting: fitting).bitmap
        #expect(there.hasSamePixels(as: here))
      }
      #expect(decoders.pool.idleCount == 1)
    }

    @Test func aHeaderSaysTheSame() throws {
      let here = try CodecList.standard.probe(picture.span)
      #expect(try decoders.codecs.probe(picture.span) == here)
    }

    @Test func anErrorIsTheSame() throws {
      let cut = Array(picture.prefix(200))
      let here = #expect(throws: DecodeError.self) { try CodecList.standard.decode(cut.span) }
      let there = #expect(throws: DecodeError.self) { try decoders.codecs.decode(cut.span) }
      #expect(there == here)
    }

    @Test func theRulesApplyThere() throws {
      var rules = DecodeRules()
      rules.limits.maximumPixels = 1000
      #expect(throws: DecodeError.overLimit(.pixels, value: 1200, limit: 1000)) {
        try decoders.codecs.decode(picture.span, rules: rules)
      }
    }

    @Test func aCutFileShowsWhatIsThere() throws {
      let file = Array(picture.prefix(5000))
      var rules = DecodeRules()
      rules.acceptsCutFiles = true
      let here = try CodecList.standard.decode(file.span, rules: rules)
      let there = try decoders.codecs.decode(file.span, rules: rules)
      #expect(there.notes == here.notes)
      #expect(!there.notes.isEmpty)
      #expect(there.bitmap.hasSamePixels(as: here.bitmap))
    }

    @Test(.enabled(if: animations.contains("jxl"), "this build does not read JPEG XL"))
    func aBeginningShowsTheSame() throws {
      let whole = Decoders.png(600, 500)
      let file = try CodecList.standard.decode(whole.span).bitmap.encoded(as: .jpegXL(quality: 60))
      #expect(decoders.codecs.order(of: file.span) == .passes)
      var shown = 0
      for part in 1..<8 {
        let beginning = Array(file.prefix(file.count * part / 8))
        let pictures = try [CodecList.standard, decoders.codecs].map { codecs in
          try codecs.decodePrefix(
            beginning.span,
            fitting: .inside(PixelSize(width: 64, height: 64)),
            rules: DecodeRules(),
            workspace: Workspace()
          )
        }
        #expect((pictures[0] == nil) == (pictures[1] == nil), "part \(part)")
        guard let here = pictures[0], let there = pictures[1] else { continue }
        #expect(there.bitmap.hasSamePixels(as: here.bitmap), "part \(part)")
        shown += 1
      }
      #expect(shown > 0)
    }

    @Test func rectanglesAreDecodedThereToo() throws {
      let area = PixelRectangle(x: 5, y: 6, width: 7, height: 8)
      var here = try RegionDecoder(picture.span)
      var there = try RegionDecoder(picture.span, codecs: decoders.codecs)
      let wanted = try here.decode(area, of: picture.span)
      #expect(try there.decode(area, of: picture.span).hasSamePixels(as: wanted))
      #expect(decoders.pool.idleCount == 1)
    }

    @Test func anEmptyFileIsEmpty() throws {
      let none: [UInt8] = []
      #expect(throws: DecodeError.empty) { try decoders.codecs.decode(none.span) }
    }

    /// Decodes in this process and in another.
    private func expectTheSame(_ bytes: [UInt8], _ name: String) {
      let fitting = Fitting.inside(PixelSize(width: 64, height: 64))
      let here = Result { try CodecList.standard.decode(bytes.span, fitting: fitting).bitmap }
      let there = Result { try decoders.codecs.decode(bytes.span, fitting: fitting).bitmap }
      switch (here, there) {
      case (.success(let here), .success(let there)):
        #expect(there.hasSamePixels(as: here), "\(name)")
      case (.failure(let here), .failure(let there)): #expect("\(there)" == "\(here)", "\(name)")
      default: Issue.record("\(name): \(here) here, \(there) there")
      }
    }

    @Test func everyFixtureIsTheSame() throws {
      for name in Fixtures.names { expectTheSame(try Fixtures.bytes(name), name) }
    }

    #if SVG
    @Test func textHasTheFontsThatItHasHere() throws {
      func file(_ text: String) -> [UInt8] {
        Array(
          """
          <svg xmlns="http://www.w3.org/2000/svg" width="64" height="32">
          <rect width="64" height="32" fill="white"/>
          <text x="4" y="24" font-family="serif" font-size="20">\(text)</text></svg>
          """.utf8
        )
      }
      let word = file("Word")
      expectTheSame(word, "a word")
      let (nothing, other) = (file(""), file("Ward"))
      let pictures = try [word, nothing, other].map {
        try decoders.codecs.decode($0.span).bitmap
      }
      // Without fonts all letters are one box.
      #expect(!pictures[1].hasSamePixels(as: pictures[0]))
      #expect(!pictures[2].hasSamePixels(as: pictures[0]))
    }
    #endif

    @Test(
      .enabled(if: Corpus.isAvailable),
      arguments: ["avif", "heic", "jxl", "svg", "tiff", "gif"]
    )
    func filesOfTheCorpusAreTheSame(format: String) throws {
      let files = Corpus.files(format: format).filter { $0.expected == "decodes" }
      for file in files.prefix(Rounds.fewer(20, atLeast: 4)) {
        expectTheSame(try file.bytes(), "\(file)")
      }
    }

    /// No decoder ends for one of them.
    @Test(.enabled(if: Corpus.isAvailable)) func hostileFilesAreTheSame() throws {
      let files = Corpus.files.filter { $0.path.hasPrefix("hostile/") }
      for file in Rounds.fewer(of: files) { expectTheSame(try file.bytes(), "\(file)") }
      #expect(decoders.pool.idleCount == 1)
    }

    /// A sanitizer has an allocator of its own.
    @Test(
      .enabled(if: Corpus.isAvailable && !Sanitizer.isOn, "a sanitizer has an allocator of its own")
    )
    func aDamagedHEICFileShowsNothingOfOtherPictures() throws {
      let files = Corpus.files(format: "heic").filter { $0.expected == "decodes" }
      let photos = try files.prefix(12).map { try $0.bytes() }
      for (index, photo) in photos.enumerated() {
        for part in 3..<9 {
          var bytes = photo
          for place in 0..<16 { bytes[bytes.count * part / 10 + place] ^= 0x5A }
          guard let alone = try? Decoders().codecs.decode(bytes.span).bitmap else { continue }
          for other in photos { _ = try? decoders.codecs.decode(other.span) }
          let after = try decoders.codecs.decode(bytes.span).bitmap
          #expect(after.hasSamePixels(as: alone), "\(files[index]), part \(part)")
        }
      }
    }

    /// Those of AVIF and JPEG XL are decoded apart unless a program wants otherwise.
    private static let animations = ["gif", "png", "webp", "avif", "jxl"].filter { ending in
      CodecList.standard.codecs.contains { $0.format.rawValue == ending }
    }

    @Test(arguments: animations) func framesAreTheSame(_ ending: String) throws {
      let bytes = try Fixtures.bytes("animation-3-frames.\(ending)")
      let here = try #require(try CodecList.standard.frames(of: bytes))
      let there = try #require(try decoders.codecs.frames(of: bytes))
      #expect(there.info == here.info)
      let (one, other) = (here.makeComposer(), there.makeComposer())
      for frame in [0, 1, 2, 1, 0] {
        let picture = try one.compose(frame)
        #expect(try other.compose(frame).hasSamePixels(as: picture), "frame \(frame)")
      }
    }

    @Test(arguments: animations) func playersThatWereForgottenGoOn(_ ending: String) throws {
      let bytes = try Fixtures.bytes("animation-3-frames.\(ending)")
      let frames = try #require(try decoders.codecs.frames(of: bytes))
      let composers = (0..<6).map { _ in frames.makeComposer() }
      let here = try #require(try CodecList.standard.frames(of: bytes))
      let first = try here.makeComposer().compose(0)
      for _ in 0..<2 {
        for composer in composers {
          #expect(try composer.compose(0).hasSamePixels(as: first))
        }
        decoders.pool.endIdle()
      }
    }
  }
}
