import Glibc
import IkranPixels
import IkranSystem
import TestBasics
import Testing

/// Names of files are bytes, which need not be UTF-8.
@Suite(.timeLimit(.minutes(10))) struct PathTests {
  /// Of ISO 8859-1, of a cut character, of a surrogate, and of a character that stands for a byte.
  static let names: [[UInt8]] = [
    [0x63, 0x61, 0x66, 0xE9], [0x61, 0xE2, 0x82], [0xED, 0xA0, 0x80, 0x62],
    Array("\u{10FEE9}".utf8), [0xF4, 0x8F, 0xBB], Array("ä\u{10FFFD}🦅".utf8),
    Array(0x80...0xFF), [0xC3, 0x28, 0xE2, 0x82, 0xAC, 0xFF],
  ]

  @Test(arguments: names)
  func everyNameHasItsText(_ bytes: [UInt8]) {
    #expect(String(path: bytes).pathBytes == bytes)
  }

  @Test func anyBytesHaveTheirText() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        // Many of the bytes that begin or go on with the characters that stand for bytes.
        Bool.random(using: &random)
          ? [0xF4, 0x8F, 0xBA, 0xBB, 0x80, 0xBF].randomElement(using: &random) ?? 0xF4
          : UInt8.random(in: 1...255, using: &random)
      }
      #expect(String(path: bytes).pathBytes == bytes)
    }
  }

  @Test func aNameInUTF8IsItself() {
    #expect(String(path: Array("Übung 🦅.png".utf8)) == "Übung 🦅.png")
    #expect("Übung 🦅.png".pathBytes == Array("Übung 🦅.png".utf8))
  }

  @Test func peopleReadAQuestionMarkForAStrayByte() {
    #expect(String(path: [0x63, 0x61, 0x66, 0xE9]).displayedPath == "caf\u{FFFD}")
  }

  @Test func aURLHasTheBytes() {
    #expect(PercentEncoding.path(String(path: [0x2F, 0x61, 0xE9])) == "/a%E9")
  }

  @Test(arguments: names)
  func aFileOfThatNameIsWrittenFoundAndRead(_ bytes: [UInt8]) throws {
    let directory = try TemporaryDirectory()
    let name = String(path: bytes)
    let path = "\(directory.path)/\(name)"
    try Files.writeAtomically([1, 2], to: path)
    #expect(try Files.list(directory.path) == [name])
    #expect(try Files.read(path) == [1, 2])
    #expect(Files.isOrdinary(path) && Files.size(path) == 2)
    // As C sees it.
    let folder = try #require(opendir(directory.path))
    defer { closedir(folder) }
    var found: [[UInt8]] = []
    while let entry = readdir(folder) {
      withUnsafeBytes(of: entry.pointee.d_name) { found.append(Array($0.prefix { $0 != 0 })) }
    }
    #expect(found.contains(bytes))
    try Files.rename(path, to: "\(path)2")
    #expect(try Files.remove("\(path)2"))
  }

  @Test func foldersOfThatNameAreMadeAndRemoved() throws {
    let directory = try TemporaryDirectory()
    let folder = "\(directory.path)/\(String(path: [0xE9, 0x2F, 0xFF]))"
    try Files.createDirectories(folder)
    try Files.create("\(folder)/a", [1])
    #expect(Files.isDirectory(folder))
    try Files.removeTree("\(directory.path)/\(String(path: [0xE9]))")
    #expect(try Files.list(directory.path).isEmpty)
  }
}
