import IkranCodecs

/// Which format a result has.
struct FormatRules: Sendable {
  let settings: FormatSettings
  let wanted: ProcessingOptions
  let wishes: ClientWishes

  /// Whether a source is sent as it is.
  func isSkipped(_ format: ImageFormat) -> Bool {
    // An SVG file may have scripts.
    format != .svg && wanted.delivery.skippedFormats.contains(format)
      && (wanted.output.format == nil || wanted.output.format == format)
  }

  /// The format for a source.
  ///
  /// - Throws: ``ServiceError/format(reason:)`` where results are not written in it.
  func format(for info: ImageInfo, isAnimated: Bool) throws(ServiceError) -> ImageFormat {
    let chosen = choice(for: info, isAnimated: isAnimated)
    guard ResultEncoder.writes(chosen) else {
      throw .format(reason: "results are not written as \(chosen.rawValue)")
    }
    return chosen
  }

  private func choice(for info: ImageInfo, isAnimated: Bool) -> ImageFormat {
    func canHold(_ format: ImageFormat) -> Bool {
      !(isAnimated && format == .avif) && ResultEncoder.writes(format)
    }
    if let format = wishes.enforced.first(where: canHold) { return format }
    if let format = wanted.output.format { return format }
    if let format = wishes.preferred.first(where: canHold) { return format }
    if settings.preferred.contains(info.format), ResultEncoder.writes(info.format) {
      return info.format
    }
    let framing = wanted.framing
    let isPadded =
      framing.padding != Framing.Padding() || framing.extends.isOn || framing.extendsAspect.isOn
    let needsAlpha = wanted.effects.background == nil && (info.hasAlpha || isPadded)
    let suitable = settings.preferred.first {
      (!isAnimated || $0.storesAnimations) && (!needsAlpha || $0.keepsAlpha)
    }
    return suitable ?? settings.preferred.first ?? .jpeg
  }
}

extension QualitySettings {
  /// Those of the service.
  init(_ settings: FormatSettings) {
    quality = settings.quality
    formatQuality = settings.formatQuality
    avifSpeed = settings.encoders.avifSpeed
    jpegXLEffort = settings.encoders.jpegXLEffort
    autoquality = settings.encoders.autoquality
  }
}

extension ImageFormat {
  /// Whether results in it may have several frames.
  var storesAnimations: Bool { [.gif, .webp, .png, .jpegXL].contains(self) }

  /// The media type of results.
  var contentType: String {
    switch self {
    case .svg: "image/svg+xml"
    case .ico: "image/x-icon"
    case .heic, .heif: "image/heif"
    case .jpegXL: "image/jxl"
    default: "image/\(rawValue)"
    }
  }

  /// The ending of results' names.
  var fileEnding: String {
    switch self {
    case .jpeg: "jpg"
    case .jpegXL: "jxl"
    default: rawValue
    }
  }
}
