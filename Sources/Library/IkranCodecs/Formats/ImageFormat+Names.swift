extension ImageFormat {
  /// The name people write.
  var title: String {
    switch self {
    case .jpeg: "JPEG"
    case .png: "PNG"
    case .webp: "WebP"
    case .gif: "GIF"
    case .avif: "AVIF"
    case .heic: "HEIC"
    case .heif: "HEIF"
    case .jpegXL: "JPEG XL"
    case .jpeg2000: "JPEG 2000"
    case .bmp: "BMP"
    case .ico: "ICO"
    case .cur: "CUR"
    case .tiff: "TIFF"
    case .qoi: "QOI"
    case .pnm: "PNM"
    case .psd: "Photoshop"
    case .svg: "SVG"
    case .pdf: "PDF"
    case .eps: "EPS"
    case .cr2: "Canon CR2"
    case .nef: "Nikon NEF"
    case .dng: "DNG"
    case .arw: "Sony ARW"
    case .raf: "Fujifilm RAF"
    case .mp4: "MP4"
    case .mov: "QuickTime"
    case .m4v: "M4V"
    case .webm: "WebM"
    case .mkv: "Matroska"
    default: rawValue
    }
  }

  /// What a file of it is, for a sentence: `an AVIF image`, `a Sony ARW raw image`.
  var phrase: String {
    switch self {
    case .ico: "an icon file"
    case .cur: "a cursor file"
    case .psd, .pdf: "a \(title) document"
    case .eps: "an EPS document"
    case .avif, .heic, .heif, .svg: "an \(title) image"
    case .cr2, .nef, .dng, .arw, .raf: "a \(title) raw image"
    case .m4v: "an M4V video"
    case .mp4: "an MP4 video"
    case .mov, .webm, .mkv: "a \(title) video"
    default: "a \(title) image"
    }
  }
}
