import IkranCodecs

/// The first bytes of a file, as programs and cameras write them.
struct SampleFile: Sendable, CustomStringConvertible {
  let name: String
  /// Nil for a file of no known format.
  let format: ImageFormat?
  let bytes: [UInt8]

  var description: String { name }

  init(_ name: String, _ format: ImageFormat?, _ bytes: [UInt8]) {
    (self.name, self.format, self.bytes) = (name, format, bytes)
  }

  init(_ name: String, _ format: ImageFormat?, text: String) {
    self.init(name, format, Array(text.utf8))
  }

  static let all = media + films + directories + signatures + markup

  // MARK: - ISO base media files

  /// A box of brands, the first of them the major one.
  static func brands(_ brands: String..., length: UInt32? = nil) -> [UInt8] {
    let text = brands[0] + "\0\0\u{2}\0" + brands.joined()
    let length = length ?? UInt32(8 + text.utf8.count)
    return bigEndian(length) + Array("ftyp".utf8) + Array(text.utf8)
  }

  private static let media = [
    SampleFile("AVIF", .avif, brands("avif", "mif1", "miaf", "MA1B")),
    SampleFile("AVIF sequence", .avif, brands("avis", "msf1", "iso8", "avif")),
    SampleFile("AVIF by a later brand", .avif, brands("mif1", "miaf", "avif", "MA1A")),
    SampleFile("AVIF sequence by a later brand", .avif, brands("msf1", "iso8", "avis")),
    SampleFile("HEIC", .heic, brands("heic", "mif1", "heic")),
    SampleFile("HEIC of ten bits", .heic, brands("heix", "mif1")),
    SampleFile("HEIC sequence", .heic, brands("hevc", "msf1", "iso8")),
    SampleFile("HEIC by a later brand", .heic, brands("mif1", "mif2", "heic")),
    SampleFile("HEIC sequence by a later brand", .heic, brands("msf1", "hevc")),
    SampleFile("HEIF of unknown coding", .heif, brands("mif1", "mif1", "xxxx")),
    SampleFile("HEIF sequence of unknown coding", .heif, brands("msf1", "iso8")),
    SampleFile("M4A", nil, brands("M4A ", "mp42", "isom")),
    SampleFile("3GP", nil, brands("3gp4", "isom")),
    SampleFile("CR3", nil, brands("crx ", "isom")),
    SampleFile("an unknown brand", nil, brands("abcd", "efgh")),
  ]

  private static let films = [
    SampleFile("MP4", .mp4, brands("isom", "iso2", "avc1", "mp41")),
    SampleFile("MP4 version 2", .mp4, brands("mp42", "mp42", "isom")),
    SampleFile("MP4 by a later brand", .mp4, brands("XAVC", "mp42", "iso2")),
    SampleFile("MP4 with a long length", .mp4, longBrands),
    SampleFile("MP4 whose box has no end", .mp4, brands("XAVC", "mp42", length: 0)),
    SampleFile("M4V", .m4v, brands("M4V ", "mp42", "isom")),
    SampleFile("M4V with subtitles", .m4v, brands("M4VH", "M4V ")),
    SampleFile("QuickTime", .mov, brands("qt  ", "qt  ")),
    SampleFile("QuickTime without brands", .mov, bigEndian(8) + Array("wide".utf8) + [0, 0, 1, 0]),
    SampleFile("QuickTime of data first", .mov, bigEndian(1) + Array("mdat".utf8)),
    SampleFile("WebM", .webm, matroska("webm")),
    SampleFile("Matroska", .mkv, matroska("matroska")),
    SampleFile("Matroska of another type", nil, matroska("other")),
  ]

  private static var longBrands: [UInt8] {
    let text = Array("XAVC\0\0\0\0mp42".utf8)
    return bigEndian(1) + Array("ftyp".utf8) + bigEndian(0) + bigEndian(28) + text
  }

  private static func matroska(_ type: String) -> [UInt8] {
    let version: [UInt8] = [0x42, 0x86, 0x81, 1, 0x42, 0xF7, 0x81, 1]
    let elements = version + [0x42, 0x82, 0x80 | UInt8(type.utf8.count)] + Array(type.utf8)
    let length = [0x01, 0, 0, 0, 0, 0, 0, UInt8(elements.count)]
    return [0x1A, 0x45, 0xDF, 0xA3] + length + elements + [0x18, 0x53, 0x80, 0x67]
  }

