import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct TableDrawingTests {
  private let folder: TableFolder
  private let id = TableID("id")
  private let version = TableID("version")

  init() throws { folder = try TableFolder() }

  private struct Failure: Error, Equatable {}

  @Test func aDrawnPictureIsReadBack() throws {
    let table = try folder.table()
    try table.put(TableID(id: 4), version: version) { canvas in
      #expect(canvas.size == table.format.size)
      #expect(canvas.format == table.format.pixels)
      #expect(canvas.bytesPerRow == table.bytesPerRow)
      TorturePicture.draw(id: 4, version: 2, on: &canvas)
    }
    #expect(table.version(4) == 2)
    #expect(table.contains(TableID(id: 4), version: version))
  }

  @Test func theCanvasIsClearEvenInAUsedSlot() throws {
    let table = try folder.table(maximumCount: 1)
    for round in 0..<10 {
      let image = try noise(table.format.size, .bgra, seed: 7)
      try table.put(TableID("\(round)"), version: version, image)
      try table.put(id, version: version) { canvas in
        canvas.withMutableBytes { bytes in
          #expect(bytes.indices.allSatisfy { bytes[$0] == 0 })
          bytes[0] = 9
        }
      }
      let drawn = try #require(table.get(id)?.pixels)
      #expect(drawn[0] == 9)
      #expect(drawn.dropFirst().allSatisfy { $0 == 0 })
    }
  }

  @Test func aDrawingIsVisibleOnlyWhenItIsDone() throws {
    let table = try folder.table()
    let other = try folder.table()
    try table.put(id, version: version) { canvas in
      TorturePicture.draw(id: 1, version: 1, on: &canvas)
      #expect(table.get(id) == nil)
      #expect(!other.contains(id))
      let entries = try table.entries()
      #expect(entries == [])
    }
    try table.put(id, version: TableID("2")) { canvas in
      TorturePicture.draw(id: 1, version: 2, on: &canvas)
      #expect(other.get(id).flatMap { TorturePicture.read($0) }?.version == 1)
      #expect(table.get(id, version: TableID("2")) == nil)
    }
    #expect(table.get(id).flatMap { TorturePicture.read($0) }?.version == 2)
  }

  @Test func aFailedDrawingLeavesTheOldEntry() throws {
    let table = try folder.table(maximumCount: 2)
    try table.put(1, version: 1)
    try table.put(2, version: 2)
    for id in [1, 2] as [UInt64] {
      #expect(throws: Failure()) {
        try table.put(TableID(id: id), version: version) { canvas throws(Failure) in
          TorturePicture.draw(id: 9, version: 9, on: &canvas)
          throw Failure()
        }
      }
    }
    #expect(table.version(1) == 1)
    #expect(table.version(2) == 2)
    #expect(table.statistics.count == 2)
    #expect(try table.isClean())
  }

  @Test func failedDrawingsUseUpNoSlots() throws {
    let table = try folder.table(maximumCount: 2)
    try table.put(1)
    try table.put(2)
    try table.put(2)
    let before = table.statistics
    for _ in 0..<Rounds.fewer(500, atLeast: 150) {
      #expect(throws: Failure()) {
        try table.put(TableID(id: 2), version: version) { _ throws(Failure) in throw Failure() }
      }
    }
    try table.put(1, version: 2)
    #expect(table.statistics.fileByteCount <= before.fileByteCount + 2 * table.slotByteCount)
    #expect(table.statistics.byteCount == before.byteCount)
  }

  @Test func aDrawingMayUseTheTable() throws {
    let table = try folder.table()
    try table.put(1)
    try table.put(TableID(id: 2), version: version) { canvas in
      #expect(table.version(1) == 1)
      try table.put(3)
      try table.put(TableID(id: 4), version: version) { inner in
        TorturePicture.draw(id: 4, version: 4, on: &inner)
        try table.put(2, version: 100)
      }
      let isRemoved = try table.remove(TableID(id: 1))
      #expect(isRemoved)
      TorturePicture.draw(id: 2, version: 2, on: &canvas)
    }
    #expect(try table.ids == [2, 4, 3])
    // The drawing that ended last is the entry.
    #expect(table.version(2) == 2)
    #expect(table.version(4) == 4)
    #expect(try table.isClean())
  }

  @Test func aDrawingMayEmptyOrCompactTheTable() throws {
    let table = try folder.table()
    try table.put(1)
    var drawings = 0
    try table.put(TableID(id: 2), version: version) { canvas in
      try table.compact()
      drawings += 1
      TorturePicture.draw(id: 2, version: 2, on: &canvas)
    }
    #expect(table.version(2) == 2)
    #expect(drawings == 1)
    try table.put(TableID(id: 3), version: version) { canvas in
      try table.reset()
      TorturePicture.draw(id: 3, version: 3, on: &canvas)
    }
    // Whether a drawing that began before survives the reset is unspecified.
    #expect([nil, 3].contains(table.version(3)))
    #expect(table.get(1) == nil)
    #expect(table.get(2) == nil)
    try table.put(4)
    #expect(table.version(4) == 1)
    #expect(try table.isClean())
  }

  @Test func drawingsThatEvictEachOtherUseDifferentSlots() throws {
    let table = try folder.table(maximumCount: 1)
    try table.put(TableID(id: 1), version: version) { canvas in
      TorturePicture.draw(id: 1, version: 1, on: &canvas)
      for id in 2...6 { try table.put(UInt64(id)) }
      let held = try HeldPicture(table, 6)
      TorturePicture.draw(id: 1, version: 7, on: &canvas)
      #expect(held.isUnchanged)
    }
    #expect(table.version(1) == 7)
    try table.put(8)
    #expect(try table.ids == [8])
  }

  @Test func aCanvasOfAnotherSizeIsRefused() throws {
    let table = try folder.table()
    let size = PixelSize(width: 3, height: 2)
    #expect(throws: TableError.wrongSize(size, expected: table.format.size)) {
      try table.put(id, version: version) { canvas in
        canvas = try Canvas(size: size, format: .gray)
      }
    }
    #expect(table.get(id) == nil)
    #expect(table.statistics.byteCount == 0)
  }

  @Test func aCanvasOfAnotherFormatIsConverted() throws {
    let table = try folder.table()
    let gray = try noise(table.format.size, .gray, seed: 4)
    try table.put(id, version: version) { canvas in
      canvas = try Canvas(size: table.format.size, format: .gray)
      let stride = canvas.bytesPerRow
      canvas.withMutableBytes { bytes in
        for (index, pixel) in gray.pixels.enumerated() {
          bytes[index / 11 * stride + index % 11] = pixel
        }
      }
    }
    #expect(try table.get(id)?.pixels == gray.converted(to: .bgra).pixels)
  }

  /// A drawing that replaces the slot's canvas by another one, and retains the slot's.
  @Test func aRetainedCanvasCannotChangeThePicture() throws {
    let table = try folder.table()
    var kept = try Canvas(size: table.format.size, format: table.format.pixels)
    TorturePicture.draw(id: 1, version: 1, on: &kept)
    do {
      try table.put(TableID(id: 1), version: version) { canvas in swap(&canvas, &kept) }
    } catch is TableError {
      #expect(table.get(1) == nil)
      return
    }
    let held = try HeldPicture(table, 1)
    TorturePicture.draw(id: 2, version: 2, on: &kept)
    #expect(held.isUnchanged)
    #expect(table.version(1) == 1)
    #expect(try table.isClean())
  }

  @Test func aCanvasFinishedInTheDrawingCannotChangeThePicture() throws {
    let table = try folder.table()
    var kept: Bitmap?
    do {
      try table.put(TableID(id: 1), version: version) { canvas in
        var fresh = try Canvas(size: table.format.size, format: table.format.pixels)
        TorturePicture.draw(id: 1, version: 1, on: &fresh)
        swap(&fresh, &canvas)
        kept = fresh.finish()
      }
    } catch is TableError {
      #expect(table.get(1) == nil)
    }
    for id in 1..<20 { try table.put(UInt64(id), version: 5) }
    // The contents of a bitmap taken out of the drawing are unspecified, but it may be read.
    #expect(kept?.pixels.count == table.format.size.pixelCount.map { $0 * 4 })
    for id in 1..<20 { #expect(table.version(UInt64(id)) == 5) }
  }
}
