import Ikran

// What `ikran inspect` prints of metadata.

extension JSON {
  /// EXIF, null when there is none.
  init(_ facts: ExifFacts?) {
    guard let facts else {
      self = .null
      return
    }
    self = [
      "make": .string(orNull: facts.make),
      "model": .string(orNull: facts.model),
      "lens": .string(orNull: facts.lens),
      "software": .string(orNull: facts.software),
      "taken": .string(orNull: facts.dateTime),
      "timeOffset": .string(orNull: facts.timeOffset),
      "orientation": .integer(orNull: facts.orientation.map { Int($0.rawValue) }),
      "exposure": .string(orNull: facts.exposureTime.map(Self.seconds)),
      "aperture": facts.fNumber.map(JSON.number) ?? .null,
      "iso": .integer(orNull: facts.sensitivity),
      "focalLength": facts.focalLength.map(JSON.number) ?? .null,
      "flash": facts.firedFlash.map(JSON.bool) ?? .null,
      "location": .bool(facts.hasLocation),
      "latitude": facts.location.map { JSON.number($0.latitude) } ?? .null,
      "longitude": facts.location.map { JSON.number($0.longitude) } ?? .null,
      "thumbnail": .bool(facts.hasThumbnail),
      "description": .string(orNull: facts.description),
      "artist": .string(orNull: facts.artist),
      "copyright": .string(orNull: facts.copyright),
      "colorSpace": .string(orNull: facts.colorSpace?.rawValue),
    ]
  }

  /// XMP, null when there is none.
  init(_ facts: XMPFacts?) {
    guard let facts else {
      self = .null
      return
    }
    self = [
      "bytes": .integer(facts.byteCount),
      "creators": .array(facts.creators.map(JSON.string)),
      "rights": .string(orNull: facts.rights),
    ]
  }

  /// An ICC profile, null when there is none.
  init(_ facts: ICCProfileFacts?) {
    guard let facts else {
      self = .null
      return
    }
    self = [
      "description": .string(orNull: facts.description),
      "colorSpace": .string(facts.colorSpace),
      "class": .string(facts.deviceClass),
      "version": .string(facts.version),
      "bytes": .integer(facts.byteCount),
    ]
  }

  /// An exposure as cameras show it: `1/250`, or the seconds.
  private static func seconds(_ time: ExifFacts.Fraction) -> String {
    let value = time.value
    return value > 0 && value < 0.3 ? "1/\(Int((1 / value).rounded()))" : "\(value)"
  }
}
