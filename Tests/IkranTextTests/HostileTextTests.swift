import Glibc
import IkranPixels
import IkranText
import Testing

/// Texts that come from strangers: names, captions.
@Suite(.timeLimit(.minutes(10))) struct HostileTextTests {
  private static let texts: [(String, String)] = [
    ("a megabyte", String(repeating: "a", count: 1 << 20)),
    ("a megabyte of words", String(repeating: "word ", count: 1 << 18)),
    ("NULs", "a\0b\0\0c"),
    ("only NULs", String(repeating: "\0", count: 5000)),
    (
      "control characters",
      String(String.UnicodeScalarView((0..<32).map { UnicodeScalar($0 as UInt8) }))
    ),
    ("marks without a letter", String(repeating: "\u{301}", count: 100_000)),
    ("a letter with many marks", "a" + String(repeating: "\u{489}\u{36F}", count: 100_000)),
    ("joiners", String(repeating: "\u{200D}", count: 50_000)),
    ("a family without end", String(repeating: "👩\u{200D}", count: 50_000)),
    ("flags", String(repeating: "🇩🇪🇫", count: 10_000)),
    ("directions", String(repeating: "\u{202E}a\u{202D}ב\u{2067}", count: 20_000)),
    ("one wide letter", String(repeating: "﷽", count: 5000)),
    (
      "noncharacters",
      String(
        String.UnicodeScalarView(
          [0xFFFE, 0xFFFF, 0xFDD0, 0x10FFFF].compactMap { UnicodeScalar($0 as UInt32) }
        )
      )
    ),
    ("private use", "\u{E000}\u{F8FF}\u{100000}"),
    (
      "replaced bytes", String(decoding: [0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0x41], as: UTF8.self)
    ),
    ("line feeds", String(repeating: "\r\n\u{2028}\u{2029}", count: 50_000)),
    ("Jamo", String(repeating: "\u{1100}\u{1161}\u{11A8}", count: 30_000)),
    ("markup", "<b>&amp;</b><span size='999999999'>x"),
  ]

  @Test(arguments: texts)
  func aLabelIsDrawnOrRefused(name: String, text: String) throws {
    for style in [
      TextStyle(fontSize: 14, maximumWidth: 200), TextStyle(fontSize: 14),
      TextStyle(fontSize: 2048, maximumWidth: 16384, maximumLines: 3),
      TextStyle(fontSize: 1, maximumWidth: 0, maximumLines: .max),
    ] {
      let result = Result { try style.size(of: text) }
      switch result {
      case .success(let size):
        #expect(size.isPositive && size.width <= 16384 && size.height <= 16384)
        if size.width * size.height < 4_000_000 {
          #expect(try Bitmap.text(text, style: style).size == size)
        }
      case .failure(let error):
        guard case .invalidSize(let size) = error as? TextError else {
          Issue.record(error)
          continue
        }
        #expect(size.width > 16384 || size.height > 16384)
      }
    }
  }

  @Test(arguments: texts)
  func initialsAreShort(name: String, text: String) throws {
    let letters = Bitmap.initials(of: text)
    #expect(letters.count <= 2 && letters.unicodeScalars.count <= 2048)
    let face = try Bitmap.initials(text, size: PixelSize(48, 48))
    #expect(face.size == PixelSize(48, 48))
  }

  @Test func markupIsDrawnAsItIs() throws {
    let style = TextStyle(fontSize: 14)
    #expect(try style.size(of: "<b>x</b>").width > style.size(of: "x").width * 4)
  }

  @Test func controlCharactersAreLeftOut() throws {
    let plain = try Bitmap.text("abc")
    #expect(try Bitmap.text("a\0b\u{7}\u{1B}c\r").pixels == plain.pixels)
  }

  @Test func marksBeyondTheEighthAreLeftOut() throws {
    let eight = "a" + String(repeating: "\u{301}", count: 8)
    #expect(
      try Bitmap.text(eight).pixels
        == Bitmap.text(eight + String(repeating: "\u{301}", count: 900)).pixels
    )
  }

  @Test func withoutFontsTheErrorSaysSo() async {
    await #expect(processExitsWith: .success) {
      try TemporaryFile.write("<fontconfig></fontconfig>") { path in
        setenv("FONTCONFIG_FILE", path, 1)
        #expect(throws: TextError.noFonts) { try Bitmap.text("a") }
        #expect(throws: TextError.noFonts) {
          try Bitmap.initials("a", size: PixelSize(9, 9))
        }
      }
    }
  }

  @Test func manyThreadsDrawAtOnce() async throws {
    let names = ["Ada Lovelace", "李小龍", "Жанна", "عمر", "🦊 Fox", "W M"]
    let expected = try names.map { try Bitmap.initials($0, size: PixelSize(40, 40)).pixels }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<200 {
        group.addTask {
          let place = index % names.count
          let face = try Bitmap.initials(names[place], size: PixelSize(40, 40))
          return face.pixels == expected[place]
        }
      }
      for try await isEqual in group { #expect(isEqual) }
    }
  }
}

private enum TemporaryFile {
  /// Calls `body` with the path of a file with a text, which is removed afterwards.
  static func write(_ text: String, _ body: (String) throws -> Void) throws {
    var path = Array("/tmp/ikran-fonts-XXXXXX".utf8CString)
    let file = mkstemp(&path)
    let name = path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    defer { unlink(name) }
    #expect(file >= 0)
    let bytes = Array(text.utf8)
    #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
    close(file)
    try body(name)
  }
}
