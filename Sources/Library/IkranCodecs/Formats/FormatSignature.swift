/// The first bytes by which a format is recognized.
struct FormatSignature: Sendable {
  /// What else has to hold, or tells similar formats apart.
  enum Check: Sendable {
    case none
    /// The first directory of a TIFF file tells raw files apart.
    case directory
    /// A document type in an EBML header tells WebM and Matroska apart.
    case documentType
    /// An icon or cursor has at least one picture.
    case pictureCount
    /// The length of a BMP file's second header is one of a few.
    case headerLength
    /// QOI has 3 or 4 channels in one of two colour spaces.
    case channels
    /// PNM has white space or comments, and then a number.
    case number
    /// PostScript that says it is encapsulated.
    case encapsulated
  }

  let format: ImageFormat
  /// Nil matches any byte.
  let bytes: [UInt8?]
  var check = Check.none

  init(_ format: ImageFormat, _ bytes: [UInt8?], check: Check = .none) {
    (self.format, self.bytes, self.check) = (format, bytes, check)
  }

  init(_ format: ImageFormat, _ text: String, check: Check = .none) {
    self.init(format, Array(text.utf8), check: check)
  }

  /// Whether a prefix starts with all of the signature.
  func matches(_ prefix: Span<UInt8>) -> Bool {
    prefix.count >= bytes.count && fits(prefix)
  }

  /// Whether each byte of a prefix that the signature names is as it says.
  func fits(_ prefix: Span<UInt8>) -> Bool {
    for index in 0..<min(prefix.count, bytes.count) {
      if let byte = bytes[index], byte != prefix[index] { return false }
    }
    return true
  }
}

extension FormatSignature {
  /// JPEG: a start of image, and a marker after it.
  static let jpeg = FormatSignature(.jpeg, [0xFF, 0xD8, 0xFF])
  /// PNG.
  static let png = FormatSignature(.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
  /// WebP: a RIFF file of any length.
  static let webp = FormatSignature(
    .webp,
    Array("RIFF".utf8) + [nil, nil, nil, nil] + Array("WEBP".utf8)
  )
  /// GIF of both versions.
  static let gif = [FormatSignature(.gif, "GIF87a"), FormatSignature(.gif, "GIF89a")]

  /// All signatures at a fixed place; those of ISO base media files (``MediaBrands``) and of markup
  /// (``MarkupText``) are not.
  static let table =
    [jpeg, png, webp] + gif + [
      FormatSignature(.jpegXL, [0xFF, 0x0A]),
      FormatSignature(.jpegXL, [0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0A]),
      FormatSignature(.jpeg2000, [0, 0, 0, 12] + Array("jP  \r\n".utf8) + [0x87, 0x0A]),
      FormatSignature(.jpeg2000, [0xFF, 0x4F, 0xFF, 0x51]),
      FormatSignature(.tiff, "II*\0", check: .directory),
      FormatSignature(.tiff, "MM\0*", check: .directory),
      FormatSignature(.tiff, [0x49, 0x49, 0x2B, 0, 8, 0, 0, 0]),
      FormatSignature(.tiff, [0x4D, 0x4D, 0, 0x2B, 0, 8, 0, 0]),
      FormatSignature(.bmp, "BM", check: .headerLength),
      FormatSignature(.ico, [0, 0, 1, 0], check: .pictureCount),
      FormatSignature(.cur, [0, 0, 2, 0], check: .pictureCount),
      FormatSignature(.qoi, "qoif", check: .channels),
      FormatSignature(.pnm, "P7\n"),
      FormatSignature(.raf, "FUJIFILMCCD-RAW "),
      FormatSignature(.psd, "8BPS"),
      FormatSignature(.pdf, "%PDF-"),
      FormatSignature(.pdf, [0xEF, 0xBB, 0xBF] + Array("%PDF-".utf8)),
      FormatSignature(.eps, "%!PS-Adobe-", check: .encapsulated),
      FormatSignature(.eps, [0xC5, 0xD0, 0xD3, 0xC6]),
      FormatSignature(.mkv, [0x1A, 0x45, 0xDF, 0xA3], check: .documentType),
    ] + (1...6).map { FormatSignature(.pnm, "P\($0)", check: .number) }
}
