import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Files of one format, as far as the format has such files.
struct FormatSamples {
  /// An opaque still, large enough to be reduced.
  let picture: [UInt8]
  /// One that is shown while it arrives, where ``picture`` is not.
  var early: [UInt8]?
  /// One of which some pixels are clear.
  var translucent: [UInt8]?
  /// One that says that its colours are those of a wide profile.
  var wide: [UInt8]?
  /// One that says that it has to be turned.
  var turned: [UInt8]?
  var animation: [UInt8]?
}

extension FormatSamples {
  private static let size = PixelSize(width: 320, height: 240)
  private static let pixels = (0..<size.width * size.height).map { index in
    let (x, y) = (index % size.width, index / size.width)
    return Pixel(UInt8(x & 255), UInt8(y), UInt8((x ^ y) & 255))
  }

  private static let jpeg = JPEGSample(width: size.width, height: size.height, sampling: .full)
    .bytes()

  private static let png = PNGSample(size: size) { x, y in
    [UInt16(x * 200), UInt16(y * 250), UInt16((x ^ y) * 100)]
  }
  .bytes

  private static func written(_ encoding: ImageEncoding) throws -> [UInt8] {
    try CodecList.standard.decode(png.span).bitmap.encoded(as: encoding)
  }

  /// Files of `format`.
  init(_ format: ImageFormat) throws {
    switch format {
    case .jpeg, .png, .webp, .gif: try self.init(ofTheWeb: format)
    case .avif, .heic, .heif, .jpegXL: try self.init(ofNewCodings: format)
    case .bmp, .ico, .cur, .qoi, .pnm: try self.init(ofRows: format)
    case .svg:
      self.init(
        picture: Array(Self.svg(#"<rect width="320" height="240" fill="red"/>"#).utf8),
        translucent: Array(Self.svg(#"<rect width="9" height="9"/>"#).utf8)
      )
    #if TIFF
    case .tiff: try self.init(ofTIFF: 16)
    #endif
    default: try self.init(ofCamera: format)
    }
  }

  private static func svg(_ content: String) -> String {
    #"<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240">\#(content)</svg>"#
  }

  private init(ofTheWeb format: ImageFormat) throws {
    switch format {
    case .jpeg: picture = Self.jpeg
    case .png: picture = Self.png
    case .webp: picture = try Self.written(.webp())
    default:
      let levels = Self.pixels.map(\.green)
      picture = GIFSample(width: Self.size.width, height: Self.size.height, indices: levels).bytes
    }
    let suffix = format == .jpeg ? "jpg" : format.rawValue
    if format != .jpeg { animation = try Fixtures.bytes("animation-3-frames.\(suffix)") }
    if format != .gif { wide = try Fixtures.bytes("areas-wide.\(suffix)") }
    switch format {
    case .jpeg: turned = try Fixtures.bytes("areas-orientation-6.jpg")
    case .png:
      turned = try Fixtures.bytes("exif-orientation-6.png")
      translucent = try Fixtures.bytes("gradient-8b-rgba.png")
    case .webp:
      turned = try Fixtures.bytes("areas-orientation-6.webp")
      translucent = try Fixtures.bytes("soft-lossy-alpha.webp")
    default:
      early = try Fixtures.bytes("interlaced.gif")
      translucent = try Fixtures.bytes("transparent.gif")
    }
  }

  private init(ofNewCodings format: ImageFormat) throws {
    let suffix = format == .heif ? "heic" : format.rawValue
    wide = try Fixtures.bytes("areas-wide.\(suffix)")
    translucent = try Fixtures.bytes("soft-lossless-alpha.\(suffix)")
    switch format {
    case .avif:
      picture = try Self.written(.avif())
      turned = try Fixtures.bytes("areas-turned.avif")
      animation = try Fixtures.bytes("animation-3-frames.avif")
    case .jpegXL:
      picture = try Self.written(.jpegXL())
      turned = try Fixtures.bytes("areas-orientation-6.jxl")
      animation = try Fixtures.bytes("animation-3-frames.jxl")
    case .heic:
      picture = try Fixtures.bytes("areas-420.heic")
      turned = try Fixtures.bytes("areas-turned.heic")
    default:
      picture = Self.withoutCoding(try Fixtures.bytes("areas-420.heic"))
      turned = Self.withoutCoding(try Fixtures.bytes("areas-turned.heic"))
      (wide, translucent) = (wide.map(Self.withoutCoding), translucent.map(Self.withoutCoding))
    }
  }

  /// A HEIC file whose brands do not say how it is coded.
  private static func withoutCoding(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes[..<8]) + Array("mif1".utf8) + bytes[12..<20] + Array("miaf".utf8) + bytes[24...]
  }

  private init(ofRows format: ImageFormat) throws {
    let opaque = RandomPicture(Self.size, seed: 9)
    let soft = RandomPicture(PixelSize(width: 20, height: 14), seed: 9, hasAlpha: true)
    switch format {
    case .bmp:
      var sample = BMPSample(size: Self.size, bits: 24)
      sample.setRows(opaque.pixels.map(\.word))
      picture = sample.bytes
      sample.isTopDown = true
      sample.setRows(opaque.pixels.map(\.word))
      early = sample.bytes
      wide = try Self.wideBMP()
      sample = BMPSample(size: soft.size, headerLength: 124, bits: 32)
      sample.fields = [52: [0, 0, 0, 0xFF]]
      sample.setRows(soft.pixels.map(\.word))
      translucent = sample.bytes
    case .qoi:
      picture = QOISample(opaque, channels: 3).bytes
      translucent = QOISample(soft).bytes
    case .pnm:
      picture =
        Array("P6 320 240 255\n".utf8) + opaque.pixels.flatMap { [$0.red, $0.green, $0.blue] }
      translucent = try Fixtures.bytes("soft-lossless-alpha.pam")
    default:
      let large = PixelSize(width: 256, height: 256)
      var entry = IconSample.Entry(
        size: large,
        bits: 24,
        pixels: RandomPicture(large, seed: 9).pixels
      )
      entry.hasMask = false
      picture = IconSample(format: format, entries: [entry]).bytes
      entry = IconSample.Entry(size: soft.size, bits: 32, pixels: soft.pixels)
      entry.storesAlpha = true
      translucent = IconSample(format: format, entries: [entry]).bytes
    }
  }

  /// A red of Display P3, with the profile of the other formats' files.
  private static func wideBMP() throws -> [UInt8] {
    let file = try Fixtures.bytes("areas-wide.png")
    let rules = DecodeRules(colors: .keepProfile)
    let profile = try CodecList.standard.decode(file.span, rules: rules).bitmap.profile
    let size = PixelSize(width: 16, height: 16)
    var sample = BMPSample(size: size, headerLength: 124, bits: 24)
    sample.setRows([Int](repeating: Pixel(200, 40, 40).word, count: 256))
    sample.end = try #require(profile?.bytes)
    let offset = sample.information.count + sample.data.count
    sample.fields = [
      56: Array("DEBM".utf8), 112: littleEndian4(offset), 116: littleEndian4(sample.end.count),
    ]
    return sample.bytes
  }

  #if TIFF
  private init(ofTIFF rowsPerStrip: Int) throws {
    var sample = TIFFSample(size: Self.size) { x, y, channel in
      UInt64((x + y * (channel + 1)) & 255)
    }
    sample.rowsPerStrip = rowsPerStrip
    picture = sample.bytes
    translucent = try Fixtures.bytes("soft-lossless-alpha.tif")
    wide = try Fixtures.bytes("areas-wide.tif")
    turned = try Fixtures.bytes("areas-orientation-6.tif")
  }
  #endif

  private init(ofCamera format: ImageFormat) throws {
    func file(_ large: [UInt8], orientation: Int = 1) throws -> [UInt8] {
      let small = JPEGSample(width: 16, height: 12, sampling: .full).bytes()
      let samples = RawSample.all(small: small, large: large)
      var sample = try #require(samples.first { $0.format == format })
      if sample.file == nil, orientation > 1 {
        sample.directories[0].removeAll { if case .short(0x112, _) = $0 { true } else { false } }
        sample.directories[0].append(.short(0x112, orientation))
      }
      return sample.bytes
    }
    picture = try file(Self.jpeg)
    wide = try file(Fixtures.bytes("areas-wide.jpg"))
    turned = try file(Fixtures.bytes("areas-orientation-6.jpg"), orientation: 6)
  }
}
