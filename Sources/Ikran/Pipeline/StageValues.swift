public import IkranPixels

// What the stages of the straight line hand to each other.

/// A source's bytes and where they were found.
struct Body: Sendable {
  let bytes: [UInt8]
  let source: ImageSource
  /// The edition of the source that the bytes are.
  var edition = 0
  /// The key of the source that the bytes came from: after redirects, the last target's.
  let sourceKey: String
  /// Whether caches may keep what is made from it.
  var mayStore = true
  /// Whether the disk has it, or will have it soon.
  var isOnDisk = false
}

/// What came of looking for a source's bytes.
enum BodyOrRedirect: Sendable {
  case body(Body)
  /// The source redirects: the request for its target, and the redirect unless it is stored already.
  case redirected(ImageRequest, Redirect?)
}

/// A redirect that an origin has answered with.
struct Redirect: Sendable {
  /// What it answers.
  let request: ImageRequest
  /// The key of its source.
  let source: String
  let answer: StoredAnswer
  let mayStore: Bool
  /// The request for its target.
  let target: ImageRequest
}

/// The pixels that one or more styles need, before their edges are drawn.
struct DecodedImage: Sendable {
  let image: Bitmap
  let frames: Int
  let body: Body

  var byteCount: Int { image.byteCount + body.bytes.count }

  /// The same, as memory's answer: local files, data and what a storage had stay what they are.
  var recalled: DecodedImage {
    switch body.source {
    case .file, .data, .avatar: self
    case .memory, .table, .disk, .network:
      DecodedImage(
        image: image,
        frames: frames,
        body: Body(
          bytes: body.bytes,
          source: .memory,
          edition: body.edition,
          sourceKey: body.sourceKey,
          mayStore: body.mayStore
        )
      )
    }
  }
}

/// A styled image as memory keeps it.
public struct CachedImage: Sendable {
  /// The styled image.
  public let image: Bitmap
  /// The frames of the file it was made from.
  public let frames: Int
  /// The bytes of that file; 0 when they are not known.
  public let encodedBytes: Int

  /// Makes one from its parts.
  public init(_ image: Bitmap, frames: Int = 1, encodedBytes: Int = 0) {
    self.image = image
    self.frames = frames
    self.encodedBytes = encodedBytes
  }

  init(_ image: Bitmap, of decoded: DecodedImage) {
    self.init(image, frames: decoded.frames, encodedBytes: decoded.body.bytes.count)
  }
}

/// What a flight brings to everyone who waits for it.
struct LoadedImage: Sendable {
  let cached: CachedImage
  let source: ImageSource
  /// The file it was made from, when it was made just now.
  let body: [UInt8]?

  init(_ cached: CachedImage, from source: ImageSource, body: [UInt8]? = nil) {
    self.cached = cached
    self.source = source
    self.body = body
  }

  func response(_ key: StyledKey) -> ImageResponse {
    ImageResponse(
      image: cached.image,
      source: source,
      frames: cached.frames,
      encodedBytes: cached.encodedBytes,
      key: "\(key.id)"
    )
  }
}
