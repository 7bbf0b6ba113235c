import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@testable import IkranServer

@Suite(.timeLimit(.minutes(10))) struct PortraitTests {
  private static let names = (0..<3000).map { number in
    Portraits.Name(number: number, format: [.jpeg, .png, .webp][number % 3])
  }

  /// Small ones of a format, because debug builds draw slowly.
  private static func small(_ format: ImageFormat) -> [Portraits.Name] {
    names.filter { name in
      let size = Layout(name).size
      return name.format == format && max(size.width, size.height) < 260
    }
  }

  private static func bytes(_ name: Portraits.Name) throws -> [UInt8] {
    let entity = try Portraits(count: 5000).entity(name)
    var bytes = [UInt8](repeating: 0, count: entity.count)
    if case .memory(let body) = entity.payload {
      bytes.withUnsafeMutableBytes { _ = body.copy(from: 0, into: $0) }
    }
    return bytes
  }

  // Spans stay outside of the macros, whose expansion does not compile with them.
  private static func decode(_ bytes: [UInt8]) throws -> Bitmap {
    try CodecList.standard.decode(bytes.span).bitmap
  }

  private static func probe(_ bytes: [UInt8]) throws -> ImageInfo {
    try CodecList.standard.probe(bytes.span)
  }

  /// The mean squared difference of two opaque pictures, 0 when equal.
  private static func difference(_ first: Bitmap, _ second: Bitmap) throws -> Double {
    let (a, b) = (try first.straightRGBA(), try second.straightRGBA())
    try #require(a.count == b.count)
    return zip(a, b).reduce(0.0) { $0 + Double((Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1))) }
      / Double(a.count)
  }

  @Test(arguments: Orientation.allCases)
  func aTurnedPortraitStandsUprightWhenDecoded(orientation: Orientation) throws {
    let candidates = Self.small(.jpeg).filter { Layout($0).orientation == orientation }
    let name = try #require(candidates.first)
    let bytes = try Self.bytes(name)
    let info = try Self.probe(bytes)
    #expect(info.orientation == orientation)
    #expect(info.uprightSize == Layout(name).size)
    let decoded = try Self.decode(bytes)
    // Above 28 dB: the same picture with JPEG's losses; a wrongly turned picture has 15 dB.
    #expect(try Self.difference(decoded, Portraits.drawn(name)) < 100)
  }

  @Test func aPNGIsTransparentInItsCornersAndLossless() throws {
    let name = try #require(Self.small(.png).first)
    let decoded = try Self.decode(try Self.bytes(name))
    #expect(decoded.format == .bgra)
    let pixels = try decoded.straightRGBA()
    #expect(pixels[3] == 0)
    let middle = (decoded.height / 2 * decoded.width + decoded.width / 2) * 4
    #expect(pixels[middle + 3] == 255)
    // Faint edges lose a little of their colour to the alpha they are divided by.
    #expect(try Self.difference(decoded, Portraits.drawn(name)) < 0.5)
  }

  @Test func aWebPIsAWebP() throws {
    let name = try #require(Self.small(.webp).first)
    let bytes = try Self.bytes(name)
    #expect(try Self.probe(bytes).format == .webp)
    #expect(try Self.decode(bytes).size == Layout(name).size)
  }

  @Test(arguments: [4, 14, 24]) func everyTenthPortraitBlinks(number: Int) throws {
    let path = Portraits.path(number)
    #expect(["gif", "png", "webp"].map { "/avatars/\(number).\($0)" }.contains(path))
    let name = try #require(Portraits.Name(path: path))
    let source = try #require(try CodecList.standard.frames(of: Self.bytes(name)))
    #expect(source.info.frames.count == 4)
    #expect(source.info.plays == nil)
    let composer = source.makeComposer()
    let (open, closed) = (try composer.compose(0), try composer.compose(1))
    #expect(try Self.difference(open, closed) > 0)
    #expect(Portraits.Name(path: "/avatars/\(number + 1).gif") == nil)
  }

  @Test func twoOriginsDrawTheSameBytes() throws {
    let name = try #require(Self.small(.jpeg).last)
    let (first, second) = (try Self.bytes(name), try Self.bytes(name))
    #expect(first == second)
  }

  @Test func theCacheEvictsTheLeastRecentlyServedFirst() {
    let cache = PortraitCache(byteLimit: 250)
    let names = Self.names.prefix(3).map(\.self)
    let entity = Entity(payload: .pattern(), count: 100, contentType: "", tag: "", modified: 0)
    cache.store(entity, for: names[0])
    cache.store(entity, for: names[1])
    #expect(cache.entity(names[0]) != nil)
    cache.store(entity, for: names[2])
    #expect(cache.byteCount == 200)
    #expect(cache.entity(names[0]) != nil && cache.entity(names[1]) == nil)
  }

  @Test func preparingCountsNoRequests() throws {
    let origin = try Origin(.portraits(count: 2))
    origin.prepare()
    let reply = try fetch(origin, "/avatars/1.png")
    #expect(reply.status == 200 && origin.statistics.requests == 1)
  }

  @Test func sizesAndOrientationsVary() {
    let layouts = Self.names.prefix(500).map { Layout($0) }
    let sides = layouts.map { max($0.size.width, $0.size.height) }
    #expect(sides.allSatisfy { (96...1600).contains($0) })
    #expect(sides.count { (200...800).contains($0) } > 350)
    #expect(sides.contains { $0 > 1200 } && sides.contains { $0 < 130 })
    #expect(Set(layouts.map(\.orientation)).count == 8)
    #expect(Set(layouts.map(\.size)).count > 200)
  }

  @Test func neighboursLookDifferent() throws {
    let size = PixelSize(width: 48, height: 48)
    var seen: Set<[UInt32]> = []
    for number in 0..<12 {
      var painter = Painter(size: size)
      Face(traits: Traits(number: number)).draw(on: &painter)
      seen.insert(painter.pixels)
    }
    #expect(seen.count == 12)
  }

  @Test func aCircleCoversItsAreaWithSmoothEdges() {
    var painter = Painter(size: PixelSize(width: 64, height: 64))
    painter.fill(.circle(0, 0, 0.75), Paint(Tint(0xFFFFFF)))
    let alphas = painter.pixels.map { Double($0 >> 24) / 255 }
    let area = alphas.reduce(0, +)
    #expect(abs(area - Double.pi * 24 * 24) < 8)
    #expect(alphas.contains { $0 > 0.1 && $0 < 0.9 })
  }

  @Test(arguments: [
    (0.0, 0.0), (0.125, 0.70710678), (0.25, 1), (0.5, 0), (0.75, -1), (-0.125, -0.70710678),
    (2.25, 1),
  ])
  func sinesAreAccurate(turn: Double, sine: Double) {
    #expect(abs(Circle.sineAndCosine(turn).sine - sine) < 1e-6)
  }
}
