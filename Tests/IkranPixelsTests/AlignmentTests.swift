import Testing

@testable import IkranPixels

/// Core Animation copies pictures whose rows are not multiples of 64 bytes (SDWebImage #2101,
/// FastImageCache #110).
@Suite(.timeLimit(.minutes(10))) struct AlignmentTests {
  /// Widths that no format pads to what it pads another to.
  private static let size = PixelSize(61, 45)

  private func photo(_ format: PixelFormat) throws -> Bitmap {
    try picture(Self.size.width, Self.size.height, format) { x, y in
      let bytes = [UInt8(x * 3), UInt8(y * 5), UInt8(x + y), 255]
      return Array(bytes.prefix(format.bytesPerPixel))
    }
  }

  private func expectAligned(_ bitmap: Bitmap, _ what: String) {
    let start = bitmap.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    #expect(start % 64 == 0 && bitmap.bytesPerRow % 64 == 0 && bitmap.hasWholeRows, "\(what)")
  }

  @Test(
    arguments: [
      Style.original, .rectangle(width: 31, height: 33), .fit(width: 29), .fit(height: 91),
      .fill(width: 21, height: 7), .rounded(width: 33, height: 35, cornerRadius: 5),
      .circle(37, border: .init(2, color: .white)),
      .region(PixelRectangle(x: 3, y: 5, width: 19, height: 23), width: 19, height: 23),
    ],
    PixelFormat.allCases
  )
  func everyStyleGivesAlignedRows(style: Style, format: PixelFormat) throws {
    let workspace = Workspace()
    let fitted = try photo(format).resampled(style.fitting(scale: 1), workspace: workspace)
    expectAligned(fitted, "\(style.key) before its edges")
    let styled = try style.applyFiltersAndEdges(fitted, scale: 1, workspace: workspace)
    expectAligned(styled, style.key)
  }

  @Test func everyFilterGivesAlignedRows() throws {
    for definition in FilterCatalogue.all {
      let values = definition.parameters.map { $0.defaultValue ?? .number(20) }
      // A second picture is a parameter without a default.
      if case .image = definition.parameters.first(where: { $0.defaultValue == nil })?.kind {
        continue
      }
      let filter = Filter(definition: definition, values: values)
      let photo = try photo(.bgrx)
      expectAligned(try photo.filtered([filter]), definition.name)
    }
  }

  @Test(arguments: PixelFormat.allCases, Orientation.allCases)
  func turnedCutAndConvertedPicturesHaveAlignedRows(
    format: PixelFormat,
    orientation: Orientation
  ) throws {
    let turned = try photo(format).oriented(orientation)
    expectAligned(turned, "turned")
    expectAligned(try turned.cropped(columns: 1..<20, rows: 2..<9), "cut")
    for other in PixelFormat.allCases {
      expectAligned(try turned.converted(to: other), "converted")
    }
  }
}
