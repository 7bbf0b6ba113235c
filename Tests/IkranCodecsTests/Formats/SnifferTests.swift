import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

@Suite(.timeLimit(.minutes(10))) struct SnifferTests {
  @Test(
    arguments: [
      ("<!DOCTYPE html><p>", "an HTML page"), ("\u{FEFF}\n <HTML>", "an HTML page"),
      ("<svg xmlns='x'/>", "an SVG image"), ("<?xml version='1.0'?><svg/>", "an SVG image"),
      ("{\"error\": 404}", "a JSON document"), ("%PDF-1.7 and so on", "a PDF document"),
      ("\0\0\0\u{18}ftypavif\0\0\0\0", "an AVIF image"), ("8BPS......", "a Photoshop document"),
      ("\0\0\0\u{18}ftypheic\0\0\0\0", "an HEIC image"),
      ("\0\0\0\u{18}ftypmif1\0\0\0\0avif", "an AVIF image"), ("MM\0*....", "a TIFF image"),
      ("RIFF....WAVEfmt ", "a RIFF file that is not WebP"), ("II*\0....", "a TIFF image"),
      ("%!PS-Adobe-3.0\n%%EPSF", "a PostScript document"), ("PK\u{3}\u{4}", "a ZIP archive"),
      ("\0\0\0\u{18}ftypM4A \0\0\0\0", "an MPEG-4 audio file"),
    ]
  )
  func foreignFilesAreNamed(_ file: (text: String, name: String)) {
    let bytes = Array(file.text.utf8)
    if let format = ImageFormat(of: bytes), CodecList.standard.decodes(format) { return }
    guard case .unknownFormat(let hint?) = failure(of: bytes) else {
      Issue.record("no hint")
      return
    }
    // Of a format whose trait is off, it says that, too.
    #expect(hint == file.name || hint.hasPrefix("\(file.name), and this build does not read "))
  }

  @Test(
    arguments: [
      (ImageFormat.tiff, "a TIFF image, and this build does not read TIFF"),
      (.avif, "an AVIF image, and this build does not read AVIF"),
      (.jpegXL, "a JPEG XL image, and this build does not read JPEG XL"),
    ]
  )
  func aFormatThatIsLeftOutIsNamed(_ format: ImageFormat, hint: String) {
    #expect(CodecList.refusal(of: format, leftOut: [format]) == .unknownFormat(hint: hint))
    let others = CodecList.refusal(of: format, leftOut: [])
    #expect(others == .unknownFormat(hint: String(hint.prefix { $0 != "," })))
  }

  @Test func noBytesAreEmpty() {
    #expect(failure(of: []) == .empty)
  }

  @Test func unknownBytesAreUnknown() {
    #expect(failure(of: Array("hello, world and all".utf8)) == .unknownFormat(hint: nil))
  }

  @Test(
    arguments: [
      ([0xFF, 0xD8], ImageFormat.jpeg), ([0x89, 0x50, 0x4E], .png), ([0x47, 0x49, 0x46], .gif),
      ([0x52, 0x49, 0x46, 0x46, 9, 9, 9, 9, 0x57], .webp),
    ]
  )
  func theBeginningOfASignatureIsTruncated(_ start: (bytes: [UInt8], format: ImageFormat)) {
    #expect(failure(of: start.bytes) == .truncated(start.format, offset: start.bytes.count))
  }

  @Test func aCustomCodecInsertedFirstIsUsedFirst() throws {
    var list = CodecList.standard
    list.codecs.insert(OneByteCodec(), at: 0)
    let bytes: [UInt8] = [7]
    #expect(try list.probe(bytes.span).size.width == 7)
  }

  @Test func aFormatThatIsNamedChoosesTheCodec() throws {
    var list = CodecList.standard
    list.codecs.append(OneByteCodec())
    let png = try gradient(width: 3, height: 3).encoded(as: .png)
    #expect(try list.probe(png.span).size.width == 3)
    #expect(try list.probe(png.span, as: OneByteCodec.format).size.width == 0x89)
    #expect(try list.decode([5].span, as: OneByteCodec.format).bitmap.width == 5)
    let other = ImageFormat(rawValue: "other")
    let error = #expect(throws: DecodeError.self) { try list.probe(png.span, as: other) }
    #expect(error == .unsupported(other, feature: "a codec this list does not have"))
  }
}