  // MARK: - TIFF

  /// A TIFF file, each of whose entries has a tag, a type and a value.
  static func tiff(
    _ order: String = "II",
    directory: [(tag: UInt16, type: UInt16, value: [UInt8])],
    at offset: Int = 8
  ) -> [UInt8] {
    func two(_ value: Int) -> [UInt8] {
      let high = UInt8(truncatingIfNeeded: value >> 8)
      let low = UInt8(truncatingIfNeeded: value)
      return order == "MM" ? [high, low] : [low, high]
    }
    func four(_ value: Int) -> [UInt8] {
      order == "MM" ? two(value >> 16) + two(value) : two(value) + two(value >> 16)
    }
    var file = Array(order.utf8) + two(42) + four(offset)
    file += [UInt8](repeating: 0, count: offset - 8)
    var values: [UInt8] = []
    let end = offset + 2 + directory.count * 12 + 4
    file += two(directory.count)
    for entry in directory {
      let size = [3: 2, 4: 4][entry.type] ?? 1
      file += two(Int(entry.tag)) + two(Int(entry.type)) + four(entry.value.count / size)
      if entry.value.count <= 4 {
        file += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
      } else {
        file += four(end + values.count)
        values += entry.value
      }
    }
    return file + four(0) + values
  }

  private static func raw(_ order: String, maker: String, subfileType: [UInt8]) -> [UInt8] {
    tiff(
      order,
      directory: [
        (0xFE, 4, subfileType), (0x10F, 2, Array(maker.utf8) + [0]), (0x14A, 4, [9, 9, 9, 9]),
      ]
    )
  }

  private static let directories = [
    SampleFile("TIFF", .tiff, tiff(directory: [(0x100, 3, [4, 0])])),
    SampleFile("TIFF of big ends", .tiff, tiff("MM", directory: [(0x100, 3, [0, 4])])),
    SampleFile("BigTIFF", .tiff, Array("II+\0".utf8) + [8, 0, 0, 0] + bigEndian(0) + bigEndian(0)),
    SampleFile("BigTIFF of big ends", .tiff, Array("MM\0+".utf8) + [0, 8, 0, 0] + bigEndian(16)),
    SampleFile("CR2", .cr2, Array("II*\0".utf8) + [16, 0, 0, 0] + Array("CR\u{2}\0".utf8)),
    SampleFile("NEF", .nef, raw("MM", maker: "NIKON CORPORATION", subfileType: [0, 0, 0, 1])),
    SampleFile("ARW", .arw, raw("II", maker: "SONY", subfileType: [1, 0, 0, 0])),
    SampleFile(
      "a TIFF file of Sony's",
      .tiff,
      raw("II", maker: "SONY", subfileType: [0, 0, 0, 0])
    ),
    SampleFile("raw of another maker", .tiff, raw("II", maker: "ACME", subfileType: [1, 0, 0, 0])),
    SampleFile("DNG", .dng, tiff(directory: [(0x10F, 2, [65, 0]), (0xC612, 1, [1, 4, 0, 0])])),
    SampleFile("DNG of Sony's", .dng, tiff(directory: [(0xC612, 1, [1, 4, 0, 0])])),
  ]

  // MARK: - Others

