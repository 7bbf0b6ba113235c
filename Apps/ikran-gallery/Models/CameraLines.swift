import Ikran

/// What a camera wrote about a picture, for people.
enum CameraLines {
  /// A line of a name and a value.
  enum Line: String, CaseIterable {
    case camera = "Camera"
    case lens = "Lens"
    case exposure = "Exposure"
    case aperture = "Aperture"
    case sensitivity = "Sensitivity"
    case focalLength = "Focal length"
    case taken = "Taken"
    case place = "Place"
    case orientation = "Stored"
  }

  /// The letters of a text that are shown.
  static let longest = 200

  /// Reads a file's EXIF block; camera raw files and TIFF are such blocks themselves.
  ///
  /// Cost: as that of `ImageMetadata(of:)`.
  static func read(_ file: [UInt8]) -> ExifFacts? {
    ImageMetadata(of: file).exifFacts ?? ImageMetadata(exif: file).exifFacts
  }

  /// The value of each line of which something is known.
  static func values(of facts: ExifFacts) -> [Line: String] {
    var values: [Line: String] = [:]
    values[.camera] = camera(facts)
    values[.lens] = facts.lens.map(clean)
    values[.exposure] = facts.exposureTime.flatMap { exposure($0.value) }
    values[.aperture] = positive(facts.fNumber).flatMap(short).map { "f/" + $0 }
    values[.sensitivity] = facts.sensitivity.flatMap { $0 > 0 ? "ISO \($0)" : nil }
    values[.focalLength] = positive(facts.focalLength).flatMap(short).map { $0 + " mm" }
    values[.taken] = facts.dateTime.flatMap { taken($0, facts.timeOffset) }
    values[.place] = facts.location.map(place)
    values[.orientation] = facts.orientation.flatMap(stored)
    return values.filter { !$0.value.isEmpty }
  }

  /// Many models begin with their maker.
  private static func camera(_ facts: ExifFacts) -> String? {
    let (make, model) = (clean(facts.make ?? ""), clean(facts.model ?? ""))
    if make.isEmpty || model.lowercased().hasPrefix(make.lowercased()) { return model }
    return model.isEmpty ? make : make + " " + model
  }

  private static func exposure(_ seconds: Double) -> String? {
    guard let seconds = positive(seconds) else { return nil }
    if seconds < 0.3 { return "1/\(Int((1 / seconds).rounded())) s" }
    return short(seconds).map { $0 + " s" }
  }

  /// EXIF has colons in its dates, and zeros or spaces in those that are not known.
  private static func taken(_ date: String, _ offset: String?) -> String? {
    var letters = Array(clean(date))
    guard letters.contains(where: { $0 != "0" && $0 != ":" && $0 != " " }) else { return nil }
    if letters.count >= 10, letters[4] == ":", letters[7] == ":" {
      (letters[4], letters[7]) = ("-", "-")
    }
    let zone = offset.map(clean).flatMap { $0.isEmpty ? nil : " " + $0 } ?? ""
    return String(letters) + zone
  }

  private static func place(_ place: ExifFacts.Location) -> String {
    let latitude = degrees(place.latitude) + (place.latitude < 0 ? " S" : " N")
    return latitude + ", " + degrees(place.longitude) + (place.longitude < 0 ? " W" : " E")
  }

  /// Four decimals, which are about ten metres.
  private static func degrees(_ angle: Double) -> String {
    let parts = Int((abs(angle) * 10_000).rounded())
    let decimals = String(parts % 10_000 + 10_000).dropFirst()
    return "\(parts / 10_000).\(decimals)°"
  }

  /// How the pixels of the file lie; nil where they are upright.
  private static func stored(_ orientation: Orientation) -> String? {
    switch orientation {
    case .up: nil
    case .upMirrored: "mirrored"
    case .down: "upside down"
    case .downMirrored: "upside down, mirrored"
    case .left: "turned 90° right"
    case .leftMirrored: "turned 90° left, mirrored"
    case .right: "turned 90° left"
    case .rightMirrored: "turned 90° right, mirrored"
    }
  }

  private static func positive(_ number: Double?) -> Double? {
    number.flatMap { $0 > 0 ? $0 : nil }
  }

  /// One decimal, unless it is zero; nil for what is zero then.
  private static func short(_ number: Double) -> String? {
    let text = NumberText.tenths(number)
    guard text != "0.0" else { return nil }
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// One line without control characters, and without spaces around it.
  private static func clean(_ text: String) -> String {
    var scalars = text.unicodeScalars.drop(while: isSpace).prefix(longest)
    while let last = scalars.last, isSpace(last) { scalars.removeLast() }
    var clean = String.UnicodeScalarView()
    clean.append(contentsOf: scalars.map { isSpace($0) ? " " : $0 })
    return String(clean)
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    let kind = scalar.properties.generalCategory
    return scalar.properties.isWhitespace
      || [.control, .format, .lineSeparator, .paragraphSeparator].contains(kind)
  }
}
