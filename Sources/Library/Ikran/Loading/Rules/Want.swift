import IkranTransport

extension SourceLoad {
  /// How new a result has to be.
  enum Demand: Int, Sendable {
    /// Whatever the caches have; no transfer is started for it.
    case cached
    /// What the caches have while it is fresh, else what the origin has.
    case fresh
    /// What the origin says after it was asked: a 304 will do.
    case revalidated
    /// What a reload brings that was under way when it came, or began later.
    case reloaded

    /// What a cache policy demands.
    init(_ policy: CachePolicy) {
      switch policy {
      case .standard: self = .fresh
      case .reload: self = .reloaded
      case .refresh: self = .revalidated
      case .onlyCached: self = .cached
      }
    }
  }

  /// What one request wants of a source: the only place that says so while it waits.
  struct Want: Sendable {
    /// What it is to get.
    enum Content: Sendable {
      case image(WantedImage)
      /// The bytes of the whole file, or of a beginning with which some pixels can be made.
      case file(NeededPixels?)
      /// Word that what is known is valid; what has replaced it is stored.
      case validation
    }

    var demand: Demand
    var priority: ImagePriority
    var content = Content.file(nil)
    /// The caches that may have it; none for a reload.
    var reads: CacheStages
    /// The caches that are to keep what is made.
    let stores: CacheStages
    /// What of those the disk is to keep.
    var contents = DiskOptions.Contents.originals
    /// How long it uses what is known without asking.
    let expiry: ResponseOptions.Expiry
    /// The longest time that it waits for one transfer.
    let timeout: Duration
    /// Whether it is loaded for the sake of its file on the disk.
    var isForDisk = false

    /// Whether it uses what its caches have for ever: then they keep also what a response forbids.
    var neverRevalidates: Bool { expiry == .never }

    /// The image; nil for bytes and validations.
    var image: WantedImage? { if case .image(let image) = content { image } else { nil } }

    /// What is to be drawn; nil for bytes and validations.
    var renderTarget: RenderTarget? { image?.target }

    /// What of the file is enough; nil where only all of it is.
    var beginning: FileNeed? {
      switch content {
      case .image(let image): image.stopsEarly ? .pixels(image.target.fitting) : nil
      case .file(let needed): needed.map { .bytes($0) }
      case .validation: nil
      }
    }

    /// Whether it wants the file itself, or an image that is as the file is.
    var isOfOriginal: Bool {
      switch content {
      case .image(let image): image.target.key.style == .original
      case .file: true
      case .validation: false
      }
    }

    /// Whether bytes with this id are all that it wants to hear of, as it has what they show.
    func needsNoBody(_ id: BodyID) -> Bool {
      switch content {
      case .image(let image): image.callerBodyID == id
      case .file: false
      case .validation: true
      }
    }

    /// Whether it gets nothing of a body.
    var isValidation: Bool { if case .validation = content { true } else { false } }

    /// Wants all of the file from now on: its beginning was not enough after all.
    mutating func refuseBeginnings() {
      if case .file = content { content = .file(nil) }
      changeImage { $0.stopsEarly = false }
    }

    /// Changes what is wanted of its image; bytes and validations stay as they are.
    mutating func changeImage(_ change: (inout WantedImage) -> Void) {
      guard case .image(var image) = content else { return }
      change(&image)
      content = .image(image)
    }
  }

  /// A styled image that a request wants.
  struct WantedImage: Sendable {
    let target: RenderTarget
    /// Whether the beginning of the file will do, if it is enough for the target.
    var stopsEarly = false
    /// Whether a file that is cut off will not do.
    var needsWholeFile = false
    /// The id of the bytes that its caller's own image was made from.
    var callerBodyID: BodyID?
  }

  /// A styled image, and the pixels that it needs of the source.
  struct RenderTarget: Sendable, Hashable {
    let key: StyledKey
    let fitting: Fitting

    /// Whether it is the request's own rules that refuse a file, which is another one's image.
    func refuses(_ error: ImageError) -> Bool {
      guard let own = key.decoding?.options, case .decode(let cause, _, _) = error else {
        return false
      }
      return switch cause {
      case .overLimit: own.limits != nil || own.scalesDownOverLimit == false
      case .noPage: own.page != nil
      default: false
      }
    }
  }
}

/// A source, and what one request wants of it.
struct WantedSource: Sendable {
  let source: SourceRequest
  let want: SourceLoad.Want

  var request: ImageRequest { source.request }
}
