import Glibc
import IkranStores
import Support
import Testing

@testable import ikran_gallery

struct ItemTests {
  @Test func aListHasURLsAndPaths() {
    let items = ItemList.parse(
      "# mine\nhttps://example.test/a/face.png?size=3\n\n  b c.jpg \n/x/y.gif\n",
      in: "/home"
    )
    #expect(
      items == [
        Item(name: "face.png", location: "https://example.test/a/face.png?size=3"),
        Item(name: "b c.jpg", location: "file:///home/b%20c.jpg"),
        Item(name: "y.gif", location: "file:///x/y.gif"),
      ]
    )
  }

  @Test func aByteOrderMarkIsNoPartOfTheFirstLine() {
    #expect(ItemList.parse("\u{FEFF}/x/y.gif\n", in: "/").map(\.name) == ["y.gif"])
    #expect(ItemList.parse("\u{FEFF}# mine\n/x/y.gif\n", in: "/").count == 1)
  }

  @Test func aFolderHasThePicturesOfFoldersInIt() throws {
    let folder = try TemporaryDirectory()
    try Files.createDirectories(folder.path + "/in/.hidden")
    for name in ["b.PNG", "a.jpeg", "notes.txt", ".c.png", "in/d.webp", "in/.hidden/e.gif"] {
      try Files.create(folder.path + "/" + name, [1])
    }
    #expect(try ItemList.folder(folder.path).items.map(\.name) == ["a.jpeg", "b.PNG", "d.webp"])
    #expect(throws: SystemError.self) { try ItemList.folder(folder.path + "/none") }
  }

  @Test(arguments: [
    ["1.jpg", "2.jpg", "10.jpg"], ["a.jpg", "B.jpg", "c.jpg"], ["img9", "img009b", "img10"],
    ["", "a"], ["a1b2", "a1b10"], ["A.jpg", "a.jpg"], ["x", "x1", "x1y"], ["007", "7"],
    ["99999999999999999999998.png", "99999999999999999999999.png"], ["ä.jpg", "ö.jpg"],
  ])
  func namesAreInTheOrderThatPeopleExpect(names: [String]) {
    #expect(NaturalOrder.sorted(names) == names)
    #expect(NaturalOrder.sorted(names.reversed()) == names)
    #expect(NaturalOrder.sorted(names + names) == names.flatMap { [$0, $0] })
  }

  @Test func aFolderIsInTheOrderOfItsNumbers() throws {
    let folder = try TemporaryDirectory()
    for number in [10, 2, 1, 100] { try Files.create(folder.path + "/p\(number).png", [1]) }
    let names = try ItemList.folder(folder.path).items.map(\.name)
    #expect(names == ["p1.png", "p2.png", "p10.png", "p100.png"])
  }

  @Test func filesWithoutAnEndingAreKnownByTheirContent() throws {
    let folder = try TemporaryDirectory()
    try Files.create(folder.path + "/picture", try Fixtures.bytes("areas-420.jpg"))
    try Files.create(folder.path + "/notes", Array("only words".utf8))
    try Files.create(folder.path + "/empty", [])
    try Files.create(folder.path + "/document", Array("%PDF-1.7\n".utf8))
    #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
    try Files.create(folder.path + "/old.jfif", [1])
    #expect(try ItemList.folder(folder.path).items.map(\.name) == ["old.jfif", "picture"])
  }

  @Test func filesWithAnotherEndingAreKnownByTheirContent() throws {
    let folder = try TemporaryDirectory()
    let picture = try Fixtures.bytes("areas-420.jpg")
    for name in ["photo.bak", "IMG_1.jpg_large", "a.b.part", "holiday."] {
      try Files.create(folder.path + "/" + name, picture)
    }
    try Files.create(folder.path + "/notes.bak", Array("only words".utf8))
    try Files.create(folder.path + "/empty.part", [])
    #expect(mkfifo(folder.path + "/pipe.fifo", 0o600) == 0)
    let names = try ItemList.folder(folder.path).items.map(\.name)
    #expect(names == ["a.b.part", "holiday.", "IMG_1.jpg_large", "photo.bak"])
  }

  @Test func filesOfOtherKindsAreNotOpened() throws {
    let folder = try TemporaryDirectory()
    for name in ["film.mp4", "notes.TXT"] {
      try Files.create(folder.path + "/" + name, try Fixtures.bytes("areas-420.jpg"))
    }
    #expect(try ItemList.folder(folder.path).items.isEmpty)
  }

  @Test func filesAreTakenAsTheyAreAndFoldersSearched() throws {
    let folder = try TemporaryDirectory()
    try Files.createDirectories(folder.path + "/in")
    for name in ["notes.txt", "in/d.webp", "in/e.txt"] {
      try Files.create(folder.path + "/" + name, [1])
    }
    let paths = ["/notes.txt", "/in"].map { folder.path + $0 }
    #expect(try ItemList.files(paths).items.map(\.name) == ["notes.txt", "d.webp"])
    #expect(throws: SystemError.self) { try ItemList.files([folder.path + "/none.png"]) }
  }

  @Test func aDropHasFilesFoldersAndURLs() throws {
    let folder = try TemporaryDirectory()
    try Files.create(folder.path + "/b.png", [1])
    let items = ItemList.dropped(["/a.png", folder.path, "https://example.test/c.png?d"])
    #expect(items.map(\.name) == ["a.png", "b.png", "c.png"])
    #expect(items.last?.location == "https://example.test/c.png?d")
  }

  @Test func anItemOfALocalFileKnowsItsPath() {
    #expect(Item(path: "/a/b c%.jpg").path == "/a/b c%.jpg")
    #expect(Item(name: "a", location: "https://example.test/a.jpg").path == nil)
  }

  /// Facts of the items 0, 1 and 2; of others nothing is known.
  private func facts(_ number: Int) -> FileFacts? {
    let all = [(size: 5, time: 30), (size: 9, time: 10), (size: 5, time: 20)]
    guard all.indices.contains(number) else { return nil }
    return FileFacts(size: all[number].size, modified: .seconds(all[number].time))
  }

  @Test func theNewestFilesComeFirst() {
    #expect(ItemOrder.date.sorted([0, 1, 2], facts: facts) == [0, 2, 1])
  }

  @Test func ofLargestFilesEqualOnesStayAsTheyWere() {
    #expect(ItemOrder.size.sorted([2, 1, 0], facts: facts) == [1, 2, 0])
  }

  @Test(arguments: [ItemOrder.date, .size])
  func whatIsNoFileComesLast(order: ItemOrder) {
    #expect(order.sorted([7, 1, 8], facts: facts) == [1, 7, 8])
  }

  @Test func byNameNoFileIsLookedAt() {
    let order = ItemOrder.name.sorted([2, 0, 1]) { number in
      Issue.record("\(number) was looked at")
      return nil
    }
    #expect(order == [2, 0, 1])
  }

  @Test func aSearchFindsAllItsWordsInAnyOrder() {
    let item = Item(name: "Robin van Berg", location: "")
    #expect(item.matches([]))
    #expect(item.matches(["berg", "rob"]))
    #expect(!item.matches(["berg", "alex"]))
  }

  @Test func portraitsHaveNamesOfTheirOwn() {
    #expect(Set((0..<2000).map(PortraitNames.name)).count == 2000)
    #expect(PortraitNames.name(2000).hasSuffix(" 2"))
  }

  @Test func numbersAreWrittenForPeople() {
    #expect(NumberText.count(1_234_567) == "1,234,567")
    #expect(NumberText.count(-12) == "-12")
    #expect(NumberText.bytes(999) == "999 bytes")
    #expect(NumberText.bytes(12_340) == "12.3 kB")
    #expect(NumberText.milliseconds(.microseconds(1250)) == "1.3 ms")
    #expect(NumberText.milliseconds(.zero) == "–")
  }
}
