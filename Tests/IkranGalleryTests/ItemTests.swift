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
    #expect(try ItemList.folder(folder.path).map(\.name) == ["a.jpeg", "b.PNG", "d.webp"])
    #expect(throws: SystemError.self) { try ItemList.folder(folder.path + "/none") }
  }

  @Test func filesAreTakenAsTheyAreAndFoldersSearched() throws {
    let folder = try TemporaryDirectory()
    try Files.createDirectories(folder.path + "/in")
    for name in ["notes.txt", "in/d.webp", "in/e.txt"] {
      try Files.create(folder.path + "/" + name, [1])
    }
    let paths = ["/notes.txt", "/in"].map { folder.path + $0 }
    #expect(try ItemList.files(paths).map(\.name) == ["notes.txt", "d.webp"])
    #expect(throws: SystemError.self) { try ItemList.files([folder.path + "/none.png"]) }
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
