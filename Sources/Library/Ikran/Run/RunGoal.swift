/// What a request is to bring: what differs on its way between an image, a file, and a validation.
protocol RunGoal {
  /// What is drawn of a source, and how; nothing for bytes.
  associatedtype RenderTarget
  /// What a source's load finds.
  associatedtype Found: FoundContent
  associatedtype Outcome

  var pipeline: ImagePipeline { get }
  var subscription: Subscription { get }
  /// Whether a response of each origin is all that is wanted.
  var isValidation: Bool { get }
  /// The step after a validation without a stored result.
  var stepAfterUnchanged: RunStep<Outcome> { get }

  func renderTarget(of source: SourceRequest) throws(ImageError) -> RenderTarget
  /// What memory, a table or the styled files of the disk have, made from the current bytes.
  ///
  /// Reading the disk may tell more of the source: then the visit is another one.
  func stored(_ renderTarget: RenderTarget, at visit: inout SourceVisit) async throws(ImageError)
    -> Found?
  /// Asks the source's load for something newer than what is stored.
  func load(
    _ renderTarget: RenderTarget,
    insteadOf stored: Found?,
    as want: SourceLoad.Want,
    from source: SourceRequest,
    known: SourceLoad.KnownSource?
  ) async -> SourceResult<Found>
  func outcome(of found: Found) -> Outcome
}

extension RunGoal {
  var stepAfterUnchanged: RunStep<Outcome> { .lookUpAgain }
}

/// What follows a visit.
enum RunStep<Outcome> {
  case end(Outcome)
  /// The next visit is to the target of a redirect.
  case follow(ImageRequest)
  /// The next visit is to the same source: more is known of it.
  case lookUpAgain
}

/// What was found, and where.
protocol FoundContent: Sendable {
  var source: ImageSource { get }
  /// The bytes that it was made from; nil for an image that no origin can confirm, as one that a
  /// program has stored itself.
  var madeFrom: BodyID? { get }
}

extension LoadedImage: FoundContent {
  var madeFrom: BodyID? { cached.body }
}

extension Body: FoundContent {
  var madeFrom: BodyID? { id }
}

/// A styled image.
struct ImageGoal: RunGoal {
  let pipeline: ImagePipeline
  let subscription: Subscription

  var isValidation: Bool { false }

  func renderTarget(of source: SourceRequest) throws(ImageError) -> SourceLoad.RenderTarget {
    try pipeline.renderTarget(of: source)
  }

  func stored(
    _ renderTarget: SourceLoad.RenderTarget,
    at visit: inout SourceVisit
  ) async throws(ImageError) -> LoadedImage? {
    if let image = pipeline.storedImage(at: visit) { return image }
    guard pipeline.hasStyledFiles(for: visit.request) else { return nil }
    let image = try await pipeline.processedImage(
      at: visit,
      for: renderTarget.key,
      subscription: subscription
    )
    visit = pipeline.lookUp(visit.request)
    // While it was read and decoded, other bytes may have become current.
    return image?.cached.body == visit.record?.body ? image : nil
  }

  func load(
    _ renderTarget: SourceLoad.RenderTarget,
    insteadOf stored: LoadedImage?,
    as want: SourceLoad.Want,
    from source: SourceRequest,
    known: SourceLoad.KnownSource?
  ) async -> SourceResult<LoadedImage> {
    let image = SourceLoad.WantedImage(
      target: renderTarget,
      stopsEarly: source.request.stopsEarly && !want.isForDisk,
      needsWholeFile: source.request.needsWholeFile,
      callerBodyID: stored?.madeFrom
    )
    return await pipeline.loader.image(image, as: want, from: source, known: known, subscription)
  }

  func outcome(of found: LoadedImage) -> LoadedImage { found }
}

/// Bytes: nothing is drawn, and no image that is stored will do.
protocol BytesGoal: RunGoal where RenderTarget == Void, Found == Body {
  var content: SourceLoad.Want.Content { get }
}

extension BytesGoal {
  func renderTarget(of source: SourceRequest) {}

  func stored(_ renderTarget: Void, at visit: inout SourceVisit) -> Body? { nil }

  func load(
    _ renderTarget: Void,
    insteadOf stored: Body?,
    as want: SourceLoad.Want,
    from source: SourceRequest,
    known: SourceLoad.KnownSource?
  ) async -> SourceResult<Body> {
    var want = want
    want.content = content
    return await pipeline.loader.body(as: want, from: source, known: known, subscription)
  }
}

/// A file.
struct FileGoal: BytesGoal {
  let pipeline: ImagePipeline
  let subscription: Subscription
  /// The pixels for which its beginning is enough; nil needs the whole.
  var needed: NeededPixels?

  var isValidation: Bool { false }
  var content: SourceLoad.Want.Content { .file(needed) }

  func outcome(of found: Body) -> Body { found }
}

/// That what is known is valid, or has been replaced.
struct ValidationGoal: BytesGoal {
  let pipeline: ImagePipeline
  let subscription: Subscription

  var isValidation: Bool { true }
  var content: SourceLoad.Want.Content { .validation }
  var stepAfterUnchanged: RunStep<Void> { .end(()) }

  func outcome(of found: Body) {}
}
