extension ImageFormat {
  /// The media type that files of a format with a codec are sent with; nil for raw files, which
  /// have none of their own.
  package var mediaType: String? {
    switch self {
    case .svg: "image/svg+xml"
    case .ico, .cur: "image/vnd.microsoft.icon"
    case .pnm: "image/x-portable-anymap"
    case .cr2, .nef, .dng, .arw, .raf: nil
    default: "image/\(rawValue)"
    }
  }
}
