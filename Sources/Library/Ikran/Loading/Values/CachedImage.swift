public import IkranCodecs
public import IkranPixels
public import IkranPlayback

/// A styled image as memory keeps it.
public struct CachedImage: Sendable {
  /// The styled image.
  public let image: Bitmap
  /// The frames of the file it was made from.
  public let frames: Int
  /// The bytes of that file; 0 when they are not known.
  public let encodedBytes: Int
  /// What was wrong with that file all the same; empty when that is not known.
  public internal(set) var notes: [DecodeNote] = []
  /// What is known of that file; nil for an image that was stored without one.
  var file: DecodedFile?
  /// All frames of that file in the image's style; nil for a still.
  public let animation: Animation?

  /// Whether it shows a part of that file only: then no cache keeps it.
  var isCut: Bool { notes.contains(where: \.isOfCutFile) }

  /// Whether it has fewer pixels than its style asks for.
  var isScaledDown: Bool {
    notes.contains { if case .scaledDown = $0 { true } else { false } }
  }

  /// The id of the bytes that it was made from; nil for one that did not come from its source,
  /// which then says nothing of it.
  let body: BodyID?

  /// Makes one from its parts.
  public init(_ image: Bitmap, frames: Int = 1, encodedBytes: Int = 0) {
    self.init(image, frames: frames, encodedBytes: encodedBytes, body: nil)
  }

  init(
    _ image: Bitmap,
    frames: Int = 1,
    encodedBytes: Int = 0,
    animation: Animation? = nil,
    body: BodyID?
  ) {
    self.image = image
    self.frames = frames
    self.encodedBytes = encodedBytes
    self.animation = animation
    self.body = body
  }

  /// The bytes of memory that it takes: the file's, too, when frames are made of it later.
  ///
  /// Frames count against the budget of their ``/IkranPlayback/AnimationStore``.
  public var byteCount: Int { image.heldBytes + (animation == nil ? 0 : encodedBytes) }
}

extension CachedImage {
  init(_ image: Bitmap, of decoded: DecodedImage, _ animation: Animation?, body: BodyID?) {
    self.init(
      image,
      frames: decoded.frames,
      encodedBytes: decoded.encodedBytes,
      animation: animation,
      body: body
    )
    (notes, file) = (decoded.notes, decoded.file)
  }
}

extension CachedImage: WeaklyHeld {
  /// The image as a closure that does not hold it.
  package func weakened() -> @Sendable () -> CachedImage? {
    let (weakImage, frames, encodedBytes, body) = (image.weakened(), frames, encodedBytes, body)
    let (notes, file, weakAnimation) = (notes, file, animation?.weakened())
    return {
      guard let image = weakImage() else { return nil }
      let animation = weakAnimation?()
      // The image is of no use without its animation.
      if weakAnimation != nil, animation == nil { return nil }
      var cached = CachedImage(
        image,
        frames: frames,
        encodedBytes: encodedBytes,
        animation: animation,
        body: body
      )
      (cached.notes, cached.file) = (notes, file)
      return cached
    }
  }
}
