import TestBasics
import Testing

@testable import IkranPixels

/// Chains of any filters with any values, on pictures of any shape.
@Suite(.timeLimit(.minutes(10)))
struct RandomFilterTests {
  @Test func everyChainGivesValidPixelsThatSIMDDoesNotChange() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let (fast, plain) = (Workspace(), Workspace())
    plain.usesSIMD = false
    for round in 0..<Rounds.fewer(1_500) {
      let size = PixelSize(
        width: .random(in: 1...Int.random(in: 1...70, using: &generator), using: &generator),
        height: .random(in: 1...Int.random(in: 1...40, using: &generator), using: &generator)
      )
      let format: PixelFormat = [.bgra, .bgrx, .bgr][Int.random(in: 0..<3, using: &generator)]
      let picture = try spatialNoise(
        PixelSize(width: size.width, height: size.height),
        .bgra,
        seed: generator.next()
      )
      .converted(to: format)
      let filters = try (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        try Self.filter(&generator)
      }
      let scale = [0.5, 1, 2.5][Int.random(in: 0..<3, using: &generator)]
      let result = try picture.filtered(filters, scale: scale, workspace: fast)
      let other = try picture.filtered(filters, scale: scale, workspace: plain)
      let label = "seed \(seed), round \(round), \(size) \(format), \(filters), \(scale)"
      #expect(result.size == other.size && result.pixels == other.pixels, "\(label)")
      let pixels = try result.converted(to: .bgra).pixels
      let isValid = stride(from: 0, to: pixels.count, by: 4).allSatisfy { first in
        pixels[first..<first + 3].allSatisfy { $0 <= pixels[first + 3] }
      }
      #expect(isValid, "\(label)")
    }
  }

  /// Any filter that needs no file; lengths of thousands of points are small.
  private static func filter(_ generator: inout SeededGenerator) throws -> Filter {
    let definitions = FilterCatalogue.all.filter { definition in
      definition.parameters.allSatisfy {
        switch $0.kind {
        case .image, .table: false
        default: true
        }
      }
    }
    let definition = try #require(definitions.randomElement(using: &generator))
    let values = definition.parameters.map { value(of: $0, &generator) }
    return Filter(definition: definition, values: values)
  }

  private static func value(
    of parameter: FilterParameter,
    _ generator: inout SeededGenerator
  ) -> FilterValue {
    switch parameter.kind {
    case .number(let range):
      let end = range.upperBound > 10_000 ? 60 : range.upperBound
      let ends = [range.lowerBound, end, (range.lowerBound + end) / 2]
      let isEnd = Int.random(in: 0..<4, using: &generator) == 0
      let any = Double.random(in: range.lowerBound...end, using: &generator)
      return .number(isEnd ? ends.randomElement(using: &generator) ?? any : any)
    case .color:
      let bytes = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
      return .color(Color(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes[3]))
    case .word(let words): return .word(words.randomElement(using: &generator) ?? words[0])
    case .list(_, let count):
      return .list((0..<count).map { _ in Double.random(in: -2...2, using: &generator) })
    case .points:
      return .list((0..<6).map { _ in Double.random(in: 0...1, using: &generator) })
    case .image, .table: return .number(0)
    }
  }
}
