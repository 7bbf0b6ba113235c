import IkranPixels

/// What of a file's metadata is written with its pixels.
public enum MetadataRetention: String, Sendable, Hashable, CaseIterable {
  /// Nothing.
  case none
  /// Who made the picture and who has the rights: EXIF's Artist and Copyright, XMP's `dc:creator`
  /// and `dc:rights`.
  case copyright
  /// Everything but what no longer holds: see ``ImageMetadata/retaining(_:)``.
  case keep
}

extension ImageMetadata {
  /// The metadata to write with pixels that are upright and may have another size.
  ///
  /// With ``MetadataRetention/keep`` a new EXIF block is written. It has every entry of its
  /// first directory and of those for the camera and the place, except:
  /// - the orientation, which becomes 1; in XMP, too
  /// - thumbnails, in EXIF and XMP
  /// - the size, the layout and the colour space of the pixels
  /// - the maker's own notes, whose offsets hold only in the old block, and which have thumbnails
  ///
  /// Places stay: use ``MetadataRetention/copyright`` or ``MetadataRetention/none`` for pictures
  /// that are published. Profiles are left out: pixels are converted.
  ///
  /// Cost: copies what is kept; never more than the blocks have.
  public func retaining(_ retention: MetadataRetention) -> ImageMetadata {
    switch retention {
    case .none: return ImageMetadata()
    case .copyright:
      let rights = xmpFacts.flatMap { XMPWriter.rights($0) }
      return ImageMetadata(exif: exif.flatMap { ExifWriter.rights($0.span) }, xmp: rights)
    case .keep:
      let kept = exif.flatMap { ExifWriter.kept($0.span) }
      return ImageMetadata(exif: kept, xmp: xmp.flatMap { XMPWriter.kept($0) })
    }
  }
}
