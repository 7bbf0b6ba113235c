public import IkranCodecs
public import IkranPixels
public import IkranPlayback
public import IkranTransport

/// A finished image and where it came from.
public struct ImageResponse: Sendable {
  /// The styled image.
  public let image: Bitmap
  /// The stage that had it.
  public let source: ImageSource
  /// The frames of the file it was made from: 1 for a still, and for an animation as many as its
  /// header tells.
  public let frames: Int
  /// The bytes of the encoded file it was made from: of a styled file where the disk had one, and
  /// of a preview those that have arrived; 0 when a table or an avatar's storage had the image,
  /// which know only its pixels.
  public let encodedBytes: Int
  /// What was wrong with the file that it was made from, which was decoded all the same.
  ///
  /// Memory keeps it with the image; empty when a table, a styled file or an avatar's storage had
  /// the image.
  public let notes: [DecodeNote]
  /// All frames of an animated file, each in the request's style as far as
  /// ``RequestDecoding/stylesAnimations`` says; nil for a still, and when the request or
  /// ``DecodingOptions/animates`` wants none.
  ///
  /// ``image`` is its first frame. Responses with the same source, style and scale share their
  /// frames while memory has the image.
  public let animation: Animation?
  /// Names the styled image: 32 hexadecimal digits, equal across runs and machines; its id in an
  /// image table.
  public var key: String { "\(name.id)" }
  /// The format of the file it was made from; nil when a table, a styled file or an avatar's
  /// storage had the image, which know only its pixels.
  ///
  /// Memory keeps it with the image, and ``orientation``, ``sourceSize`` and ``isThumbnail``, which
  /// are nil in the same cases.
  public var format: ImageFormat? { file?.format }
  /// How the pixels of the file are turned; ``image`` is upright.
  public var orientation: Orientation? { file?.orientation }
  /// The width and height of the file's picture in pixels, upright.
  public var sourceSize: PixelSize? { file?.size }
  /// Whether ``image`` was reduced: it shows the picture, or a part of it, in fewer pixels than the
  /// file has for that.
  public var isThumbnail: Bool? { file?.isReduced }
  /// Whether filters of the style or of the request were applied.
  public let isFiltered: Bool
  /// The status and the header fields of the origin's response, when the file was downloaded for
  /// this request or the origin confirmed it with a 304; nil when it was not asked, and for local
  /// files and data.
  ///
  /// Requests that share a transfer share its response. Fields with secrets are left out, see
  /// ``/IkranTransport/ResponseHead``.
  public let origin: ResponseHead?
  /// Where the time went.
  public let metrics: RequestMetrics

  /// A ThumbHash of ``image``, to be kept with its URL: a ``Placeholder`` for the next time.
  ///
  /// Cost: that of ``Bitmap/thumbHash(workspace:)``, each time; nil when memory runs out.
  public var thumbHash: [UInt8]? { try? image.thumbHash() }

  let file: DecodedFile?
  let name: Name

  /// The name of the image: text is made of it when it is needed.
  enum Name: Sendable {
    case styled(StyledKey)
    case other(TableID)

    var id: TableID {
      switch self {
      case .styled(let key): key.id
      case .other(let id): id
      }
    }
  }
}

/// The stage that had a request's image.
@nonexhaustive
public enum ImageSource: String, Sendable, Hashable, CaseIterable {
  /// The memory cache.
  case memory
  /// An image table.
  case table
  /// The avatar's own storage.
  case avatar
  /// The disk cache.
  case disk
  /// A download.
  case network
  /// A local file.
  case file
  /// Bytes that came with the request.
  case data
  /// The program's own hook.
  case hook
}

/// What happens to one request, in order; the last is one of the three endings.
@nonexhaustive
public enum ImageEvent: Sendable {
  /// What a cache holds, for a request that refreshes it; the origin is being asked.
  case cached(ImageResponse)
  /// Bytes have arrived.
  case progress(TransferProgress)
  /// What can be shown of a file that is still arriving.
  ///
  /// For an animated file it is the first frame, once for each request: its
  /// ``ImageResponse/animation`` plays what is there, and goes on to be the finished one's. For a
  /// progressive JPEG that takes longer than 100 ms it is the picture after each of its scans that
  /// changes it, ten times a second at most. An interlaced PNG or GIF shows its passes as far as
  /// they are there, whenever its bytes have doubled; an interlaced PNG of more than 16 megapixels
  /// and an animated one do not. Another JPEG, PNG or still WebP shows its rows as far as they are
  /// there, whenever its bytes have grown by half; below them the picture is clear.
  ///
  /// The bytes are not checked yet: they may turn out to be damaged, and then the load fails. A
  /// reader that falls behind may miss it.
  case preview(ImageResponse)
  /// The image is ready.
  case finished(ImageResponse)
  /// The image that ``cached(_:)`` brought still holds.
  case unchanged
  /// There will be no image.
  case failed(ImageError)
}

extension ImageSource {
  /// The source of a URL's bytes, as its scheme says.
  init(scheme url: String) {
    let scheme = url.utf8.prefix { $0 != UInt8(ascii: ":") }
    switch scheme.count {
    case 4 where Substring(scheme).lowercased() == "file": self = .file
    case 4 where Substring(scheme).lowercased() == "data": self = .data
    default: self = .network
    }
  }
}
