import IkranPixels
import Testing

@Suite(.timeLimit(.minutes(10))) struct ResamplerTests {
  private static let outputs = [
    PixelSize(8, 8), PixelSize(3, 11), PixelSize(90, 70), PixelSize(2, 2), PixelSize(1, 40),
  ]

  @Test(arguments: outputs, [PixelFormat.bgrx, .bgra])
  func streamedRowsGiveTheSameResultAsTheBitmap(output: PixelSize, format: PixelFormat) throws {
    let image = try noise(71, 63, format)
    let plan = RenderPlan(stored: image.size, orientation: .up, fitting: .cover(output))
    let whole = try image.resampled(plan, workspace: Workspace())
    var resampler = try Resampler(
      rows: image.size,
      crop: plan.crop,
      output: output,
      format: format,
      workspace: Workspace()
    )
    try deliver(image, to: &resampler)
    #expect(try resampler.finish().pixels == whole.pixels)
  }

  @Test(arguments: outputs, [ResamplingFilter.lanczos3, .area])
  func bothInstructionSetsWriteTheSameBytes(output: PixelSize, filter: ResamplingFilter) throws {
    let portable = Workspace()
    portable.usesSIMD = false
    for format in [PixelFormat.bgrx, .bgra] {
      let image = try noise(67, 45, format)
      let plan = RenderPlan(stored: image.size, orientation: .up, fitting: .cover(output))
      let wide = try image.resampled(plan, filter: filter, workspace: Workspace())
      let plain = try image.resampled(plan, filter: filter, workspace: portable)
      #expect(wide.pixels == plain.pixels)
    }
  }

  @Test func onlyTheRowsUnderTheCropAreNeeded() throws {
    let resampler = try Resampler(
      rows: PixelSize(1000, 1000),
      crop: PixelArea(x: 100, y: 500, width: 100, height: 50),
      output: PixelSize(50, 25),
      format: .bgrx,
      workspace: Workspace()
    )
    // Three lobes at 2:1 reach six pixels beyond the outermost results' centres.
    #expect(resampler.neededRows == 495..<555)
    #expect(resampler.neededColumns == 95..<205)
    _ = try resampler.finish()
  }

  @Test(arguments: [(20, 20), (200, 200)])
  func missingRowsAreBlackOrClear(size: (Int, Int)) throws {
    for format in [PixelFormat.bgrx, .bgra] {
      var resampler = try Resampler(
        rows: PixelSize(size.0, size.1),
        crop: PixelArea(PixelSize(size.0, size.1)),
        output: PixelSize(4, 8),
        format: format,
        workspace: Workspace()
      )
      for _ in 0..<size.1 / 2 {
        resampler.nextRow { $0.initializeMemory(as: UInt8.self, repeating: 255) }
      }
      let image = try resampler.finish()
      #expect(image.pixel(1, 0) == [255, 255, 255, 255])
      #expect(image.pixel(1, 7) == (format == .bgra ? [0, 0, 0, 0] : [0, 0, 0, 255]))
    }
  }

  @Test func anErrorFromTheDecoderIsRethrownAndTheRowMayBeRepeated() throws {
    struct Torn: Error {}
    var resampler = try Resampler(
      rows: PixelSize(1, 1),
      crop: PixelArea(PixelSize(1, 1)),
      output: PixelSize(1, 1),
      format: .bgrx,
      workspace: Workspace()
    )
    var failures = 0
    do {
      try resampler.nextRow { (_) throws(Torn) in throw Torn() }
    } catch { failures += 1 }
    resampler.nextRow { $0.initializeMemory(as: UInt8.self, repeating: 7) }
    #expect(failures == 1)
    #expect(try resampler.finish().pixels == [7, 7, 7, 255])
  }

  @Test func twoResamplersMayShareAWorkspace() throws {
    let workspace = Workspace()
    let images = [try noise(30, 20, seed: 1), try noise(30, 20, seed: 2)]
    let plan = RenderPlan(
      stored: PixelSize(30, 20),
      orientation: .up,
      fitting: .cover(PixelSize(7, 7))
    )
    // One fills the workspace, so that there is memory both could take.
    _ = try images[0].resampled(plan, workspace: workspace)
    var first = try Resampler(
      rows: plan.rows,
      crop: plan.crop,
      output: plan.output,
      format: .bgrx,
      workspace: workspace
    )
    var second = try Resampler(
      rows: plan.rows,
      crop: plan.crop,
      output: plan.output,
      format: .bgrx,
      workspace: workspace
    )
    try deliver(images[0], to: &first)
    try deliver(images[1], to: &second)
    #expect(try first.finish().pixels == images[0].resampled(plan, workspace: Workspace()).pixels)
    #expect(try second.finish().pixels == images[1].resampled(plan, workspace: Workspace()).pixels)
  }
}

@Suite(.timeLimit(.minutes(10))) struct ResamplingQualityTests {
  private static let ratios = [
    Ratio((200, 200), (96, 96)), Ratio((150, 90), (40, 40)), Ratio((40, 40), (96, 64)),
    Ratio((300, 280), (16, 16)), Ratio((340, 200), (9, 9)),
  ]

  @Test(arguments: ratios)
  func aPhotoIsFiftyFiveDecibelsFromTheDefinition(ratio: Ratio) throws {
    let image = try photo(ratio.from.width, ratio.from.height)
    #expect(try quality(image, ratio) > 3.16e5)
  }

  @Test(arguments: ratios)
  func noiseIsFiftyDecibelsFromTheDefinition(ratio: Ratio) throws {
    let image = try noise(ratio.from.width, ratio.from.height)
    #expect(try quality(image, ratio) > 1e5)
  }

  private func quality(_ image: Bitmap, _ ratio: Ratio) throws -> Double {
    let fitting = Fitting.cover(ratio.to)
    let crop = RenderPlan(stored: image.size, orientation: .up, fitting: fitting).crop
    let reference = LanczosReference(filter: .lanczos3)
    let exact = reference.resample(image, crop: crop, output: ratio.to)
    return signalToNoise(try image.resampled(fitting), exact)
  }
}
