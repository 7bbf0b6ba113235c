public import IkranCodecs
public import IkranPixels
public import IkranPlayback
import IkranTransport

// The values that the stages of loading hand to each other.

/// A source's bytes and where they were found.
struct Body: Sendable {
  /// The transfer of a body that has just arrived over the network.
  struct Arrival: Sendable {
    let response: StoredResponse
    /// What it was transferred for.
    let origin: SourceRequest
    /// Whether the transfer asked for a 304.
    let wasConditional: Bool
    /// The transfer that brought it.
    let transfer: RunningTransfer
    /// The room that the body takes among those that wait for the decoder.
    let room: Backlog.Reservation?
  }

  let bytes: [UInt8]
  let source: ImageSource
  /// Nil until it is known.
  var id: BodyID?
  /// The key of the source that the bytes came from: after redirects, the last target's.
  let sourceKey: SourceKey
  var arrival: Arrival?
  /// Whether caches may keep what is made from it.
  var mayStore = true
  /// Describes the body when only the beginning of the file is there; nil when all of it is.
  ///
  /// Such a body goes the way of a whole one, but the disk has it among the partial bodies, never
  /// as the file.
  var prefix: BodyPrefix?

  /// Whether a cache had it.
  var isCopy: Bool {
    switch source {
    case .memory, .table, .avatar, .disk: true
    case .network, .file, .data: false
    }
  }

  /// The cache that had it.
  var stage: CacheStages { source == .disk ? .disk : .memory }

  /// Whether its bytes are enough for a request; the beginning of a file is only for those that say
  /// so.
  func isEnough(for want: SourceLoad.Want) -> Bool {
    guard let prefix else { return true }
    guard want.stopsEarly, let drawing = want.drawing else { return false }
    return prefix.isEnough(for: drawing.fitting)
  }
}

/// A redirect that an origin responded with.
///
/// It knows no request: each that waited for it applies it to itself.
struct Redirect: Sendable {
  /// The absolute URL that it leads to.
  let location: String
  /// The URL that redirected: a hook may have sent the transfer to another than the request's own.
  let sentURL: String
  /// The place of the transfer that brought it (``SourceRecord/change``): what has changed since
  /// that began is newer.
  let change: ChangeNumber
  let response: StoredResponse
}

/// The pixels that one or more styles need, before their edges are drawn.
struct DecodedImage: Sendable {
  let image: Bitmap
  /// What was wrong with the file all the same.
  let notes: [DecodeNote]
  let frames: Int
  /// All frames of an animated file; nil for a still, and when animations are not wanted.
  let animated: (any FrameSource)?
  /// The bytes of the file.
  let encodedBytes: Int
  /// Where the file came from.
  var source: ImageSource
  /// What its header says.
  let file: DecodedFile
  /// How long the decode took; zero when it was in memory.
  var time = Duration.zero

  /// Whether it shows a part of the file only: then no cache keeps it.
  var isCut: Bool { notes.contains(where: \.isOfCutFile) }

  /// The bytes of memory that it takes: the file's, too, when frames are made of it later.
  var byteCount: Int { image.heldBytes + (animated == nil ? 0 : encodedBytes) }

  /// This image with memory as its source; local files, data and what a storage had keep theirs.
  var recalled: DecodedImage {
    switch source {
    case .file, .data, .avatar: return self
    case .memory, .table, .disk, .network:
      var recalled = self
      recalled.source = .memory
      return recalled
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

extension Bitmap {
  /// The bytes of its pixels and of its profile.
  fileprivate var heldBytes: Int { byteCount + (profile?.bytes.count ?? 0) }
}

/// An image that was found or made, and where.
struct LoadedImage: Sendable {
  let cached: CachedImage
  let source: ImageSource
  /// The file it was made from, when it was made just now.
  let body: [UInt8]?
  /// The times of making it, when it was made just now.
  let times: RenderTimes?
  /// Names it, when it came from another URL than the request's own.
  var key: TableID?
  /// The response that brought the file, when it was made just now.
  var origin: ResponseHead?

  init(
    _ cached: CachedImage,
    from source: ImageSource,
    body: [UInt8]? = nil,
    times: RenderTimes? = nil
  ) {
    self.cached = cached
    self.source = source
    self.body = body
    self.times = times
  }

  private func name(_ key: StyledKey) -> ImageResponse.Name {
    guard cached.isScaledDown else { return self.key.map { .other($0) } ?? .styled(key) }
    let size = cached.image.size
    return .other(TableID("\(self.key ?? key.id)\u{0}\(size.width)x\(size.height)"))
  }

  /// The response to a request; `origin` is what the request's own source said, if it was asked.
  func response(
    _ key: StyledKey,
    _ metrics: RequestMetrics,
    origin: ResponseHead? = nil
  ) -> ImageResponse {
    ImageResponse(
      image: cached.image,
      source: source,
      frames: cached.frames,
      encodedBytes: cached.encodedBytes,
      notes: cached.notes,
      animation: cached.animation,
      isFiltered: !key.style.filters.isEmpty,
      origin: origin ?? self.origin,
      metrics: metrics,
      file: cached.file,
      name: name(key)
    )
  }
}

extension DecodeNote {
  /// Whether a part of the file is missing.
  var isOfCutFile: Bool {
    switch self {
    case .cut, .framesMissing(_, isCut: true): true
    default: false
    }
  }

  /// What is missing of an animation; nil when nothing is.
  init?(_ animation: AnimationInfo) {
    guard case .broken(let error) = animation.end else { return nil }
    let isCut = if case .truncated = error { true } else { false }
    self = .framesMissing(after: animation.frames.count, isCut: isCut)
  }
}
