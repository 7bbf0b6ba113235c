public import IkranPixels

extension Bitmap {
  /// The pixels as the bytes of an image file with metadata.
  ///
  /// Cost: as ``encoded(as:)``, and a copy of the file where there is something to write.
  ///
  /// - Parameters:
  ///   - encoding: The format and its settings.
  ///   - metadata: The EXIF and XMP blocks of the file that the pixels come from; its profile is
  ///     not written.
  ///   - retention: What is written of them.
  /// - Returns: The file. GIF has no place for metadata.
  /// - Throws: ``EncodeError`` when the format cannot store the size or memory runs out.
  public func encoded(
    as encoding: ImageEncoding,
    metadata: ImageMetadata,
    retaining retention: MetadataRetention = .keep
  ) throws(EncodeError) -> [UInt8] {
    metadata.retaining(retention).embedded(in: try encoded(as: encoding))
  }
}

extension ImageMetadata {
  /// A JPEG, PNG or WebP file with these EXIF and XMP blocks as they are, added to what it has.
  ///
  /// A JPEG segment stores 65,527 bytes of EXIF and 65,502 of XMP: of a larger block it gets the
  /// creators and the rights alone.
  ///
  /// - Parameter file: A file without EXIF and XMP, as Ikran's encoders write it.
  /// - Returns: The file with them; unchanged when there is nothing to write, or in another format.
  package func embedded(in file: [UInt8]) -> [UInt8] {
    guard exif != nil || xmp != nil else { return file }
    return switch Sniffer.format(of: file.span) {
    case .jpeg: inJPEG(file)
    case .png: inPNG(file)
    case .webp: WebPMetadataWriter.embed(self, in: file) ?? file
    default: file
    }
  }

  private static let longestSegment = 65_533

  private func inJPEG(_ file: [UInt8]) -> [UInt8] {
    var segments: [UInt8] = []
    let room = Self.longestSegment
    let blocks = [
      (JPEGMetadata.exifName, fitting(exif, in: room - 6) { ExifWriter.rights($0.span) }),
      (JPEGMetadata.xmpName, fitting(xmp, in: room - 29) { XMPWriter.rights(XMPFacts($0)) }),
    ]
    for (name, block) in blocks {
      guard let block else { continue }
      let length = name.utf8.count + block.count + 2
      segments += [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + Array(name.utf8) + block
    }
    // EXIF comes first, or after a JFIF segment.
    let jfif = file.span.has([0xFF, 0xE0], at: 2) ? 2 + (file.span.bigEndian16(at: 4) ?? 0) : 0
    let start = min(2 + jfif, file.count)
    return file[..<start] + segments + file[start...]
  }

  /// A block that fits; of a larger one what `less` makes of it.
  private func fitting(
    _ block: [UInt8]?,
    in room: Int,
    _ less: ([UInt8]) -> [UInt8]?
  ) -> [UInt8]? {
    guard let block, block.count > room else { return block }
    return less(block).flatMap { $0.count <= room ? $0 : nil }
  }

  private func inPNG(_ file: [UInt8]) -> [UInt8] {
    // After the header, which has a fixed length.
    var result = Array(file[..<min(33, file.count)])
    if let exif { result.appendChunk("eXIf", exif) }
    if let xmp {
      // No compression, no language, no translated keyword.
      result.appendChunk("iTXt", Array(PNGMetadata.xmpKeyword.utf8) + [0, 0, 0, 0, 0] + xmp)
    }
    return result + file.dropFirst(33)
  }
}
