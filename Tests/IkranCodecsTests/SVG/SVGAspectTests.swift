#if SVG
import IkranCodecs
import IkranPixels
import Testing

/// Where a view box is put in a document of another shape.
@Suite struct SVGAspectTests {
  /// A square, red at the left and blue at the right, in the middle of a box of 40 × 20 or of
  /// 20 × 40 pixels.
  private func picture(_ aspect: String, isWide: Bool) throws -> Bitmap {
    let size = isWide ? "width='40' height='20'" : "width='20' height='40'"
    let attributes = "\(size) viewBox='0 0 10 10' preserveAspectRatio='\(aspect)'"
    return try outcome(of: SVGSample.halves(attributes)).get()
  }

  /// The columns of a row in the middle, or the rows of a column, that are not clear.
  private func painted(_ bitmap: Bitmap, isWide: Bool) -> Range<Int>? {
    let line =
      isWide ? bitmap.pixels[bitmap.height / 2] : bitmap.pixels.map { $0[bitmap.width / 2] }
    let places = line.indices.filter { line[$0].alpha > 0 }
    guard let first = places.first, let last = places.last else { return nil }
    return first..<last + 1
  }

  @Test(
    arguments: [
      ("xMinYMin", 0..<20), ("xMidYMid", 10..<30), ("xMaxYMax", 20..<40), ("xMinYMax meet", 0..<20),
      ("xMidYMin meet", 10..<30), ("xMaxYMid meet", 20..<40), ("none", 0..<40),
      ("xMidYMid nonsense", 10..<30),
    ] as [(String, Range<Int>)]
  )
  func aWideDocumentHasItsViewBoxWhereItSays(_ sample: (aspect: String, columns: Range<Int>)) throws
  {
    let bitmap = try picture(sample.aspect, isWide: true)
    #expect(painted(bitmap, isWide: true) == sample.columns)
    let row = bitmap.pixels[10]
    let middle = (sample.columns.lowerBound + sample.columns.upperBound) / 2
    #expect(row[middle - 1] == SVGSample.red && row[middle] == SVGSample.blue)
  }

  @Test(
    arguments: [
      ("xMinYMin", 0..<20), ("xMidYMid", 10..<30), ("xMaxYMax", 20..<40), ("xMaxYMin meet", 0..<20),
      ("xMinYMid meet", 10..<30), ("xMidYMax meet", 20..<40), ("none", 0..<40),
    ] as [(String, Range<Int>)]
  )
  func aTallDocumentHasItsViewBoxWhereItSays(_ sample: (aspect: String, rows: Range<Int>)) throws {
    let bitmap = try picture(sample.aspect, isWide: false)
    #expect(painted(bitmap, isWide: false) == sample.rows)
  }

  /// The square is 40 pixels wide, of which the document shows 20.
  @Test(
    arguments: [("xMinYMid slice", 20), ("xMidYMid slice", 10), ("xMaxYMid slice", 0)]
      as [(String, Int)]
  )
  func aTallDocumentShowsAPartOfASlicedViewBox(_ sample: (aspect: String, border: Int)) throws {
    let bitmap = try picture(sample.aspect, isWide: false)
    for row in bitmap.pixels {
      #expect(row[..<sample.border].allSatisfy { $0 == SVGSample.red })
      #expect(row[sample.border...].allSatisfy { $0 == SVGSample.blue })
    }
  }

  @Test(arguments: ["xMidYMin slice", "xMidYMid slice", "xMidYMax slice"])
  func aWideDocumentShowsAPartOfASlicedViewBox(_ aspect: String) throws {
    let stripes = SVGSample.document(
      "width='40' height='20' viewBox='0 0 10 10' preserveAspectRatio='\(aspect)'",
      "<path fill='red' d='M0 0h10v5h-10z'/><path fill='blue' d='M0 5h10v5h-10z'/>"
    )
    let bitmap = try outcome(of: stripes).get()
    let border = ["xMidYMin slice": 20, "xMidYMid slice": 10, "xMidYMax slice": 0][aspect] ?? -1
    for (y, row) in bitmap.pixels.enumerated() {
      #expect(row.allSatisfy { $0 == (y < border ? SVGSample.red : SVGSample.blue) })
    }
  }

  @Test func aThumbnailHasTheAspectOfTheDocument() throws {
    let attributes = "width='40' height='20' viewBox='0 0 10 10' preserveAspectRatio='xMaxYMid'"
    let fitting = Fitting.inside(PixelSize(width: 20, height: 20))
    let bitmap = try outcome(of: SVGSample.halves(attributes), fitting).get()
    #expect(bitmap.size == PixelSize(width: 20, height: 10))
    #expect(painted(bitmap, isWide: true) == 10..<20)
  }

  @Test func sharesOfAWidthWithAViewBoxAreOfIts() throws {
    for (attributes, size) in [
      ("width='100%' viewBox='0 0 40 30'", PixelSize(width: 40, height: 30)),
      ("width='50%' height='50%' viewBox='0 0 40 30'", PixelSize(width: 40, height: 30)),
      ("width='60' height='100%' viewBox='0 0 40 30'", PixelSize(width: 60, height: 45)),
      ("viewBox='-10 -10 20 10'", PixelSize(width: 20, height: 10)),
    ] {
      let bytes = SVGSample.document(attributes, "<rect width='5' height='5' fill='red'/>")
      #expect(try probe(bytes).get().size == size, "\(attributes)")
    }
  }

  @Test func aViewBoxThatDoesNotBeginAtZeroIsShownFromItsCorner() throws {
    let drawing = "<rect x='-10' y='-10' width='5' height='5' fill='red'/>"
    let bitmap = try outcome(of: SVGSample.document("viewBox='-10 -10 20 10'", drawing)).get()
    #expect(bitmap.pixels[0][0] == SVGSample.red && bitmap.pixels[4][4] == SVGSample.red)
    #expect(bitmap.pixels[5][5] == SVGSample.clear)
  }
}
#endif
