import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProbeTests {
  @Test(
    arguments: [
      ("animation-3-frames.gif", [0, 70, 2_550], 6), ("animation-3-frames.png", [100, 50, 17], 4),
      ("animation-3-frames.webp", [40, 80, 120], 2), ("animation-once.gif", [0, 30], 1),
    ]
  )
  func animationsReportTheirTiming(_ file: (name: String, durations: [Int], loops: Int)) throws {
    let info = try probe(Fixtures.bytes(file.name)).get()
    #expect(info.frames == file.durations.count)
    #expect(info.durations == file.durations)
    #expect(info.loops == file.loops)
    #expect(info.isAnimated)
  }

  @Test(arguments: ["areas-420.jpg", "gradient-8b-rgb.png", "areas-lossy.webp", "indexed.gif"])
  func stillsHaveNoTiming(_ name: String) throws {
    let info = try probe(Fixtures.bytes(name)).get()
    #expect(info.frames == 1)
    #expect(info.durations.isEmpty)
    #expect(info.loops == nil)
    #expect(!info.isAnimated)
  }

  @Test(
    arguments: [
      ("areas-420.jpg", false), ("gradient-8b-rgb.png", false), ("gradient-8b-rgba.png", true),
      ("gray-1b-trns.png", true), ("palette-2b.png", false), ("palette-2b-trns.png", true),
      ("areas-lossy.webp", false), ("soft-lossy-alpha.webp", true), ("indexed.gif", false),
      ("soft-lossless-alpha.webp", true), ("transparent.gif", true), ("frame-outside.gif", true),
    ]
  )
  func alphaIsReportedFromTheHeader(_ file: (name: String, hasAlpha: Bool)) throws {
    #expect(try probe(Fixtures.bytes(file.name)).get().hasAlpha == file.hasAlpha)
  }

  @Test(arguments: ["areas-lossy.webp", "areas-lossless.webp"])
  func aSecondSizeIsIgnored(_ name: String) throws {
    let plain = try Fixtures.bytes(name)
    let flags: [UInt8] = [0x12, 0, 0, 0]
    var bytes = plain + Array("VP8X".utf8) + [10, 0, 0, 0] + flags + [99, 0, 0, 99, 0, 0]
    // The file says how many bytes follow the first eight.
    bytes[4] = UInt8(truncatingIfNeeded: bytes.count - 8)
    bytes[5] = UInt8(truncatingIfNeeded: (bytes.count - 8) >> 8)
    #expect(try probe(bytes).get().size == probe(plain).get().size)
    #expect(try outcome(of: bytes).get().distance(to: outcome(of: plain).get()) == 0)
  }

  @Test(arguments: [("areas-icc.jpg", true), ("icc.png", true), ("areas-444.jpg", false)])
  func profilesAreReported(_ file: (name: String, hasProfile: Bool)) throws {
    #expect(try probe(Fixtures.bytes(file.name)).get().hasICCProfile == file.hasProfile)
  }

  @Test(arguments: [("gradient-16b-rgb.png", 16), ("gradient-2b-gray.png", 2), ("icc.png", 8)])
  func depthIsReported(_ file: (name: String, bits: Int)) throws {
    #expect(try probe(Fixtures.bytes(file.name)).get().bitsPerChannel == file.bits)
  }

  @Test(
    arguments: [
      ("gradient-8b-rgb.png", 26), ("indexed.gif", 47), ("areas-lossless.webp", 25),
      ("areas-lossy.webp", 30), ("frame-off-corner.webp", 30),
    ]
  )
  func aFewBytesAreEnoughForTheSize(_ file: (name: String, count: Int)) throws {
    let bytes = try Fixtures.bytes(file.name)
    let whole = try probe(bytes).get()
    #expect(try probe(Array(bytes[..<file.count])).get().size == whole.size)
    guard case .failure(.truncated) = probe(Array(bytes[..<(file.count - 1)])) else {
      Issue.record("one byte less should be too few")
      return
    }
  }
}
