import Testing

@testable import IkranPixels

/// The formulas are continuous but for a few modes: `BlendReference` says what it leaves out.
@Suite(.timeLimit(.minutes(5))) struct PointBlendTests {
  private static let modes = BlendMode.allCases.filter { $0 != .dissolve }

  @Test func `there are thirty modes`() {
    #expect(BlendMode.allCases.count == 30)
    #expect(BlendMode.allCases.map(\.rawValue) == BlendMode.allCases.map(\.rawValue).sorted())
  }

  @Test(arguments: modes)
  func `pictures are blended with their alpha`(mode: BlendMode) throws {
    for share in [0.4, 1] {
      for source in PointPictures.all {
        let over = try PointPictures.random(source.width, source.height, .bgra, 1)
        try expectBlended(source, over, mode, share)
      }
    }
  }

  @Test(arguments: modes)
  func `opaque pictures are blended`(mode: BlendMode) throws {
    for format in [PixelFormat.bgra, .bgrx] {
      let source = try PointPictures.random(37, 11, format, 2)
      try expectBlended(source, try PointPictures.random(37, 11, .bgrx, 3), mode, 1)
    }
  }

  private func expectBlended(_ source: Bitmap, _ over: Bitmap, _ mode: BlendMode, _ share: Double)
    throws
  {
    let result = try source.filtered([.blend(mode, with: over, intensity: share)])
    let blend = BlendReference(mode: mode, share: share, keepsAlpha: mode == .alpha)
    let shades = over.shades
    let worst = result.distance(from: source) { blend($0, shades[$1.y * $1.width + $1.x]) }
    let size = "\(source.width) × \(source.height)"
    #expect(
      worst.levels <= oneLevel,
      "\(mode) \(share), \(size), seed \(PointPictures.seed), at \(worst.place)"
    )
  }

  @Test func `quotients stay within the range of colours`() throws {
    let red = try #require(Color(hexadecimal: "#FF0000"))
    let dark = try #require(Color(hexadecimal: "#010101"))
    // A table lets a colour below 0 be seen: there is nothing before its first value.
    let curves = Filter.curves([(0, 0.25), (0.5, 0.5), (1, 0.75)])
    for mode in [BlendMode.color, .hue, .saturation, .luminosity] {
      let divided = Array(repeating: Filter.tint(dark, mode: .divide), count: 4)
      for picture in PointPictures.all {
        let result = try picture.filtered([.tint(red, mode: mode)] + divided + [curves])
        for shade in result.shades where shade.a == 1 {
          let channels = [shade.r, shade.g, shade.b]
          #expect(channels.allSatisfy { (0.245...0.755).contains($0) }, "\(mode) \(channels)")
        }
      }
    }
  }

  @Test(arguments: modes)
  func `a colour tints and keeps alpha`(mode: BlendMode) throws {
    for color in ["#20C8A0", "#FF00807F", "#FFFFFF", "#000000", "#80808000"] {
      let color = try #require(Color(hexadecimal: color[...]))
      let blend = BlendReference(mode: mode, share: 1, keepsAlpha: true)
      try expectFormula(
        PointCase(.tint(color, mode: mode)) { shade, _ in blend(shade, Shade(color)) }
      )
    }
  }

  @Test func `a normal tint fills the shape`() throws {
    let result = try PointPictures.random(40, 12, .bgra).filtered([.tint(.white)])
    for shade in result.shades where shade.a > 0 {
      #expect(shade.map { $0 } == Shade(1, 1, 1, shade.a))
    }
  }

  @Test func `dissolving shows each source pixel whole or not at all`() throws {
    let source = try PointPictures.random(64, 64, .bgra)
    let over = try picture(64, 64) { _, _ in [10, 20, 30, 255] }
    var shown: Set<Int> = []
    for share in [0.2, 0.5, 0.8] {
      let result = try source.filtered([.blend(.dissolve, with: over, intensity: share)])
      let again = try source.filtered([.blend(.dissolve, with: over, intensity: share)])
      #expect(result.pixels == again.pixels)
      let (old, new) = (source.pixels, result.pixels)
      var now: Set<Int> = []
      for index in 0..<64 * 64 {
        let pixel = Array(new[index * 4..<index * 4 + 4])
        if pixel == [10, 20, 30, 255] {
          now.insert(index)
        } else {
          #expect(pixel == Array(old[index * 4..<index * 4 + 4]))
        }
      }
      // Five standard deviations of 4,096 throws are less than 0.04.
      #expect(abs(Double(now.count) / 4096 - share) < 0.04)
      #expect(now.isSuperset(of: shown))
      shown = now
    }
  }

  @Test func `a picture of another size is stretched`() throws {
    let source = try PointPictures.random(33, 17, .bgrx)
    let small = try PointPictures.random(5, 4, .bgra)
    let whole = try small.stretched(to: source.size, workspace: Workspace())
    #expect(
      try source.filtered([.blend(.multiply, with: small)]).pixels
        == source.filtered([.blend(.multiply, with: whole)]).pixels
    )
  }

  @Test(arguments: [PixelFormat.gray, .bgr555, .bgr])
  func `pictures of other formats are filtered and blended`(format: PixelFormat) throws {
    let source = try PointPictures.random(9, 7, .bgrx)
    let narrow = try source.converted(to: format)
    let wide = try narrow.converted(to: .bgrx)
    #expect(
      try narrow.filtered([.contrast(1.5)]).shades == wide.filtered([.contrast(1.5)]).shades
    )
    #expect(
      try source.filtered([.blend(.screen, with: narrow)]).pixels
        == source.filtered([.blend(.screen, with: wide)]).pixels
    )
  }
}
