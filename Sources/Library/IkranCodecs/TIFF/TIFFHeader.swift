#if TIFF
import IkranPixels

/// What a directory of a TIFF file says of its picture (TIFF 6.0, and BigTIFF).
struct TIFFHeader {
  private enum Tag {
    static let width = 256
    static let height = 257
    static let bitsPerSample = 258
    static let compression = 259
    static let photometric = 262
    static let orientation = 274
    static let samplesPerPixel = 277
    /// Where strips and tiles are, how many bytes they have, and the table of colours.
    static let tables = [273, 279, 324, 325, 320]
    static let extraSamples = 338
    static let profile = 34_675
  }

  var info: ImageInfo
  /// What the samples stand for, by the tag PhotometricInterpretation; nil when it is missing.
  let photometric: Int?
  /// Where the directory is.
  let directory: Int
  private let structure: TIFFStructure
  private let profile: Range<Int>?
  private let samples: Int
  /// Whether what the directory points to is there, but for the pixels.
  private let isWhole: Bool

  /// What a pixel may have of them, which is a number of 16 bits.
  private static let mostSamples = 65_535

  /// Reads the directory of a page.
  ///
  /// - Parameters:
  ///   - file: The file, or its beginning.
  ///   - page: The number of the page, from 0.
  ///   - countsPages: Whether ``ImageInfo/frames`` is wanted, for which all directories are looked
  ///     at; else only those up to the page are.
  /// - Throws: ``DecodeError``.
  init(_ file: Span<UInt8>, page: Int = 0, countsPages: Bool = false) throws(DecodeError) {
    let structure = try TIFFStructure(file)
    let (found, count) = structure.find(page: page, in: file, countsAll: countsPages)
    guard let found else { throw .noPage(.tiff, page, count: max(1, count)) }
    directory = found
    let entries = try structure.entries(file, of: directory)
    func number(_ tag: Int, _ index: Int = 0) -> Int? {
      entries.first { $0.tag == tag }.flatMap { structure.integer($0, file, index: index) }
    }
    guard let width = number(Tag.width), let height = number(Tag.height), width > 0, height > 0
    else {
      throw .malformed(.tiff, offset: directory, reason: "its directory says no size")
    }
    info = ImageInfo(format: .tiff, size: PixelSize(width: width, height: height))
    photometric = number(Tag.photometric)
    samples = min(max(number(Tag.samplesPerPixel) ?? 1, 0), Self.mostSamples)
    let bits = entries.first { $0.tag == Tag.bitsPerSample }
    // Three numbers are not in the directory itself.
    if let bits, bits.range.upperBound > file.count {
      throw .truncated(.tiff, offset: file.count)
    }
    info.bitsPerChannel = photometric == 3 ? 8 : number(Tag.bitsPerSample) ?? 1
    info.orientation =
      number(Tag.orientation).flatMap(UInt8.init(exactly:)).flatMap(Orientation.init(rawValue:))
      ?? .up
    profile = entries.first { $0.tag == Tag.profile }?.range
    info.hasICCProfile = profile != nil
    info.frames = max(1, count)
    self.structure = structure
    isWhole = entries.allSatisfy {
      !Tag.tables.contains($0.tag) || $0.range.upperBound <= file.count
    }
    let extras = entries.first { $0.tag == Tag.extraSamples }
    info.hasAlpha = hasAlpha(extras, file)
  }

  /// Whether a sample that is no colour is alpha.
  private func hasAlpha(_ extras: TIFFEntry?, _ file: Span<UInt8>) -> Bool {
    guard let extras else {
      let colors = [2: 3, 5: 4][photometric ?? (samples == 4 ? 2 : 0)]
      return colors.map { samples == $0 + 1 } ?? false
    }
    guard extras.count < samples else { return false }
    return (0..<max(extras.count, 0)).contains {
      let type = structure.integer(extras, file, index: $0)
      return type == 1 || type == 2
    }
  }

  /// What it says of its colours: an ICC profile, else the EXIF directory; `file` is what it was
  /// read from.
  func colors(_ file: Span<UInt8>) -> FileColors {
    var colors = FileColors()
    switch photometric {
    case 0, 1: colors.model = .gray
    case nil where samples < 3: colors.model = .gray
    case 5: colors.model = .cmyk
    // These have colours of their own.
    case 8, 9, 10, 32_844, 32_845: return colors
    default: break
    }
    if let profile {
      guard profile.upperBound <= file.count else {
        colors.fault = .malformed(reason: "it is not there")
        return colors
      }
      // As many as tell that they are too many.
      let read = file.extracting(profile).extracting(first: ColorSource.largestProfile + 1)
      colors.sources = [.icc([UInt8](copying: read))]
    } else if !structure.isBig, colors.model == .rgb, directory == structure.firstDirectory {
      colors.sources = ExifColors.read(file).map { [$0] } ?? []
    }
    return colors
  }

  /// Refuses what does not stand for the colours of a picture, and a directory that is cut off.
  ///
  /// - Throws: ``DecodeError``.
  func check(byteCount: Int) throws(DecodeError) {
    guard isWhole else { throw .truncated(.tiff, offset: byteCount) }
    switch photometric {
    case nil, 0, 1, 2, 3, 4, 5, 6, 8, 9, 32_844, 32_845: break
    case 32_803, 34_892: throw .unsupported(.tiff, feature: "the samples of a camera's sensor")
    case let other?: throw .unsupported(.tiff, feature: "colours of kind \(other)")
    }
  }
}
#endif
