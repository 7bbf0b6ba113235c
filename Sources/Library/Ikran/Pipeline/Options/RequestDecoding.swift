public import IkranCodecs

/// How the file of one request is decoded, where that differs from the pipeline's
/// ``DecodingOptions``; nil is as there.
///
/// ```swift
/// request.decoding.animates = false
/// request.decoding.page = 1
/// ```
/// Requests for one source that differ in it share the download. Their images are apart in every
/// cache.
public struct RequestDecoding: Sendable, Hashable {
  /// Bounds checked on the file's header, before memory is taken.
  ///
  /// A download is bounded by the pipeline's ``DecodeLimits/maximumBytes``.
  public var limits: DecodeLimits?
  /// What becomes of the colours of a file that says what they mean.
  public var colors: ColorHandling?
  /// Whether a picture over the limit of pixels is scaled down to them instead of being refused.
  public var scalesDownOverLimit: Bool?
  /// Which picture of the file is shown, from 0: a page of TIFF, or a picture of a HEIC collection.
  public var page: Int?
  /// Whether the response may have an ``ImageResponse/animation``.
  ///
  /// With false the first picture of the file stands alone. Where the pipeline has none, true
  /// brings none.
  public var animates: Bool?
  /// Whether the frames of animations have the style's filters and edges; without, they and the
  /// response's picture have the size of the style alone.
  public var stylesAnimations = true

  /// Creates options that change nothing.
  public init() {}

  /// Whether the pipeline's rules hold.
  var isOfAnimationsAlone: Bool {
    limits == nil && colors == nil && scalesDownOverLimit == nil && page == nil
  }

  /// The pipeline's rules with these in their place.
  package func changing(_ rules: DecodeRules) -> DecodeRules {
    var rules = rules
    if let limits { rules.limits = limits }
    if let colors { rules.colors = colors }
    if let scalesDownOverLimit { rules.scalesDownOverLimit = scalesDownOverLimit }
    if let page { rules.page = page }
    return rules
  }

  /// Text that no other options have.
  var text: String {
    let numbers = limits.map {
      [
        $0.maximumPixels, $0.maximumDeclaredPixels, $0.maximumDimension, $0.maximumFrames,
        $0.maximumAnimationPixels, $0.maximumBytes,
      ]
    }
    let flags = [scalesDownOverLimit, animates, stylesAnimations].map { flag in
      flag.map { $0 ? "yes" : "no" } ?? "-"
    }
    return " \(numbers ?? []) \(colors?.rawValue ?? "-") \(page.map { "\($0)" } ?? "-") \(flags)"
  }
}

/// A request's own options, in one reference: keys with them are copied as fast as others.
final class OwnDecoding: Sendable, Hashable {
  let options: RequestDecoding

  /// Nil for options that change nothing.
  init?(_ options: RequestDecoding) {
    guard options != RequestDecoding() else { return nil }
    self.options = options
  }

  static func == (one: OwnDecoding, other: OwnDecoding) -> Bool {
    one === other || one.options == other.options
  }

  func hash(into hasher: inout Hasher) { hasher.combine(options) }
}
