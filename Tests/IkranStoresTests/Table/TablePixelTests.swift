import IkranPixels
import IkranStores
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct TablePixelTests {
  private let folder: TableFolder
  private let id = TableID("id")
  private let version = TableID("version")

  init() throws { folder = try TableFolder() }

  @Test(
    arguments: PixelFormat.allCases,
    [(1, 1), (7, 3), (97, 31), (64, 64), (1, 2000), (5000, 1)]
  )
  func everyFormatAndSizeIsReadBackExactly(pixels: PixelFormat, size: (Int, Int)) throws {
    let size = PixelSize(width: size.0, height: size.1)
    let format = TableFormat("odd", size: size, pixels: pixels)
    let images = try (1...UInt64(Rounds.fewer(7, atLeast: 2))).map {
      try noise(size, pixels, seed: $0)
    }
    for round in 0..<2 {
      let table = try ImageTable(at: folder.path, format: format)
      #expect(table.bytesPerRow == pixels.bytesPerRow(width: size.width))
      #expect(table.bytesPerRow % 64 == 0)
      #expect(table.slotByteCount % 4096 == 0)
      #expect(table.slotByteCount >= table.bytesPerRow * size.height)
      #expect(table.slotByteCount < table.bytesPerRow * size.height + 4096)
      for (number, image) in images.enumerated() {
        if round == 0 { try table.put(TableID("\(number)"), version: version, image) }
        let got = try #require(table.get(TableID("\(number)")))
        #expect(got.size == size)
        #expect(got.format == pixels)
        #expect(got.bytesPerRow == table.bytesPerRow)
        let isRight = got.pixels == image.pixels && got.padding.allSatisfy { $0 == 0 }
        #expect(isRight, "picture \(number), round \(round)")
      }
    }
  }

  @Test func rowsOfPicturesStartAt64AndSlotsAtPages() throws {
    let table = try ImageTable(
      at: folder.path,
      format: TableFormat("a", size: PixelSize(width: 97, height: 31), pixels: .bgr)
    )
    for number in 0..<40 {
      try table.put(TableID("\(number)"), version: version, noise(table.format.size, .bgr, seed: 1))
    }
    for number in 0..<40 {
      let image = try #require(table.get(TableID("\(number)")))
      image.withUnsafeBytes { #expect(UInt(bitPattern: $0.baseAddress) % 4096 == 0) }
    }
  }

  @Test(arguments: PixelFormat.allCases, PixelFormat.allCases)
  func anotherFormatIsConverted(source: PixelFormat, target: PixelFormat) throws {
    let size = PixelSize(width: 13, height: 7)
    let table = try ImageTable(
      at: folder.path,
      format: TableFormat("t", size: size, pixels: target)
    )
    let image = try noise(size, source, seed: 11)
    try table.put(id, version: version, image)
    #expect(try table.get(id)?.pixels == image.converted(to: target).pixels)
    #expect(table.get(id)?.padding.allSatisfy { $0 == 0 } == true)
  }

  private final class Owner: Sendable {}

  /// Rows of another owner's memory may be any distance apart, with any bytes between them.
  @Test(arguments: [44, 45, 64, 100, 4096])
  func paddingOfTheSourceIsNotStored(bytesPerRow: Int) throws {
    let table = try folder.table()
    let size = table.format.size
    let bytes = (0..<bytesPerRow * size.height).map { UInt8(truncatingIfNeeded: $0 * 7 | 1) }
    try bytes.withUnsafeBytes { memory in
      let image = try Bitmap(
        lending: memory,
        size: size,
        format: .bgra,
        bytesPerRow: bytesPerRow,
        owner: Owner()
      )
      try table.put(id, version: version, image)
    }
    let got = try #require(table.get(id))
    #expect(got.padding.allSatisfy { $0 == 0 })
    let expected = (0..<size.height).flatMap { bytes[$0 * bytesPerRow..<$0 * bytesPerRow + 44] }
    #expect(got.pixels == expected)
  }

  /// The padding after the last row is not visible through a bitmap, but it is in the file.
  @Test func noBytesOfAnOlderPictureStayInThePadding() throws {
    let full = TableFormat("full", size: PixelSize(width: 16, height: 64), maximumCount: 1)
    let table = try ImageTable(at: folder.path, format: full)
    for _ in 0..<3 {
      try table.put(id, version: version) { canvas in
        canvas.withMutableBytes { bytes in for index in bytes.indices { bytes[index] = 0xA7 } }
      }
    }
    for _ in 0..<4 { try table.put(id, version: version) { _ in } }
    #expect(table.get(id)?.pixels.allSatisfy { $0 == 0 } == true)
  }

  @Test(arguments: [(10, 5), (11, 4), (12, 5), (11, 6), (5, 11)])
  func aPictureOfAnotherSizeIsRefused(width: Int, height: Int) throws {
    let table = try folder.table()
    try table.put(7)
    let image = try noise(PixelSize(width: width, height: height), .bgr, seed: 1)
    let expected = TableError.wrongSize(image.size, expected: table.format.size)
    #expect(throws: expected) { try table.put(id, version: version, image) }
    #expect(!expected.description.isEmpty)
    #expect(try table.ids == [7])
  }
}