  private static let signatures = [
    SampleFile("JPEG XL", .jpegXL, [0xFF, 0x0A, 0x7F, 0x10]),
    SampleFile("boxed JPEG XL", .jpegXL, bigEndian(12) + Array("JXL \r\n".utf8) + [0x87, 0x0A]),
    SampleFile("JPEG 2000", .jpeg2000, [0xFF, 0x4F, 0xFF, 0x51, 0, 0x29]),
    SampleFile(
      "boxed JPEG 2000",
      .jpeg2000,
      bigEndian(12) + Array("jP  \r\n".utf8) + [0x87, 0x0A]
    ),
    SampleFile("BMP", .bmp, text: "BM\u{46}\0\0\0\0\0\0\0\u{36}\0\0\0\u{28}\0\0\0"),
    SampleFile("BMP of version 5", .bmp, text: "BM\u{46}\0\0\0\0\0\0\0\u{36}\0\0\0\u{7C}\0\0\0"),
    SampleFile("icon", .ico, [0, 0, 1, 0, 2, 0, 16, 16, 0, 0, 1, 0, 32, 0]),
    SampleFile("cursor", .cur, [0, 0, 2, 0, 1, 0, 32, 32, 0, 0, 4, 0, 4, 0]),
    SampleFile("QOI", .qoi, Array("qoif".utf8) + bigEndian(4) + bigEndian(3) + [4, 0]),
    SampleFile("PBM", .pnm, text: "P1\n# drawn by hand\n3 2\n0 1 0"),
    SampleFile("PGM", .pnm, text: "P5 12 12 255\n"),
    SampleFile("PPM", .pnm, text: "P6\n12\n12\n65535\n"),
    SampleFile("PAM", .pnm, text: "P7\nWIDTH 3\nHEIGHT 2\n"),
    SampleFile("a seventh of a kind", nil, text: "P7 332\n"),
    SampleFile("a priority", nil, text: "P1: the build is broken"),
    SampleFile(
      "QOI of five channels",
      nil,
      Array("qoif".utf8) + bigEndian(4) + bigEndian(3) + [5, 0]
    ),
    SampleFile("RAF", .raf, text: "FUJIFILMCCD-RAW 0201FF389501"),
    SampleFile("Photoshop", .psd, text: "8BPS\0\u{1}\0\0\0\0\0\0"),
    SampleFile("PDF", .pdf, text: "%PDF-1.7\n"),
    SampleFile("PDF with a mark", .pdf, text: "\u{FEFF}%PDF-2.0\n"),
    SampleFile("EPS", .eps, text: "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n"),
    SampleFile("EPS with a preview", .eps, [0xC5, 0xD0, 0xD3, 0xC6, 30, 0, 0, 0]),
    SampleFile("PostScript", nil, text: "%!PS-Adobe-3.0\n%%EPSF\n"),
    SampleFile("WAVE", nil, text: "RIFF....WAVEfmt "),
  ]

  private static let markup = [
    SampleFile("SVG", .svg, text: "<svg xmlns='http://www.w3.org/2000/svg'/>"),
    SampleFile("SVG with a prolog", .svg, text: prolog),
    SampleFile("SVG with a mark", .svg, text: "\u{FEFF}\r\n " + prolog),
    SampleFile("SVG with a prefix", .svg, text: "<?xml version='1.0'?><s:svg xmlns:s='x'>"),
    SampleFile("SVG in UTF-16", .svg, [0xFF, 0xFE] + utf16(prolog)),
    SampleFile("SVG in UTF-16 of big ends", .svg, [0xFE, 0xFF] + utf16(prolog, isBig: true)),
    SampleFile("SVG in UTF-16 without a mark", .svg, utf16(prolog)),
    SampleFile("SVG with an entity", .svg, text: "<!DOCTYPE svg [<!ENTITY a '>]'>]><svg>"),
    SampleFile("compressed SVG", .svg, compressed),
    SampleFile("SVG up to its type", .svg, text: "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//E"),
    SampleFile("a page about SVG", nil, text: "<!DOCTYPE html><html><svg/></html>"),
    SampleFile("a note about SVG", nil, text: "<?xml version='1.0'?><note>The tag <svg></note>"),
    SampleFile("a comment about SVG", nil, text: "<!-- <svg> --><note/>"),
    SampleFile("another name", nil, text: "<?xml version='1.0'?><svgx/>"),
  ]

  private static let prolog = """
    <?xml version="1.0" encoding="UTF-8" standalone="no"?>
    <!-- It's drawn by <b>hand</b> -->
    <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd" [
      <!ENTITY ns "http://ns.example/>"> <!-- an ] it's not -->
    ]>
    <?style sheet?>
    <svg width="1">é</svg>
    """

  /// A gzip file of one block of 14 bytes as they are, without its checksum.
  private static let compressed: [UInt8] =
    [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1, 14, 0, 0xF1, 0xFF] + Array("<svg width='1'".utf8)

  private static func utf16(_ text: String, isBig: Bool = false) -> [UInt8] {
    text.utf16.flatMap { unit in
      let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
      return isBig ? bytes.reversed() : bytes
    }
  }

  static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
