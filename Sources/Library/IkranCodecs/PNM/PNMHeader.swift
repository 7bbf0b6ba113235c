import IkranPixels

/// The header of a PBM, PGM, PPM or PAM file (Netpbm's manual pages pbm(5), pgm(5), ppm(5) and
/// pam(5)).
struct PNMHeader: Sendable {
  /// How samples are stored.
  enum Coding: Sendable {
    /// Numbers in decimal.
    case text
    /// The digits 0 and 1.
    case textBits
    /// One byte each, or two, the high one first, if the largest value needs them.
    case binary
    /// Eight in a byte, the highest bit first, each row in whole bytes.
    case bits
  }

  /// The samples of a pixel, in their order.
  enum Channels: Sendable {
    case gray
    case grayAlpha
    case rgb
    case rgbAlpha
    case cmyk

    /// How many there are.
    var count: Int {
      switch self {
      case .gray: 1
      case .grayAlpha: 2
      case .rgb: 3
      case .rgbAlpha, .cmyk: 4
      }
    }
  }

  let size: PixelSize
  let coding: Coding
  let channels: Channels
  /// What stands for white, 1…65535.
  let maximum: Int
  /// Where the samples begin.
  let dataOffset: Int

  /// Reads the header of a file, which starts with `P1` to `P7`.
  ///
  /// - Throws: ``DecodeError``.
  init(_ bytes: Span<UInt8>) throws(DecodeError) {
    let kind = (bytes.byte(at: 1) ?? 0) &- 0x30
    self = kind == 7 ? try Self.pam(bytes) : try Self.plain(bytes, kind: kind)
    guard size.isPositive else {
      throw .malformed(.pnm, offset: 2, reason: "the image is \(size) pixels")
    }
    guard (1...65_535).contains(maximum) else {
      let reason = "its largest sample is \(maximum), not 1 to 65535"
      throw .malformed(.pnm, offset: 2, reason: reason)
    }
  }

  private init(
    size: PixelSize,
    coding: Coding,
    channels: Channels,
    maximum: Int,
    dataOffset: Int
  ) {
    (self.size, self.coding, self.channels) = (size, coding, channels)
    (self.maximum, self.dataOffset) = (maximum, dataOffset)
  }

  /// What a row of a binary file takes.
  var bytesPerRow: Int {
    switch coding {
    case .bits: (size.width + 7) / 8
    // A width has 31 bits.
    default: size.width * channels.count * (maximum > 255 ? 2 : 1)
    }
  }

  /// PBM, PGM and PPM: width, height and, but in PBM, the largest sample.
  private static func plain(_ bytes: Span<UInt8>, kind: UInt8) throws(DecodeError) -> PNMHeader {
    var text = PNMScanner(offset: 2)
    let size = PixelSize(width: try text.number(bytes), height: try text.number(bytes))
    let isBitmap = kind == 1 || kind == 4
    let maximum = isBitmap ? 1 : try text.number(bytes)
    let coding: Coding =
      switch kind {
      case 1: .textBits
      case 4: .bits
      case 2, 3: .text
      default: .binary
      }
    guard let end = bytes.byte(at: text.offset) else {
      throw .truncated(.pnm, offset: bytes.count)
    }
    guard PNMScanner.isSpace(end) else {
      throw .malformed(.pnm, offset: text.offset, reason: "no white space follows the header")
    }
    return PNMHeader(
      size: size,
      coding: coding,
      channels: kind % 3 == 0 ? .rgb : .gray,
      maximum: maximum,
      dataOffset: text.offset + 1
    )
  }

  /// PAM: a line for each fact, in any order.
  private static func pam(_ bytes: Span<UInt8>) throws(DecodeError) -> PNMHeader {
    var text = PNMScanner(offset: 3)
    var (width, height, depth, maximum) = (0, 0, 0, 0)
    var type = ""
    while true {
      let start = text.offset
      let word = try text.word(bytes)
      switch word {
      case "WIDTH": width = try text.number(bytes)
      case "HEIGHT": height = try text.number(bytes)
      case "DEPTH": depth = try text.number(bytes)
      case "MAXVAL": maximum = try text.number(bytes)
      case "TUPLTYPE": type = try text.word(bytes)
      case "ENDHDR":
        text.skipLine(bytes)
        return PNMHeader(
          size: PixelSize(width: width, height: height),
          coding: .binary,
          channels: try channels(depth, type),
          maximum: maximum,
          dataOffset: text.offset
        )
      default:
        throw .malformed(.pnm, offset: start, reason: "a line of its header is unknown")
      }
    }
  }

  /// What the samples of a tuple are: its type says it, or their number does.
  private static func channels(_ depth: Int, _ type: String) throws(DecodeError) -> Channels {
    switch (depth, type) {
    case (1, _): return .gray
    case (2, _): return .grayAlpha
    case (3, _): return .rgb
    case (4, "CMYK"): return .cmyk
    case (4, _): return .rgbAlpha
    case (0, _): throw .malformed(.pnm, offset: 3, reason: "its pixels have no samples")
    default: throw .unsupported(.pnm, feature: "\(depth) samples for each pixel")
    }
  }
}
