import FoundationEssentials
import Ikran
import Testing

/// What a file's name says about its pixels per point.
@Suite struct RequestScaleTests {
  @Test(arguments: [
    ("http://a.test/face@2x.png", 2), ("http://a.test/face@3x.jpg?size=9", 3),
    ("http://a.test/face%402x.png", 2), ("http://a.test/face@2x", 2),
    ("file:///tmp/face@4x.gif", 4),
  ])
  func aNameMaySayIt(url: String, scale: Int) throws {
    #expect(ImageRequest(try #require(URL(string: url))).nominalScale == scale)
  }

  @Test(arguments: [
    "http://a.test/face.png", "http://a.test/face@0x.png", "http://a.test/face@x.png",
    "http://a.test/face2x.png", "http://a.test/@2x/face.png", "http://a.test/a.png?b=@2x.png",
    "http://a.test", "data:image/png;base64,QUJD",
  ])
  func elseItIsOne(url: String) throws {
    #expect(ImageRequest(try #require(URL(string: url))).nominalScale == 1)
  }

  @Test func theIdOfDataIsANameToo() {
    #expect(ImageRequest(data: [1], id: "icon@2x.png").nominalScale == 2)
  }
}
