/// Tells a camera's raw files from other TIFF files, by their first directory.
enum RawFile {
  private enum Tag {
    static let subfileType = 0x00FE
    static let make = 0x010F
    static let subdirectories = 0x014A
    static let dngVersion = 0xC612
  }

  /// The raw format of a TIFF file; nil for one that is not known to be a raw file, and when its
  /// first directory is not in the prefix.
  static func format(of prefix: Span<UInt8>) -> ImageFormat? {
    // Canon's mark and its version lie where the first directory might begin.
    if prefix.has([0x43, 0x52, 2], at: 8) { return .cr2 }
    guard let tiff = TIFFReader(prefix) else { return nil }
    let entries = tiff.entries(of: prefix, at: tiff.firstDirectory).entries
    if entries.contains(where: { $0.tag == Tag.dngVersion }) { return .dng }
    // A raw file begins with a small picture; the sensor's is in a directory below it.
    guard entries.contains(where: { $0.tag == Tag.subdirectories }),
      let type = entries.first(where: { $0.tag == Tag.subfileType }),
      tiff.integer(type, of: prefix).map({ $0 & 1 == 1 }) ?? false,
      let make = entries.first(where: { $0.tag == Tag.make }),
      let maker = tiff.text(make, of: prefix)?.uppercased()
    else { return nil }
    return maker.hasPrefix("NIKON") ? .nef : maker.hasPrefix("SONY") ? .arw : nil
  }
}
