import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Interlaced pictures that are reduced while their passes are read.
@Suite(.timeLimit(.minutes(10))) struct PNGReductionTests {
  private func plan(_ size: PixelSize, _ fitting: Fitting) -> RenderPlan {
    RenderPlan(stored: size, orientation: .up, fitting: fitting)
  }

  private func sample(_ size: PixelSize, hasAlpha: Bool) -> PNGSample {
    PNGSample(size: size, isInterlaced: true, hasAlpha: hasAlpha) { x, y in
      let alpha = UInt16(65_535 - y * 300)
      return [UInt16(x * 400), UInt16(y * 500), UInt16(30_000 + (x ^ y) * 8)]
        + (hasAlpha ? [alpha] : [])
    }
  }

  private func render(
    _ sample: PNGSample,
    _ target: PixelSize,
    bytesInFull: Int
  ) throws -> Bitmap {
    let bytes = sample.bytes
    let info = try PNGDecoder().probe(bytes.span)
    let plan = plan(info.size, .cover(target))
    return try PNGHandle.render(
      bytes.span,
      plan,
      of: info,
      workspace: Workspace(),
      reduction: PNGReduction(plan, info.size, bytesInFull: bytesInFull)
    )
  }

  @Test(arguments: [(2_001, 0), (2_000, 1), (1_000, 2), (500, 3), (96, 3)])
  func aLargePictureIsStoredReduced(_ fitting: (side: Int, shift: Int)) {
    let size = PixelSize(width: 10_000, height: 10_000)
    let target = PixelSize(width: fitting.side, height: fitting.side)
    let reduction = PNGReduction(
      plan(size, .cover(target)),
      size,
      bytesInFull: PNGHandle.bytesInFull
    )
    #expect(reduction.shift == fitting.shift)
    // Eight bytes per square.
    let squares = reduction.decodedSize.width * reduction.decodedSize.height
    #expect(reduction.shift == 0 || squares * 8 <= 256 << 20)
  }

  @Test func picturesThatFitAreNotReduced() {
    let size = PixelSize(width: 4_096, height: 4_096)
    let whole = PNGReduction(
      plan(size, .cover(PixelSize(width: 96, height: 96))),
      size,
      bytesInFull: PNGHandle.bytesInFull
    )
    #expect(whole.shift == 0)
    #expect(whole.decodedSize == size)
  }

  @Test(arguments: [20, 12, 6], [true, false])
  func aReducedPictureMatchesAFullDecode(_ side: Int, _ hasAlpha: Bool) throws {
    let sample = sample(PixelSize(width: 151, height: 123), hasAlpha: hasAlpha)
    let target = PixelSize(width: side, height: side)
    let reduced = try render(sample, target, bytesInFull: 0)
    let whole = try render(sample, target, bytesInFull: .max)
    #expect(reduced.format == (hasAlpha ? .bgra : .bgrx))
    #expect(reduced.distance(to: whole) <= 2)
  }

  @Test func everyTruncationIsReported() throws {
    let bytes = sample(PixelSize(width: 41, height: 37), hasAlpha: true).bytes
    let info = try PNGDecoder().probe(bytes.span)
    let plan = plan(info.size, .cover(PixelSize(width: 4, height: 4)))
    let reduction = PNGReduction(plan, info.size, bytesInFull: 0)
    for count in stride(from: 100, to: bytes.count - 20, by: 97) {
      let prefix = Array(bytes[..<count])
      #expect(throws: DecodeError.truncated(.png, offset: count)) {
        try PNGHandle.render(
          prefix.span,
          plan,
          of: info,
          workspace: Workspace(),
          reduction: reduction
        )
      }
    }
  }
}
