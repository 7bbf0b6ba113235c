#if TIFF
/// Metadata in the first directory of a TIFF file: its XMP packet and its ICC profile.
///
/// EXIF is no block there: the file itself is one, and its directories point to what is anywhere.
enum TIFFMetadata {
  static func read(_ file: Span<UInt8>) -> ImageMetadata {
    var metadata = ImageMetadata()
    guard let structure = try? TIFFStructure(file), let entries = try? structure.entries(file)
    else { return metadata }
    for entry in entries
    where entry.range.upperBound <= file.count && entry.range.count <= ImageMetadata.largestBlock {
      switch entry.tag {
      case 700 where metadata.xmp == nil: metadata.xmp = file.bytes(entry.range)
      case 34_675 where metadata.iccProfile == nil: metadata.iccProfile = file.bytes(entry.range)
      default: break
      }
    }
    return metadata
  }
}
#endif
