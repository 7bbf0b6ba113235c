import Foundation
import IkranStores
import Support
import Testing

@testable import ikran_gallery

/// The order of the grid.
@MainActor
@Suite(.serialized, .enabled(if: Stage.hasDisplay, "there is no display"))
struct OrderTests: WindowSuite {
  let stage: Stage

  init() throws { stage = try Stage() }

  /// Makes a picture that was changed at some second since 1970.
  private func create(_ name: String, at second: Int) throws {
    let path = folder.path + "/" + name
    try Files.create(path, try Fixtures.bytes("areas-444.jpg"))
    let time = Date(timeIntervalSince1970: Double(second))
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
    // It comes with its time.
    try Files.rename(path, to: pictures + "/" + name)
  }

  @Test func byDateTheNewestFileIsFirst() throws {
    for (name, second) in [("a.jpg", 10), ("b.jpg", 30), ("c.jpg", 20)] {
      try create(name, at: second)
    }
    let gallery = try gallery(GridSettings(order: .date))
    #expect(names(in: gallery) == ["b.jpg", "c.jpg", "a.jpg"])
  }

  @Test(
    arguments: [
      ("2001:02:03 04:05:06", "+00:00", 981_173_106),
      ("2001:02:03 04:05:06", "-01:30", 981_178_506),
      ("0000:00:00 00:00:00", nil, nil), ("2001:13:03 04:05:06", nil, nil), ("yesterday", nil, nil),
      ("2001:02:03", "+00:00", nil),
    ] as [(String, String?, Int?)]
  )
  func theTimeOfACameraIsRead(date: String, offset: String?, seconds: Int?) {
    #expect(TakenDates.time(date, offset) == seconds.map { .seconds($0) })
  }

  @Test func whenAPictureWasTakenGoesBeforeItsFilesDate() {
    var facts = [10, 20, 30].map { FileFacts(size: 1, modified: .seconds($0)) }
    facts[0].taken = .seconds(25)
    #expect(ItemOrder.date.sorted([0, 1, 2]) { facts[$0] } == [2, 0, 1])
  }

  @Test func bySizeTheLargestFileIsFirst() throws {
    for (name, count) in [("a.jpg", 1), ("b.jpg", 3), ("c.jpg", 2)] {
      try Files.create(pictures + "/" + name, [UInt8](repeating: 0, count: count))
    }
    let gallery = try gallery(GridSettings(order: .size))
    #expect(names(in: gallery) == ["b.jpg", "c.jpg", "a.jpg"])
  }

  @Test func theControlChangesTheOrder() throws {
    for (name, second) in [("a.jpg", 10), ("b.jpg", 30)] { try create(name, at: second) }
    let gallery = try gallery()
    let control = try #require(gallery.window.control("Order"))
    control.choose(1)
    run { names(in: gallery) == ["b.jpg", "a.jpg"] }
    control.choose(0)
    #expect(names(in: gallery) == ["a.jpg", "b.jpg"])
  }

  @Test func aNewFileComesInItsSortedPlace() throws {
    for (name, second) in [("a.jpg", 10), ("b.jpg", 30)] { try create(name, at: second) }
    let gallery = try gallery(GridSettings(order: .date))
    try create("c.jpg", at: 20)
    run { gallery.shown.count == 3 }
    #expect(names(in: gallery) == ["b.jpg", "c.jpg", "a.jpg"])
  }

  @Test func anotherOrderLoadsNothingAgain() throws {
    for (name, second) in [("a.jpg", 10), ("b.jpg", 30)] { try create(name, at: second) }
    let gallery = try gallery()
    let decodes = gallery.decodes
    var settings = gallery.binder.settings
    settings.order = .date
    gallery.change(settings)
    run { gallery.isSettled }
    #expect(names(in: gallery) == ["b.jpg", "a.jpg"])
    #expect(gallery.decodes == decodes)
  }
}
