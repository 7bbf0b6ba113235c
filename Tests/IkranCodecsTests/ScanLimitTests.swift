import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Files of one or two kilobytes whose scans visit every block of a large picture.
@Suite(.timeLimit(.minutes(10))) struct ScanLimitTests {
  private static let large = PixelSize(width: 5_000, height: 4_000)
  private static let small = PixelSize(width: 64, height: 48)

  /// The first and last coefficient of the scans after the first.
  private struct Refinement {
    let coefficients: ClosedRange<UInt8>
    let data: [UInt8]
  }

  /// A gray progressive picture: one scan of its means, then `count` that refine it without data.
  private func picture(
    _ size: PixelSize,
    arithmetic: Bool,
    _ refinement: Refinement,
    count: Int
  ) -> [UInt8] {
    let sides = [size.height, size.width].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    var bytes: [UInt8] = [0xFF, 0xD8]
    bytes += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    bytes += segment(arithmetic ? 0xCA : 0xC2, [8] + sides + [1, 1, 0x11, 0])
    // DC: the codeword 0 is no difference. AC: 0 begins a run of up to 32,767 empty blocks, 10 ends
    // one.
    bytes += segment(0xC4, [0x00, 1] + [UInt8](repeating: 0, count: 15) + [0])
    bytes += segment(0xC4, [0x10, 1, 1] + [UInt8](repeating: 0, count: 14) + [0xE0, 0])
    bytes += scan(0...0, approximation: 0x01) + [0, 0]
    for _ in 0..<count {
      bytes += scan(refinement.coefficients, approximation: 0x10) + refinement.data
    }
    return bytes + [0xFF, 0xD9]
  }

  private func scan(_ coefficients: ClosedRange<UInt8>, approximation: UInt8) -> [UInt8] {
    segment(0xDA, [1, 1, 0, coefficients.lowerBound, coefficients.upperBound, approximation])
  }

  private func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
    let length = body.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + body
  }

  /// Two codewords are a run of 32,767 empty blocks, one of 24,575 and one block: enough for 312,500.
  private let emptyRuns = (0..<12).flatMap { _ in [0x7F, 0xFE] as [UInt8] }

  @Test func arithmeticScansCountByTheirCoefficients() {
    let refinement = Refinement(coefficients: 1...63, data: [0xA5, 0x5A, 0x3C, 0xC3])
    let bytes = picture(Self.large, arithmetic: true, refinement, count: 95)
    #expect(bytes.count < 2_048)
    #expect(failure(of: bytes) == .overLimit(.scans, value: 8, limit: 7))
  }

  @Test func huffmanRefinementsCountByTheirCoefficients() {
    let refinement = Refinement(coefficients: 1...63, data: emptyRuns)
    let bytes = picture(Self.large, arithmetic: false, refinement, count: 95)
    #expect(failure(of: bytes) == .overLimit(.scans, value: 32, limit: 31))
  }

  @Test(arguments: [true, false])
  func smallPicturesMayHaveManyScans(_ arithmetic: Bool) throws {
    let refinement = Refinement(coefficients: 1...63, data: [])
    let bytes = picture(Self.small, arithmetic: arithmetic, refinement, count: 95)
    #expect(try outcome(of: bytes).get().size == Self.small)
  }
}
