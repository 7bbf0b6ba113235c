import IkranCodecs
import IkranPixels

/// What a URL asks of a picture: everything but where the picture is.
///
/// Each option of the grammar sets one or several of these; `OptionReader` has the names.
struct ProcessingOptions: Sendable, Hashable {
  var resizing = Resizing()
  var framing = Framing()
  var effects = Effects()
  var output = Output()
  var delivery = Delivery()
  var limits = LimitOptions()
  var info = InfoOptions()
  var avatar = AvatarOptions()
}

/// What is said of a picture only where it is asked for.
struct InfoOptions: Sendable, Hashable {
  var hasThumbHash = false
}

/// How large the result is.
struct Resizing: Sendable, Hashable {
  /// How a picture of another aspect gets the wanted size.
  enum Kind: String, Sendable {
    case fit, fill, force, auto
    case fillDown = "fill-down"
  }

  var kind = Kind.fit
  /// In pixels before ``dpr`` and ``zoom``; 0 follows from the other side.
  var width = 0
  var height = 0
  var minimumWidth = 0
  var minimumHeight = 0
  var zoom = Zoom()
  /// Pixels of the screen for each of the page; it multiplies offsets and paddings, too.
  var dpr = 1.0
  var enlarges = false
}

/// Factors for both sides.
struct Zoom: Sendable, Hashable {
  var x = 1.0
  var y = 1.0
}

/// Which part of a larger picture is kept, or where a smaller one is put.
struct Gravity: Sendable, Hashable {
  enum Kind: String, Sendable {
    case center = "ce"
    case north = "no"
    case south = "so"
    case east = "ea"
    case west = "we"
    case northEast = "noea"
    case northWest = "nowe"
    case southEast = "soea"
    case southWest = "sowe"
    /// The part that attracts the eye.
    case smart = "sm"
    /// A point, in parts of the sides.
    case focusPoint = "fp"
  }

  var kind = Kind.center
  /// The offset from the named edge, or the focus point: see the grammar for what is a fraction.
  var x = 0.0
  var y = 0.0
}

/// What is used of the source, and what is put around.
struct Framing: Sendable, Hashable {
  /// The part of the source that is used at all; sides of 0 are the whole, below 1 a share.
  struct Crop: Sendable, Hashable {
    var width = 0.0
    var height = 0.0
    /// That of the result where it is nil.
    var gravity: Gravity?
  }

  /// A canvas around what is smaller.
  struct Extension: Sendable, Hashable {
    var isOn = false
    var gravity = Gravity()
  }

  /// The removal of a border of one colour.
  struct Trim: Sendable, Hashable {
    var threshold = 0.0
    /// The border's colour; nil is that of the top left pixel.
    var color: Color?
    var isEqualHorizontally = false
    var isEqualVertically = false
  }

  /// In pixels before ``Resizing/dpr``.
  struct Padding: Sendable, Hashable {
    var top = 0
    var right = 0
    var bottom = 0
    var left = 0
  }

  /// Whether a small picture in the file stands for it.
  var usesThumbnail = false
  var gravity = Gravity()
  var crop = Crop()
  var trim: Trim?
  var extends = Extension()
  /// To the aspect of the wanted size, not to the size.
  var extendsAspect = Extension()
  var padding = Padding()
}

/// What is done to the pixels.
struct Effects: Sendable, Hashable {
  /// A picture of the service's own that is put over each.
  struct Watermark: Sendable, Hashable {
    /// 0…1; 0 is no watermark.
    var opacity = 0.0
    /// Nil repeats it over the whole picture.
    var position: Gravity.Kind? = .center
    var x = 0.0
    var y = 0.0
    /// The share of the picture's sides that it fits in; 0 is its own size.
    var scale = 0.0
  }

  /// Whether the source is turned as its EXIF data say.
  var turnsUpright = true
  /// Clockwise, in quarter turns, 0…3.
  var quarterTurns = 0
  var flip = Flip()
  var background: Color?
  /// Standard deviations, in pixels of the result.
  var blur = 0.0
  var sharpen = 0.0
  /// The side of a block; 1 and less are none.
  var pixelate = 0
  var watermark = Watermark()

  struct Flip: Sendable, Hashable {
    var horizontally = false
    var vertically = false
  }
}

/// How the result is written.
struct Output: Sendable, Hashable {
  /// Nil leaves it to what the client accepts, and to the source.
  var format: ImageFormat?
  /// 1…100; 0 is that of ``formatQuality``, and then the service's.
  var quality = 0
  var formatQuality: [ImageFormat: Int] = [:]
  /// 0 is no limit.
  var maximumBytes = 0
  var stripsMetadata = true
  var keepsCopyright = true
  var stripsColorProfile = true
  var autoquality = Autoquality()
}

/// How a quality is looked for, in formats that have one; ``Output/quality`` then says nothing.
struct Autoquality: Sendable, Hashable {
  enum Method: String, Sendable {
    case none
    /// The highest quality whose file has no more than so many bytes.
    case size
    /// The lowest quality that makes the picture no more different, see
    /// `Bitmap.dissimilarity(to:)`.
    case dssim
  }

  var method = Method.none
  /// Bytes, or a dissimilarity.
  var target = 0.02
  /// How near to the target a dissimilarity ends the search.
  var allowedError = 0.001
  /// 1…100; 0 is the service's.
  var minimum = 0
  /// 1…100; 0 is the service's.
  var maximum = 0

  /// What the target has to be where it is not that.
  var expectedTarget: String? {
    switch method {
    case .none: nil
    case .size: target >= 1 ? nil : "a number of bytes, 1 or more"
    case .dssim: target <= 1 ? nil : "a number of 0.0 to 1.0"
    }
  }
}

/// How the response looks, but for its body.
struct Delivery: Sendable, Hashable {
  /// The source's bytes as they are, without a look at them.
  var isRaw = false
  /// Seconds since 1970; nil is for ever.
  var expires: Int64?
  /// Without an ending.
  var filename: String?
  var isAttachment = false
  /// Formats whose sources are sent as they are.
  var skippedFormats: Set<ImageFormat> = []
  /// Whether the source's origin is asked although what is kept of it is fresh.
  var asksOrigin = false
}

/// Limits that a URL may change where the service allows it; nil is the service's.
struct LimitOptions: Sendable, Hashable {
  /// In pixels.
  var sourcePixels: Int?
  var sourceBytes: Int?
  var animationFrames: Int?
  var animationFramePixels: Int?
  /// The longest side; 0 is none.
  var resultSide: Int?
}
