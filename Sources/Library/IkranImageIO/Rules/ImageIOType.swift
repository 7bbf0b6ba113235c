package import IkranCodecs

/// A uniform type identifier of ImageIO, such as `public.heic`.
package struct ImageIOType: Sendable, Hashable {
  package let identifier: String

  package init(_ identifier: String) { self.identifier = identifier }

  /// The format whose files have this type; a type that Ikran does not know has a format of the
  /// identifier's name.
  package var format: ImageFormat {
    Self.formats[identifier] ?? ImageFormat(rawValue: identifier)
  }

  /// The type of an encoder's files; nil for a format without one.
  package init?(encoding format: ImageFormat) {
    switch format {
    case .heic: self.init("public.heic")
    case .jpeg: self.init("public.jpeg")
    default: return nil
    }
  }

  /// The types whose files are not pictures, which other code of Ikran leaves to programs.
  package var isDocument: Bool { identifier == "com.adobe.pdf" }

  /// The types of all codecs: each format once, in the order of ImageIO's list.
  ///
  /// - Parameter identifiers: What `CGImageSourceCopyTypeIdentifiers` lists.
  /// - Returns: Types without documents; of two with one format, the first.
  package static func codecs(of identifiers: [String]) -> [ImageIOType] {
    var seen: Set<ImageFormat> = []
    return identifiers.map(ImageIOType.init).filter { type in
      !type.isDocument && seen.insert(type.format).inserted
    }
  }

  private static let formats: [String: ImageFormat] = [
    "public.jpeg": .jpeg,
    "public.png": .png,
    "org.webmproject.webp": .webp,
    "com.compuserve.gif": .gif,
    "public.avif": .avif,
    "public.heic": .heic,
    "public.heif": .heif,
    "public.jpeg-xl": .jpegXL,
    "public.jpeg-2000": .jpeg2000,
    "public.tiff": .tiff,
    "com.microsoft.bmp": .bmp,
    "com.microsoft.ico": .ico,
    "com.microsoft.cur": .cur,
    "public.pbm": .pnm,
    "com.adobe.photoshop-image": .psd,
    "com.canon.cr2-raw-image": .cr2,
    "com.nikon.raw-image": .nef,
    "com.adobe.raw-image": .dng,
    "com.sony.arw-raw-image": .arw,
    "com.fuji.raw-image": .raf,
  ]
}
