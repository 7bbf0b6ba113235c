import FoundationEssentials
import IkranCodecs
import IkranPixels

/// What is known of a source, as `/info` sends it.
///
/// The names of JSON are those of the properties, with a `_` between words.
struct SourceDescription: Encodable {
  let format: String
  let mimeType: String
  /// The bytes of the file.
  let size: Int
  /// That of the upright picture, as ``height``.
  let width: Int
  let height: Int
  /// The number that EXIF has for it, 1…8.
  let orientation: Int
  /// Those of an animation, or the pages of a document.
  let frames: Int
  let animated: Bool
  /// That of an animation, in milliseconds, as the file says.
  let duration: Int?
  /// How often an animation plays; 0 is for ever.
  let loops: Int?
  let hasAlpha: Bool
  let bitDepth: Int
  /// The name of the colour profile.
  let iccProfile: String?
  let exif: Exif?
  var thumbhash: String?

  /// Describes a file by its header and its metadata.
  init(_ info: ImageInfo, _ metadata: ImageMetadata, byteCount: Int) {
    format = info.format.rawValue
    mimeType = info.format.mediaType ?? "application/octet-stream"
    size = byteCount
    (width, height) = (info.uprightSize.width, info.uprightSize.height)
    orientation = Int(info.orientation.rawValue)
    (frames, animated) = (info.frames, info.isAnimated)
    let times = info.isAnimated ? info.durations : []
    // Files of some formats may say any number.
    let whole = times.reduce(0) { $0.addingReportingOverflow($1).overflow ? .max : $0 + $1 }
    duration = times.isEmpty ? nil : whole
    loops = info.isAnimated ? info.loops : nil
    (hasAlpha, bitDepth) = (info.hasAlpha, info.bitsPerChannel)
    iccProfile = metadata.profileFacts.map { $0.description ?? $0.colorSpace }
    exif = metadata.exifFacts.map(Exif.init)
  }
}

extension [UInt8] {
  /// One line of JSON; the same value has the same bytes.
  static func json(_ value: some Encodable) throws(ServiceError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do { return [UInt8](try encoder.encode(value)) } catch {
      throw .failed(reason: "the JSON cannot be written: \(error)")
    }
  }
}

extension SourceDescription {
  /// What camera and author say; where the picture was taken is left out.
  struct Exif: Encodable {
    let make: String?
    let model: String?
    let lens: String?
    let software: String?
    let dateTime: String?
    let timeOffset: String?
    /// In seconds, as a fraction.
    let exposureTime: String?
    let fNumber: Double?
    let iso: Int?
    /// In millimetres.
    let focalLength: Double?
    let flash: Bool?
    let description: String?
    let artist: String?
    let copyright: String?

    init(_ facts: ExifFacts) {
      (make, model, lens, software) = (facts.make, facts.model, facts.lens, facts.software)
      (dateTime, timeOffset) = (facts.dateTime, facts.timeOffset)
      exposureTime = facts.exposureTime.map { "\($0.numerator)/\($0.denominator)" }
      (fNumber, iso, focalLength) = (facts.fNumber, facts.sensitivity, facts.focalLength)
      flash = facts.firedFlash
      (description, artist, copyright) = (facts.description, facts.artist, facts.copyright)
    }
  }
}
