import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// GIF files whose first frame does not fit on their screen.
@Suite(.timeLimit(.minutes(10))) struct GIFScreenTests {
  private static let (red, green) = (Pixel(250, 1, 2), Pixel(3, 240, 4))
  private static let clear = Pixel(0, 0, 0, 0)

  private func file(_ screen: (Int, Int), _ frames: [PlacedFrame]) -> AnimatedGIF {
    AnimatedGIF(size: PixelSize(width: screen.0, height: screen.1), frames: frames)
  }

  /// What probing, decoding, composing and previews say of a file and its beginnings.
  private func expect(_ gif: AnimatedGIF, has size: PixelSize, _ format: PixelFormat) throws {
    var gif = gif
    for isInterlaced in [false, true] {
      gif.isInterlaced = isInterlaced
      let bytes = gif.bytes
      let info = try probe(bytes).get()
      #expect(info.size == size)
      #expect(info.hasAlpha == (format == .bgra))
      let picture = try outcome(of: bytes).get()
      #expect(picture.size == size)
      #expect(picture.format == format)
      if gif.frames.count > 1 {
        let source = try animation(bytes)
        #expect(source.info.size == size)
        #expect(try source.composed()[0].distance(to: picture) == 0)
      }
      for count in bytes.indices.dropFirst() {
        let beginning = Array(bytes[..<count])
        switch probe(beginning) {
        case .success(let info): #expect(info.size == size)
        case .failure(.truncated), .failure(.unknownFormat): break
        case .failure(let error): Issue.record("\(error) after \(count) bytes")
        }
        // Errors of limits and damage are no pictures.
        let preview = try? CodecList.standard.decodePrefix(
          beginning.span,
          fitting: .original,
          rules: DecodeRules(),
          workspace: Workspace()
        )
        #expect(preview.map { $0.bitmap.size == size } ?? true)
      }
    }
  }

  @Test(arguments: [(0, 0), (0, 12), (16, 0)], [(16, 12), (5, 300), (1, 1)])
  func aScreenWithoutSizeTakesItsFirstFrames(_ screen: (Int, Int), _ frame: (Int, Int)) throws {
    let size = PixelSize(width: frame.0, height: frame.1)
    for place in [(0, 0), (3, 2)] {
      let first = PlacedFrame(place.0, place.1, frame.0, frame.1, Self.red)
      try expect(file(screen, [first]), has: size, .bgrx)
      let second = PlacedFrame(0, 0, 1, 1, Self.green)
      let gif = file(screen, [first, second])
      try expect(gif, has: size, .bgrx)
      let last = try animation(gif.bytes).composed()[1].pixels
      #expect(last[0][0] == Self.green)
      #expect(last.joined().dropFirst().allSatisfy { $0 == Self.red })
    }
  }

  @Test func aLargerFirstFrameEnlargesTheScreen() throws {
    let first = PlacedFrame(0, 0, 16, 12, Self.red)
    for screen in [(1, 1), (15, 12), (16, 11), (10, 40), (30, 3)] {
      let size = PixelSize(width: max(16, screen.0), height: max(12, screen.1))
      let isCovered = size == PixelSize(width: 16, height: 12)
      let second = PlacedFrame(14, 10, 8, 8, Self.green)
      try expect(file(screen, [first, second]), has: size, isCovered ? .bgrx : .bgra)
    }
  }

  @Test func aLargerFirstFrameKeepsItsPlace() throws {
    let gif = file((4, 4), [PlacedFrame(3, 2, 5, 5, Self.red)])
    try expect(gif, has: PixelSize(width: 8, height: 7), .bgra)
    let pixels = try outcome(of: gif.bytes).get().pixels
    try #require(pixels.count == 7)
    #expect(pixels[2][3] == Self.red && pixels[6][7] == Self.red)
    #expect(pixels[1][3] == Self.clear && pixels[2][2] == Self.clear)
  }

  @Test func laterFramesAreCropped() throws {
    let first = PlacedFrame(0, 0, 4, 4, Self.red)
    try expect(
      file((4, 4), [first, PlacedFrame(1, 1, 9, 9, Self.green)]),
      has: PixelSize(width: 4, height: 4),
      .bgrx
    )
  }

  @Test func aScreenAndAFrameWithoutSizeAreMalformed() throws {
    for (width, height) in [(0, 0), (0, 5), (5, 0)] {
      let bytes = file((0, 0), [PlacedFrame(0, 0, width, height, Self.red)]).bytes
      guard case .malformed(.gif, _, _) = failure(of: bytes) else {
        Issue.record("\(String(describing: failure(of: bytes)))")
        return
      }
    }
  }

  /// The same pixels as one frame, clear around the small one, which is computed whole.
  private func covering(_ screen: PixelSize, _ small: PlacedFrame) -> PlacedFrame {
    var whole = PlacedFrame(0, 0, screen.width, screen.height, Self.clear)
    for y in 0..<small.height where small.top + y < screen.height {
      for x in 0..<small.width where small.left + x < screen.width {
        let place = (small.top + y) * screen.width + small.left + x
        whole.pixels[place] = small.pixels[y * small.width + x]
      }
    }
    return whole
  }

  @Test func aSmallFrameOnALargeScreenHasThePixelsOfAWholeOne() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    let colors = [Self.red, Self.green, Self.clear, Pixel(255, 255, 255)]
    for _ in 0..<60 {
      let (width, height) = (number(8...90), number(8...90))
      let screen = PixelSize(width: width, height: height)
      let (left, top) = (number(0...width - 2), number(0...height - 2))
      let most = PixelSize(width: min(width - left, 20), height: min(height - top, 20))
      var small = PlacedFrame(
        left,
        top,
        number(1...most.width),
        number(1...most.height),
        Self.red
      )
      for index in small.pixels.indices { small.pixels[index] = colors[number(0...3)] }
      let (wide, high) = (number(1...60), number(1...60))
      let target = PixelSize(width: wide, height: high)
      let region = PixelRectangle(x: 1, y: 2, width: width - 3, height: height - 4)
      let gifs = [small, covering(screen, small)].map { file((width, height), [$0]).bytes }
      for fitting in [
        Fitting.cover(target), .inside(target), .region(region, target),
      ] {
        let pictures = try gifs.map { try outcome(of: $0, fitting).get() }
        #expect(pictures[0].distance(to: pictures[1]) == 0, "\(screen) \(small) \(fitting)")
      }
    }
  }

  @Test func aFewBytesWithAScreenOfManyMegapixelsCostTheirFrame() throws {
    let frame = PlacedFrame(20_000, 29_999, 1, 1, Self.red)
    let bytes = file((30_000, 30_000), [frame]).bytes
    let target = PixelSize(width: 100, height: 100)
    let picture = try outcome(of: bytes, .cover(target)).get()
    #expect(picture.pixels.joined().allSatisfy { $0.alpha == 0 })
  }

  @Test func limitsHoldForTheEnlargedScreen() throws {
    let bytes = file((2, 2), [PlacedFrame(0, 0, 20, 10, Self.red)]).bytes
    var limits = DecodeLimits()
    limits.maximumPixels = 199
    #expect(failure(of: bytes, limits: limits) == .overLimit(.pixels, value: 200, limit: 199))
    let two = file(
      (0, 0),
      [PlacedFrame(0, 0, 20, 10, Self.red), PlacedFrame(0, 0, 1, 1, Self.red)]
    )
    #expect(throws: DecodeError.overLimit(.pixels, value: 200, limit: 199)) {
      try animation(two.bytes, limits: limits)
    }
    // At the far end of what can be written.
    var far = PlacedFrame(65_535, 65_535, 1, 1, Self.red)
    (far.width, far.height) = (65_535, 65_535)
    guard case .overLimit = failure(of: file((1, 1), [far]).bytes) else {
      Issue.record("\(String(describing: failure(of: file((1, 1), [far]).bytes)))")
      return
    }
  }
}
