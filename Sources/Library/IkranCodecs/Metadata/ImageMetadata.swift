import IkranPixels

// Decision 72: metadata as raw blocks, read and written apart from pixels.
/// What an image file says about its picture apart from pixels: the blocks as they are in the file.
///
/// Reading them decodes no pixels and trusts nothing: a block that is damaged, or larger than
/// ``largestBlock``, is left out.
/// ```swift
/// let metadata = ImageMetadata(of: file)
/// if let artist = metadata.exifFacts?.artist { print("by \(artist)") }
/// ```
/// Texts come from the file, so they may have any characters: take control characters out before a
/// terminal gets them.
public struct ImageMetadata: Sendable, Hashable {
  /// The most bytes of one block that are read: 16 MiB.
  public static let largestBlock = 16 << 20

  /// The EXIF block, a TIFF structure that starts at its byte-order mark; nil when there is none.
  public var exif: [UInt8]?
  /// The XMP packet, XML; nil when there is none.
  public var xmp: [UInt8]?
  /// The ICC profile; nil when there is none, and when a part of it is missing.
  public var iccProfile: [UInt8]?

  /// Metadata of the given blocks.
  public init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil, iccProfile: [UInt8]? = nil) {
    (self.exif, self.xmp, self.iccProfile) = (exif, xmp, iccProfile)
  }

  /// Reads the metadata of a JPEG, PNG, WebP or GIF file, or of the beginning of one; also of AVIF
  /// and HEIC where one of their traits is on, of TIFF and of JPEG XL.
  ///
  /// The first block of each kind counts. JPEG has them before its picture, PNG and WebP before or
  /// after it, and GIF has no EXIF. Of TIFF, XMP and the profile are read, of
  /// JPEG XL EXIF and XMP that are not compressed.
  ///
  /// Cost: walks over the file's segments, chunks or blocks, copies what it finds, and inflates
  /// PNG's profile.
  ///
  /// - Parameter file: The bytes; of another format there is nothing to read.
  public init(of file: Span<UInt8>) {
    self.init()
    switch Sniffer.format(of: file) {
    case .jpeg: self = JPEGMetadata.read(file)
    case .png: self = PNGMetadata.read(file)
    case .webp: self = WebPMetadata.read(file)
    case .gif: self = GIFMetadata.read(file)
    #if AVIF || HEIC
    case .avif: self = MediaMetadata.read(file, .avif)
    case .heic: self = MediaMetadata.read(file, .heic)
    case .heif: self = MediaMetadata.read(file, .heif)
    #endif
    #if TIFF
    case .tiff: self = TIFFMetadata.read(file)
    #endif
    case .jpegXL: self = JXLMetadata.read(file)
    default: break
    }
  }

  /// Reads the metadata of a file, as ``init(of:)`` for a `Span`.
  ///
  /// - Parameter file: The bytes; of another format there is nothing to read.
  public init(of file: [UInt8]) { self.init(of: file.span) }

  /// Whether there is nothing.
  public var isEmpty: Bool { exif == nil && xmp == nil && iccProfile == nil }

  /// What the EXIF block says; nil when there is none or it has no header.
  ///
  /// Cost: parses the block, each time.
  public var exifFacts: ExifFacts? { exif.flatMap { ExifFacts($0.span) } }

  /// What the XMP packet says; nil when there is none.
  ///
  /// Cost: searches the packet, each time.
  public var xmpFacts: XMPFacts? { xmp.map { XMPFacts($0) } }

  /// What the ICC profile says of itself; nil when there is none or it has no header.
  ///
  /// Cost: reads its header and one tag, each time.
  public var profileFacts: ICCProfileFacts? { iccProfile.flatMap { ICCProfileFacts($0.span) } }

  /// Whether the rest of a file may have metadata that is usual there: before the picture, or
  /// announced by the header.
  package static func mayFollow(_ beginning: Span<UInt8>) -> Bool {
    switch Sniffer.format(of: beginning) {
    case .png: !PNGMetadata.reachesPicture(beginning)
    // The flags of an extended header: a profile, EXIF, XMP.
    case .webp: beginning.has("VP8X", at: 12) && (beginning.byte(at: 20) ?? 0) & 0x2C != 0
    #if AVIF || HEIC
    case .avif: MediaMetadata.mayFollow(beginning, .avif)
    case .heic: MediaMetadata.mayFollow(beginning, .heic)
    case .heif: MediaMetadata.mayFollow(beginning, .heif)
    #endif
    default: false
    }
  }
}
