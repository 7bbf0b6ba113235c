import TestBasics
import Testing

@testable import IkranPixels

/// How filters are joined, keyed and checked.
@Suite(.timeLimit(.minutes(10)))
struct FilterGraphTests {
  private let chain: [Filter] = [
    .brightness(0.1), .saturation(0.5), .gamma(0.8), .vignette(), .sepia(0.3),
  ]

  private func photo(_ format: PixelFormat = .bgrx) throws -> Bitmap {
    try spatialNoise(PixelSize(width: 48, height: 20), format, seed: 7)
  }

  @Test func neighborsThatSeeSinglePixelsShareOnePassAndChangeTheirPixelsInPlace() throws {
    let workspace = Workspace()
    let filtered = try photo().filtered(chain, workspace: workspace)
    #expect(filtered.size == PixelSize(width: 48, height: 20))
    #expect(workspace.filterPasses == 1)
    // The caller's own reference is the one that makes a copy necessary.
    #expect(workspace.filterPictures <= 1)
  }

  @Test func pixelsThatNobodyElseHasAreNotCopied() throws {
    let workspace = Workspace()
    let style = Style.original.filtered(chain)
    _ = try style.applyFiltersAndEdges(try photo(), scale: 1, workspace: workspace)
    #expect(workspace.filterPictures == 0)
    let kept = try photo()
    let before = kept.pixels
    _ = try style.applyFiltersAndEdges(kept, scale: 1, workspace: workspace)
    #expect(workspace.filterPictures == 1)
    #expect(kept.pixels == before)
  }

  @Test func aFilterOfNeighborsEndsAPass() throws {
    let workspace = Workspace()
    let filters: [Filter] = [.sepia(), .gamma(2), .sharpen(0.5), .grayed(), .opacity(0.5)]
    _ = try photo().filtered(filters, workspace: workspace)
    #expect(workspace.filterPasses == 3)
  }

  @Test func matricesMergeOnlyWhereNothingIsClamped() throws {
    func steps(_ filters: [Filter]) throws -> Int {
      guard case .points(let program) = try FilterGraph(filters, scale: 1).passes.first else {
        return 0
      }
      return program.steps.count
    }
    #expect(try steps([.saturation(0.5), .grayed(), .channels(.bgra)]) == 1)
    #expect(try steps([.brightness(0.5), .brightness(-0.5)]) == 2)
    #expect(try steps([.opacity(0.5), .opacity(0.5)]) == 1)
  }

  @Test func twoFusedFiltersEqualTheSameOneByOne() throws {
    // None makes differences larger; a longer chain of single ones rounds more often.
    let mild: [Filter] = [
      .brightness(0.05), .saturation(0.7), .contrast(0.9), .sepia(0.3), .channels(.invert),
      .haze(distance: -0.1), .vignette(), .opacity(0.8),
    ]
    for format in [PixelFormat.bgra, .bgrx] {
      let picture = try photo(format)
      for first in mild {
        // Alpha that is rounded twice rounds colours with it.
        for second in mild where first.name != "opacity" || second != first {
          let fused = try picture.filtered([first, second])
          let single = try picture.filtered([first]).filtered([second])
          let steps = zip(fused.pixels, single.pixels).map { Int($0) - Int($1) }
          #expect(steps.allSatisfy { $0.magnitude <= 1 }, "\(first) \(second) \(format)")
        }
      }
    }
  }

  @Test func neutralFiltersAreNothing() throws {
    for definition in FilterCatalogue.all where !definition.neutral.isEmpty {
      let values = definition.parameters.compactMap {
        definition.neutral[$0.name] ?? $0.defaultValue
      }
      guard values.count == definition.parameters.count else { continue }
      let filter = Filter(definition: definition, values: values)
      #expect(try FilterGraph([filter], scale: 2).passes.isEmpty, "\(filter)")
      let picture = try photo(.bgra)
      #expect(areOne(try picture.filtered([filter], scale: 2), picture), "\(filter)")
    }
  }

  @Test func numbersOutOfRangeAreTheNearestInIt() {
    #expect(Filter.brightness(7) == .brightness(1))
    #expect(Filter.blur(radius: -3) == .blur(radius: 0))
    #expect(Filter.whiteBalance(100, tint: 1e9) == .whiteBalance(4000, tint: 200))
    #expect(Filter.gamma(1.000_04) == .gamma(1))
    #expect(Filter.crop(width: .greatestFiniteMagnitude) == .crop())
    #expect(Filter.brightness(-.greatestFiniteMagnitude) == .brightness(-1))
  }

  @Test func everyNumberThatIsNotFiniteThrows() throws {
    let picture = try photo()
    for definition in FilterCatalogue.all {
      for (index, parameter) in definition.parameters.enumerated() {
        guard case .number = parameter.kind else { continue }
        for bad in [Double.nan, .infinity, -.infinity] {
          var values = definition.parameters.map { $0.defaultValue ?? .number(1) }
          values[index] = parameter.clamped(.number(bad))
          let filter = Filter(definition: definition, values: values)
          let error = FilterError.notFinite(filter: definition.name, parameter: parameter.name)
          #expect(throws: error) { try picture.filtered([filter]) }
          #expect(throws: StyleError.filter(error)) {
            try Style.original.filtered([filter]).fitting(scale: 1)
          }
        }
      }
    }
  }

  @Test(arguments: [Double.nan, .infinity, 0, -1]) func aScaleThatMakesNoSenseThrows(
    scale: Double
  ) throws {
    let picture = try photo()
    #expect(throws: FilterError.self) { try picture.filtered([.crop(x: 1)], scale: scale) }
  }

  @Test func bothEndsOfEveryRangeGiveAPicture() throws {
    let picture = try photo(.bgra)
    for definition in FilterCatalogue.all {
      for (index, parameter) in definition.parameters.enumerated() {
        guard case .number(let range) = parameter.kind else { continue }
        for end in [range.lowerBound, range.upperBound] {
          var values = definition.parameters.map { $0.defaultValue ?? .number(20) }
          values[index] = .number(end)
          if case .image = definition.parameters.first(where: { $0.defaultValue == nil })?.kind {
            continue
          }
          let filter = Filter(definition: definition, values: values)
          for scale in [0.01, 1, 3] where end < 16_384 || scale <= 1 {
            let result = try picture.filtered([filter], scale: scale)
            let pixels = try result.converted(to: .bgra).pixels
            let valid = stride(from: 0, to: pixels.count, by: 4).allSatisfy { first in
              pixels[first..<first + 3].allSatisfy { $0 <= pixels[first + 3] }
            }
            #expect(valid, "\(filter) at \(scale)")
          }
        }
      }
    }
  }

  @Test func formatsOfFewerBytesAreFilteredToo() throws {
    for format in [PixelFormat.bgr, .bgr555, .gray] {
      let picture = try photo().converted(to: format)
      let wide = try picture.converted(to: .bgrx)
      for filter in [Filter.sepia(), .sharpen(1), .rotate(degrees: 30), .blur(radius: 2)] {
        #expect(
          try picture.filtered([filter]).converted(to: .bgra).pixels
            == wide.filtered([filter]).converted(to: .bgra).pixels
        )
      }
    }
  }
}
