/// How files are decoded: which are refused, and what becomes of their colours.
public struct DecodeRules: Sendable, Hashable {
  /// Bounds that the headers are held against.
  public var limits: DecodeLimits
  /// What becomes of the colours that a file describes.
  public var colors: ColorHandling
  /// Whether a file that is cut off shows the rows that it has, with a note, instead of being
  /// refused.
  public var acceptsCutFiles: Bool

  /// Whether a picture that is over the limit of pixels is decoded with fewer of them, with a note,
  /// instead of being refused, where its size may differ: at ``Fitting/original`` and
  /// ``Fitting/inside(_:enlarges:)``.
  public var scalesDownOverLimit: Bool

  /// Which picture of the file is decoded, from 0: a page of TIFF, or a picture of a HEIC
  /// collection, of which the first stands for the file; other formats have one.
  public var page: Int

  /// Whether a small copy in a HEIC file is shown where it has enough pixels, which is faster.
  public var usesThumbnails = true

  /// Creates rules: by default the usual limits, sRGB, whole files only, and their first picture.
  public init(
    limits: DecodeLimits = DecodeLimits(),
    colors: ColorHandling = .sRGB,
    acceptsCutFiles: Bool = false,
    scalesDownOverLimit: Bool = false,
    page: Int = 0
  ) {
    self.limits = limits
    self.colors = colors
    self.acceptsCutFiles = acceptsCutFiles
    self.scalesDownOverLimit = scalesDownOverLimit
    self.page = page
  }
}

/// What becomes of the colours of a file that says what they mean, by an ICC profile or otherwise.
@nonexhaustive
public enum ColorHandling: String, Sendable, Hashable, CaseIterable {
  /// They are converted to sRGB.
  case sRGB
  /// Pixels stay as they are stored, and what the file says of them is lost.
  case untouched
  /// Pixels of red, green and blue with an ICC profile stay as they are stored, and the profile
  /// travels with the bitmap, see ``Bitmap/profile``.
  ///
  /// What has no such profile is converted to sRGB: grays, inks, and colours that are described
  /// otherwise. So are frames of animations.
  case keepProfile
}
