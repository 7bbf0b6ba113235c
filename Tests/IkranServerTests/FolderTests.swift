import Foundation
import IkranSystem
import IkranTransport
import TestBasics
import Testing

@testable import IkranServer

/// A folder with a picture, a text, a subfolder, and links to the outside.
private final class Fixture {
  let outside: String
  let path: String

  init() throws {
    outside = NSTemporaryDirectory() + "ikran-origin-\(UUID().uuidString)"
    path = outside + "/served"
    let files = FileManager.default
    try files.createDirectory(atPath: path + "/deep", withIntermediateDirectories: true)
    try Data([0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 7, count: 300_000))
      .write(to: URL(fileURLWithPath: path + "/no-ending"))
    try Data("hello".utf8).write(to: URL(fileURLWithPath: path + "/deep/a b.txt"))
    try Data("{}".utf8).write(to: URL(fileURLWithPath: path + "/.hidden.json"))
    try Data("secret".utf8).write(to: URL(fileURLWithPath: outside + "/secret.txt"))
    // A name that starts with the root's name must not count as inside it.
    try files.createDirectory(atPath: path + "-too", withIntermediateDirectories: true)
    try Data("secret".utf8).write(to: URL(fileURLWithPath: path + "-too/secret.txt"))
    for (link, target) in [
      ("out.txt", "../secret.txt"), ("near.txt", "../served-too/secret.txt"), ("up", ".."),
      ("in.txt", "deep/a b.txt"), ("null", "/dev/null"),
    ] {
      try files.createSymbolicLink(atPath: path + "/" + link, withDestinationPath: target)
    }
  }

  // The system cleans up a folder that could not be removed.
  deinit { try? FileManager.default.removeItem(atPath: outside) }
}

@Suite(.timeLimit(.minutes(10))) struct FolderTests {
  private let fixture: Fixture
  private let origin: Origin

  init() throws {
    fixture = try Fixture()
    origin = try Origin(.folder(path: fixture.path), faults: Faults(sendsETag: true))
  }

  @Test func filesAreServedWithTheTypeOfTheirBytes() throws {
    let reply = try fetch(origin, "/no-ending")
    #expect(reply.status == 200 && reply.isComplete)
    #expect(reply.headers["content-type"] == "image/jpeg")
    #expect(reply.body.count == 300_004)
  }

  @Test func namesAreDecodedAndExtensionsGiveTheType() throws {
    let reply = try fetch(origin, "/deep/a%20b.txt")
    #expect(reply.text == "hello")
    #expect(reply.headers["content-type"] == "text/plain; charset=utf-8")
  }

  @Test(arguments: [
    "/../secret.txt", "/deep/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt",
    "/out.txt", "/near.txt", "/up/secret.txt", "/null", "/deep", "/deep/", "//no-ending",
    "/./no-ending", "/missing", "/no-ending/x",
  ])
  func nothingOutsideTheFolderIsServed(path: String) throws {
    #expect(try fetch(origin, path).status == 404)
  }

  @Test func linksWithinTheFolderWork() throws {
    #expect(try fetch(origin, "/in.txt").text == "hello")
  }

  @Test func rangesOfFilesAreServed() throws {
    let reply = try fetch(origin, "/deep/a%20b.txt", headers: ["Range": "bytes=1-3"])
    #expect(reply.status == 206 && reply.text == "ell")
  }

  @Test func filesAreRevalidated() throws {
    let tag = try #require(try fetch(origin, "/no-ending").headers["etag"])
    #expect(try fetch(origin, "/no-ending", headers: ["If-None-Match": tag]).status == 304)
    try Data("new".utf8).write(to: URL(fileURLWithPath: fixture.path + "/no-ending"))
    #expect(try fetch(origin, "/no-ending", headers: ["If-None-Match": tag]).status == 200)
  }

  @Test func theListIsSortedAndEncodedAndLeavesOutHiddenFiles() {
    #expect(origin.paths == ["/deep/a%20b.txt", "/in.txt", "/no-ending"])
  }

  @Test func theListHasNamesThatAreNoUTF8() throws {
    let name = String(path: Array("caf".utf8) + [0xE9])
    try Files.create(fixture.path + "/deep/" + name, [1])
    let origin = try Origin(.folder(path: fixture.path))
    #expect(origin.paths.contains("/deep/caf%E9"))
    #expect(try fetch(origin, "/deep/caf%E9").body == [1])
  }

  @Test func theTestPathsAreServedToo() throws {
    #expect(try fetch(origin, "/bytes/3").body == [0, 1, 2])
  }

  @Test func truncatedFilesAnnounceTheirFullLength() throws {
    let faults = Faults(rates: FaultRates(truncate: 1))
    let origin = try Origin(.folder(path: fixture.path), faults: faults)
    let reply = try fetch(origin, "/no-ending")
    #expect(reply.headers["content-length"] == "300004" && !reply.isComplete)
  }

  @Test func disconnectsInsideAFileAreHarmless() throws {
    for _ in 0..<20 {
      let client = try RawClient(origin.port)
      client.send("/no-ending")
      #expect(client.readSome(10) == 10)
    }
    #expect(try fetch(origin, "/in.txt").text == "hello")
  }

  @Test func aMissingFolderThrows() {
    #expect(throws: ServerError.folderUnreadable(path: "/nowhere/at/all", code: 2)) {
      try Origin(.folder(path: "/nowhere/at/all"))
    }
  }
}
