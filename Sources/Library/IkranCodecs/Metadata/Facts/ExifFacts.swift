public import IkranPixels

/// What an EXIF block says of how a picture was taken (EXIF 2.32, sections 4.6.4 to 4.6.6).
///
/// Texts are as the camera wrote them, at most 4,096 bytes each; nil where the block says nothing.
public struct ExifFacts: Sendable, Hashable {
  /// A colour space that EXIF has a number for.
  public enum ColorSpace: String, Sendable, Hashable {
    /// sRGB.
    case sRGB
    /// Adobe RGB, by the rules of the camera's file system (DCF).
    case adobeRGB
    /// Another one, which a profile should say.
    case uncalibrated
  }

  /// The camera's maker.
  public var make: String?
  /// The camera's model.
  public var model: String?
  /// The lens's model.
  public var lens: String?
  /// The program that wrote the file.
  public var software: String?
  /// When the picture was taken, else when the file was changed: `2026:11:25 13:45:00`, the
  /// camera's own time.
  public var dateTime: String?
  /// The camera's distance from UTC: `+01:00`.
  public var timeOffset: String?
  /// How the stored pixels must be turned.
  public var orientation: Orientation?
  /// Seconds, as a fraction.
  public var exposureTime: Fraction?
  /// The aperture: the focal length divided by the opening.
  public var fNumber: Double?
  /// The sensitivity by ISO 12232.
  public var sensitivity: Int?
  /// In millimetres.
  public var focalLength: Double?
  /// Whether a flash was fired.
  public var firedFlash: Bool?
  /// Whether there is a place: a latitude or a longitude.
  public var hasLocation = false
  /// The place; nil where its latitude or its longitude is missing, damaged or too large.
  public var location: Location?
  /// The description of the picture.
  public var description: String?
  /// Who made it.
  public var artist: String?
  /// Who has the rights.
  public var copyright: String?
  /// The colour space.
  public var colorSpace: ColorSpace?
  /// Whether there is a small picture of the picture.
  public var hasThumbnail = false

  /// A fraction of whole numbers, whose denominator is not zero.
  public struct Fraction: Sendable, Hashable {
    /// The upper number.
    public let numerator: Int
    /// The lower number.
    public let denominator: Int

    /// Its value.
    public var value: Double { Double(numerator) / Double(denominator) }

    package init(_ parts: (numerator: Int, denominator: Int)) {
      (numerator, denominator) = parts
    }
  }

  /// A place on Earth.
  public struct Location: Sendable, Hashable {
    /// In degrees from -90 to 90, positive in the north.
    public let latitude: Double
    /// In degrees from -180 to 180, positive in the east.
    public let longitude: Double

    /// A place; nil where a number is not in its range.
    package init?(latitude: Double, longitude: Double) {
      guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
      (self.latitude, self.longitude) = (latitude, longitude)
    }
  }

  /// Reads a TIFF structure that starts at its byte-order mark; nil when it does not.
  init?(_ block: Span<UInt8>) {
    guard let tiff = TIFFReader(block) else { return nil }
    let first = ExifDirectory(tiff, block, at: tiff.firstDirectory)
    readMain(first, block)
    if let photo = first.directory(0x8769, block) { readPhoto(photo, block) }
    colorSpace = ExifColors.space(of: block, first: first)
    if let position = first.directory(0x8825, block) {
      hasLocation = position.has(0x0002) || position.has(0x0004)
      location = Self.location(position, block)
    }
    let second = ExifDirectory(tiff, block, at: first.next)
    hasThumbnail = first.next > 0 && (second.has(0x0201) || second.has(0x0111))
  }

  private static func location(_ directory: ExifDirectory, _ block: Span<UInt8>) -> Location? {
    guard let latitude = directory.angle(0x0002, block),
      let longitude = directory.angle(0x0004, block),
      let north = sign(directory.text(0x0001, block), positive: "N", negative: "S"),
      let east = sign(directory.text(0x0003, block), positive: "E", negative: "W")
    else { return nil }
    return Location(latitude: north * latitude, longitude: east * longitude)
  }

  private static func sign(_ text: String?, positive: String, negative: String) -> Double? {
    switch text?.uppercased() {
    case positive: 1
    case negative: -1
    default: nil
    }
  }

  private mutating func readMain(_ directory: ExifDirectory, _ block: Span<UInt8>) {
    make = directory.text(0x010F, block)
    model = directory.text(0x0110, block)
    software = directory.text(0x0131, block)
    dateTime = directory.text(0x0132, block)
    description = directory.text(0x010E, block)
    artist = directory.text(0x013B, block)
    copyright = directory.text(0x8298, block)
    orientation = directory.integer(0x0112, block).flatMap {
      UInt8(exactly: $0).flatMap(Orientation.init(rawValue:))
    }
  }

  private mutating func readPhoto(_ directory: ExifDirectory, _ block: Span<UInt8>) {
    dateTime = directory.text(0x9003, block) ?? dateTime
    timeOffset = directory.text(0x9011, block) ?? directory.text(0x9010, block)
    exposureTime = directory.fraction(0x829A, block)
    fNumber = directory.fraction(0x829D, block)?.value
    sensitivity = directory.integer(0x8827, block)
    focalLength = directory.fraction(0x920A, block)?.value
    firedFlash = directory.integer(0x9209, block).map { $0 & 1 == 1 }
    lens = directory.text(0xA434, block)
  }
}
