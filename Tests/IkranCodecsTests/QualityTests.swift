import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Compares scaled pictures with a full decode and Lanczos-3 in `Double`.
@Suite(.timeLimit(.minutes(10)))
struct QualityTests {
  /// Slopes, waves, hard edges and some noise, as in photos.
  private func scene(width: Int, height: Int) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: width, height: height), format: .bgrx)
    let rowBytes = canvas.bytesPerRow
    var random = SeededGenerator(seed: 7)
    canvas.withMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let isLit = (x / 41 + y / 29) % 3 == 0 || (x - 90) * (x - 90) + (y - 70) * (y - 70) < 1600
          let wave = (x * x / 64 + y * 3) & 63
          let grain = Int(random.next() & 7)
          let start = y * rowBytes + x * 4
          bytes[start] = UInt8(40 + y * 120 / height + grain + (isLit ? 50 : 0))
          bytes[start + 1] = UInt8(30 + wave + grain + (isLit ? 90 : 0))
          bytes[start + 2] = UInt8(20 + x * 90 / width + grain + (isLit ? 100 : 0))
          bytes[start + 3] = 255
        }
      }
    }
    return canvas.finish()
  }

  private func decibels(_ bytes: [UInt8], _ side: Int) throws -> Double {
    let target = PixelSize(width: side, height: side)
    let whole = try outcome(of: bytes).get()
    let scaled = try outcome(of: bytes, .cover(target)).get()
    return FloatLanczos.psnr(scaled, try FloatLanczos.cover(whole, target))
  }

  @Test(arguments: [ImageEncoding.png, .jpeg(quality: 90), .webp(quality: 85)])
  func aWholeDecodeScaledIsWithinFiftyDecibels(_ encoding: ImageEncoding) throws {
    let bytes = try scene(width: 150, height: 130).encoded(as: encoding)
    #expect(try decibels(bytes, 48) >= 50)
  }

  @Test(arguments: [(300, 70), (300, 28)])
  func aReducedJPEGIsWithinFortyFiveDecibels(_ sizes: (side: Int, target: Int)) throws {
    let bytes = try scene(width: sizes.side + 20, height: sizes.side)
      .encoded(as: .jpeg(quality: 90))
    #expect(try decibels(bytes, sizes.target) >= 45)
  }

  /// All reductions; at quality 85, without the last bits of coefficients at a quarter and an eighth.
  @Test(
    arguments: [
      (1_500, 48, .quarter), (1_250, 48, .quarter), (1_250, 48, .full), (1_000, 32, .halfWide),
      (1_000, 32, .quarter), (420, 96, .gray), (420, 32, .quarter),
    ] as [(Int, Int, JPEGSample.Sampling)]
  )
  func aReducedProgressiveJPEGIsWithinFortyFiveDecibels(
    _ sizes: (side: Int, target: Int, sampling: JPEGSample.Sampling)
  ) throws {
    let scene = try scene(width: sizes.side + 13, height: sizes.side)
    for quality in Rounds.areAll ? [50, 75, 85, 92] : [85] {
      let decibels = try decibels(
        progressive(scene, sizes.sampling, quality: quality),
        sizes.target
      )
      #expect(decibels >= 45, "quality \(quality): \(decibels) dB")
    }
  }

  #if AVIF
  @Test(arguments: [(420, 96), (420, 40)])
  func aReducedAVIFIsWithinFortyFiveDecibels(_ sizes: (side: Int, target: Int)) throws {
    let bytes = try scene(width: sizes.side + 13, height: sizes.side).encoded(
      as: .avif(quality: 80)
    )
    let decibels = try decibels(bytes, sizes.target)
    #expect(decibels >= 45, "\(decibels) dB")
  }
  #endif

  /// Flat colours with hard edges, as in drawings.
  private func drawing(side: Int) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: side, height: side), format: .bgrx)
    let rowBytes = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<side {
        for x in 0..<side {
          let (dx, dy) = (x - side / 3, y - side / 2)
          let isDisc = dx * dx + dy * dy < side * side / 16
          let isBar = (x + 2 * y) % (side / 2) < side / 12
          let color: [UInt8] =
            isDisc
            ? [200, 60, 20]
            : isBar
              ? [30, 160, 230]
              : y > side / 4 * 3
                ? [90, 190, 80]
                : [250, 245, 240]
          for channel in 0..<3 { bytes[y * rowBytes + x * 4 + channel] = color[channel] }
          bytes[y * rowBytes + x * 4 + 3] = 255
        }
      }
    }
    return canvas.finish()
  }

  @Test(arguments: [(1_500, 48), (1_000, 96), (1_000, 32), (400, 96)])
  func aReducedProgressiveDrawingIsWithinFortyFiveDecibels(
    _ sizes: (side: Int, target: Int)
  ) throws {
    let drawing = try drawing(side: sizes.side)
    for sampling in Rounds.areAll ? [JPEGSample.Sampling.full, .quarter] : [.quarter] {
      let decibels = try decibels(progressive(drawing, sampling, quality: 85), sizes.target)
      #expect(decibels >= 45, "\(sampling): \(decibels) dB")
    }
  }

  /// A progressive file of `bitmap`.
  private func progressive(
    _ bitmap: Bitmap,
    _ sampling: JPEGSample.Sampling,
    quality: Int
  ) -> [UInt8] {
    var sample = JPEGSample(width: bitmap.width, height: bitmap.height, sampling: sampling)
    (sample.quality, sample.isProgressive) = (Int32(quality), true)
    var pixels: [UInt8] = []
    pixels.reserveCapacity(bitmap.width * bitmap.height * 3)
    for y in 0..<bitmap.height {
      bitmap.withRow(y) { row in
        for x in 0..<bitmap.width {
          pixels.append(row[x * 4 + 2])
          pixels.append(row[x * 4 + 1])
          pixels.append(row[x * 4])
        }
      }
    }
    return sample.bytes(of: pixels)
  }

  /// Even and odd sides, and reductions by 1, 2, 3, 4 and 8.
  @Test(
    arguments: [(270, 260, 60), (270, 260, 32), (271, 259, 21), (403, 407, 25), (1031, 1029, 31)],
    [60.0, 85]
  )
  func aReducedWebPIsWithinFortyFiveDecibels(
    _ sizes: (width: Int, height: Int, target: Int),
    _ quality: Double
  ) throws {
    let bytes = try scene(width: sizes.width, height: sizes.height)
      .encoded(as: .webp(quality: Int(quality)))
    let decibels = try decibels(bytes, sizes.target)
    #expect(decibels >= 45, "\(decibels) dB")
  }

  @Test(arguments: [(1, 400, 1, 30), (400, 1, 30, 1), (9, 1_000, 1, 8), (2, 2, 1, 1)])
  func aThinWebPIsReduced(_ width: Int, _ height: Int, _ across: Int, _ down: Int) throws {
    let bytes = try scene(width: width, height: height).encoded(as: .webp(quality: 85))
    let size = PixelSize(width: across, height: down)
    #expect(try outcome(of: bytes, .cover(size)).get().size == size)
  }

  @Test(
    .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
    arguments: Rounds.fewer(
      of: Corpus.files.filter { $0.path.hasPrefix("photos/") && ($0.width ?? 0) >= 400 }
    )
  )
  func photosAreWithinFortyFiveDecibels(_ file: Corpus.File) throws {
    guard ["jpeg", "webp", "png"].contains(file.format) else { return }
    #expect(try decibels(file.bytes(), 96) >= (file.format == "png" ? 50 : 45))
    #expect(try decibels(file.bytes(), 40) >= 45)
  }

  @Test(
    .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
    arguments: Rounds.fewer(
      of: Corpus.files.filter { $0.path.hasPrefix("photos/") && ($0.width ?? 0) >= 400 }
    )
  )
  func progressivePhotosAreWithinFortyFiveDecibels(_ file: Corpus.File) throws {
    guard ["jpeg", "webp", "png"].contains(file.format) else { return }
    let photo = try outcome(of: file.bytes()).get()
    for sampling in [JPEGSample.Sampling.full, .quarter] {
      let bytes = progressive(photo, sampling, quality: 85)
      for side in [96, 48, 32] { #expect(try decibels(bytes, side) >= 45, "\(sampling), \(side)") }
    }
  }
}
