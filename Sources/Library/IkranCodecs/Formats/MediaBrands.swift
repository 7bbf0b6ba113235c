/// The brands of ISO base media files (ISO/IEC 14496-12, section 4.3): the first box names them.
enum MediaBrands {
  /// What a brand says.
  private enum Brand {
    case format(ImageFormat)
    /// Pictures of HEIF, however they are coded: later brands may say more.
    case pictures
    /// A kind of file that is neither a picture nor a film, or has no format here.
    case foreign(String)
  }

  /// The most brands that are read.
  private static let maximumBrands = 64

  /// The format of a file that starts with a box of brands, or with one of QuickTime's; nil when it
  /// has neither.
  static func format(of prefix: Span<UInt8>) -> ImageFormat? {
    guard prefix.has("ftyp", at: 4) else { return isQuickTime(prefix) ? .mov : nil }
    if case .format(let format)? = main(prefix) { return format }
    return nil
  }

  /// What a file with brands is that has no format here.
  static func name(of prefix: Span<UInt8>) -> String {
    if case .foreign(let name)? = main(prefix) { return name }
    return "an ISO media file"
  }

  /// The brand that decides: the first one, unless that leaves it to the others.
  private static func main(_ prefix: Span<UInt8>) -> Brand? {
    let isLong = prefix.bigEndian32(at: 0) == 1
    let start = isLong ? 16 : 8
    let first = brand(prefix, at: start)
    switch first {
    case .format, .foreign: return first
    case .pictures, nil: break
    }
    let length = isLong ? prefix.bigEndian32(at: 12) : prefix.bigEndian32(at: 0)
    let end = min(prefix.count, length.flatMap { $0 == 0 ? nil : $0 } ?? prefix.count)
    var hasPictures = first != nil
    // The minor version lies between.
    var offset = start + 8
    while offset + 4 <= end, offset < start + 8 + maximumBrands * 4 {
      switch brand(prefix, at: offset) {
      // A brand of films says little of a file whose first one names pictures.
      case .format(let format)? where !hasPictures || format.isPicture: return .format(format)
      case .pictures?: hasPictures = true
      default: break
      }
      offset += 4
    }
    return hasPictures ? .format(.heif) : nil
  }

  private static func brand(_ prefix: Span<UInt8>, at offset: Int) -> Brand? {
    guard offset <= prefix.count - 4 else { return nil }
    let text = String(decoding: (offset..<offset + 4).map { prefix[$0] }, as: UTF8.self)
    return switch text {
    case "avif", "avis": .format(.avif)
    case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs": .format(.heic)
    case "mif1", "mif2", "msf1", "miaf": .pictures
    case "qt  ": .format(.mov)
    case "M4V ", "M4VH", "M4VP": .format(.m4v)
    case "isom", "mp41", "mp42", "mp71", "avc1", "dash", "MSNV", "mmp4", "F4V ", "f4v ":
      .format(.mp4)
    case _ where text.hasPrefix("iso") && text != "iso ": .format(.mp4)
    case "M4A ", "M4B ", "M4P ", "F4A ", "F4B ": .foreign("an MPEG-4 audio file")
    case _ where text.hasPrefix("3g"): .foreign("a 3GPP video")
    case "crx ": .foreign("a Canon CR3 raw image")
    default: nil
    }
  }

  /// Whether a file starts with a box of QuickTime from before there were brands.
  private static func isQuickTime(_ prefix: Span<UInt8>) -> Bool {
    // The length's first byte tells it from text.
    guard let first = prefix.byte(at: 0), first < 0x10, let length = prefix.bigEndian32(at: 0)
    else { return false }
    // The data of a film may be longer than 32 bits say, or reach to the end of the file.
    if prefix.has("mdat", at: 4) { return length >= 8 || length <= 1 }
    guard length >= 8 else { return false }
    return ["moov", "wide", "free", "skip", "pnot"].contains { prefix.has($0, at: 4) }
  }
}
