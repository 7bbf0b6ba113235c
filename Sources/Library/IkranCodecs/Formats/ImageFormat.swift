/// An image file format, by the name that its codec gives it.
///
/// A custom codec names its own:
/// ```swift
/// extension ImageFormat {
///   static let farbfeld = ImageFormat(rawValue: "farbfeld")
/// }
/// ```
/// Ikran decodes ``jpeg``, ``png``, ``webp``, ``gif``, ``bmp``, ``ico``, ``cur``, ``qoi`` and
/// ``pnm``, the previews in ``cr2``, ``nef``, ``dng``, ``arw`` and ``raf``, and where the package's
/// traits of their names are on, ``avif``, ``heic``, ``jpegXL``, ``svg`` and ``tiff``.
///
/// It recognizes the others, films included, so that a program can say what it was given, or hand
/// it to another library.
public struct ImageFormat: RawRepresentable, Sendable, Hashable {
  /// A short word in lower case, such as `png`.
  public let rawValue: String

  /// Names a format.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// JPEG, ITU-T T.81.
  public static let jpeg = ImageFormat(rawValue: "jpeg")
  /// PNG, animated ones included.
  public static let png = ImageFormat(rawValue: "png")
  /// WebP, RFC 9649.
  public static let webp = ImageFormat(rawValue: "webp")
  /// GIF 87a and 89a.
  public static let gif = ImageFormat(rawValue: "gif")

  /// QOI.
  public static let qoi = ImageFormat(rawValue: "qoi")
  /// PBM, PGM, PPM and PAM of Netpbm.
  public static let pnm = ImageFormat(rawValue: "pnm")
  /// Windows bitmap, and that of OS/2.
  public static let bmp = ImageFormat(rawValue: "bmp")
  /// Windows icon.
  public static let ico = ImageFormat(rawValue: "ico")
  /// Windows cursor.
  public static let cur = ImageFormat(rawValue: "cur")
  /// Canon's raw format of before 2018.
  public static let cr2 = ImageFormat(rawValue: "cr2")
  /// Nikon's raw format.
  public static let nef = ImageFormat(rawValue: "nef")
  /// Digital Negative, raw files of many makers.
  public static let dng = ImageFormat(rawValue: "dng")
  /// Sony's raw format.
  public static let arw = ImageFormat(rawValue: "arw")
  /// Fujifilm's raw format.
  public static let raf = ImageFormat(rawValue: "raf")

  /// The formats that Ikran decodes, as far as this build has their libraries.
  static let decodable = CodecList.standard.codecs.map(\.format)

  /// The formats that Ikran decodes, but not as this build was made: their traits are off.
  static let leftOut = [avif, heic, heif, jpegXL, svg, tiff, webp]
    .filter { !decodable.contains($0) }
}

// MARK: - Formats that are recognized only

extension ImageFormat {
  /// AVIF, stills and sequences.
  public static let avif = ImageFormat(rawValue: "avif")
  /// HEIF with HEVC pictures, as phones write it.
  public static let heic = ImageFormat(rawValue: "heic")
  /// HEIF whose brands do not say how its pictures are coded.
  public static let heif = ImageFormat(rawValue: "heif")
  /// JPEG XL, a bare codestream or boxed.
  public static let jpegXL = ImageFormat(rawValue: "jxl")
  /// JPEG 2000, a bare codestream or boxed.
  public static let jpeg2000 = ImageFormat(rawValue: "jp2")
  /// TIFF and BigTIFF that are not known to be a camera's raw file.
  public static let tiff = ImageFormat(rawValue: "tiff")
  /// Photoshop, its large documents included.
  public static let psd = ImageFormat(rawValue: "psd")
  /// SVG, plain or compressed with gzip.
  public static let svg = ImageFormat(rawValue: "svg")
  /// PDF.
  public static let pdf = ImageFormat(rawValue: "pdf")
  /// Encapsulated PostScript, with or without a preview.
  public static let eps = ImageFormat(rawValue: "eps")
  /// MPEG-4 film.
  public static let mp4 = ImageFormat(rawValue: "mp4")
  /// QuickTime film.
  public static let mov = ImageFormat(rawValue: "mov")
  /// MPEG-4 film with Apple's brand.
  public static let m4v = ImageFormat(rawValue: "m4v")
  /// WebM film.
  public static let webm = ImageFormat(rawValue: "webm")
  /// Matroska film.
  public static let mkv = ImageFormat(rawValue: "mkv")

  /// Whether it is a film, not a picture.
  public var isVideo: Bool { [.mp4, .mov, .m4v, .webm, .mkv].contains(self) }

  /// Whether it is a picture, not a film or a document.
  var isPicture: Bool { !isVideo && ![.pdf, .psd, .eps].contains(self) }
}
