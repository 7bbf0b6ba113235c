import IkranCodecs
import IkranPixels
import IkranStores

/// Everything that is done with a body once it is there, on one of the decode pool's threads, in
/// the order in which it happens: it is named by its content, the images that are wanted are found
/// or made and put into memory, it becomes the current one of its source, and what is to be written
/// is queued.
struct Rendering {
  /// A body that has just arrived, once it is known to be an image.
  struct Identified {
    let response: StoredResponse
    let frames: Int
    /// Whether the caches had the same bytes.
    let isSame: Bool
    /// Whether the caches had other bytes.
    let hasOlder: Bool
  }

  /// What came of the images that are wanted.
  private struct Drawn {
    var images: [SourceLoad.RenderTarget: Result<LoadedImage, ImageError>] = [:]
    var made: [RenderedImage] = []
    /// Why one of them could not be decoded.
    var failure: ImageError?
    /// Whether no caller waits for the rest.
    var isAbandoned = false
  }

  /// An image that is ready.
  struct RenderedImage {
    let renderTarget: SourceLoad.RenderTarget
    let loaded: LoadedImage
    /// Whether it was made just now.
    let isNew: Bool
  }

  let context: PipelineContext
  let batch: SourceLoad.BatchNumber
  let members: [WantedSource]
  let workspace: Workspace
  private(set) var body: Body
  /// The id of the body's bytes; of those that have just arrived, once they are named.
  private(set) var id: BodyID
  /// Nil for a body that a cache had, or that came along.
  private(set) var identified: Identified?
  private var decodes: [DecodeKey: DecodedImage] = [:]

  var source: SourceKey { body.sourceKey }

  init(
    of body: Body,
    batch: SourceLoad.BatchNumber,
    members: [WantedSource],
    context: PipelineContext,
    workspace: Workspace
  ) {
    (self.body, self.batch, self.members) = (body, batch, members)
    (self.context, self.workspace) = (context, workspace)
    id = body.id ?? body.sourceKey.id
  }

  /// Does it all; the event that ends the batch.
  mutating func run() -> SourceLoad.Event {
    do throws(ImageError) {
      if let arrived = body.arrival { try identify(arrived) } else { keepInMemory() }
    } catch {
      if !error.isAbandonedDecode { context.noteFailure(error, of: body) }
      return .undecodable(batch: batch, error)
    }
    let drawn = drawAll()
    let (made, failure) = (drawn.made, drawn.failure)
    // Whether it is an image is known by its header alone: that is not worth an older one.
    if drawn.isAbandoned, made.isEmpty, identified?.hasOlder == true {
      return .undecodable(batch: batch, .cancelled)
    }
    // The beginning of a file was not enough after all: the rest follows.
    if let failure, body.prefix != nil { return .undecodable(batch: batch, failure) }
    if let failure, made.isEmpty {
      if identified?.hasOlder == true { context.noteFailure(failure, of: body) }
      // New bytes are not cached yet. Cached entries are another version and stay usable.
      if identified?.isSame ?? true { context.forget(body, named: id, failure) }
      return .undecodable(batch: batch, failure)
    }
    keepBody(with: made)
    let results = RenderJob.Results(file: body, images: drawn.images)
    return .rendered(batch: batch, known, results)
  }

  /// Finds or makes the images that the members want, until no caller wants any.
  private mutating func drawAll() -> Drawn {
    var drawn = Drawn()
    for renderTarget in wantedTargets {
      do throws(ImageError) {
        // Where there is an older image, it has to be known whether this is one.
        if workspace.cancellation?.isCancelled == true, identified?.hasOlder != true {
          throw .cancelled
        }
        let image = try image(of: renderTarget)
        drawn.images[renderTarget] = .success(image.loaded)
        drawn.made.append(image)
      } catch {
        // No caller wants it; the file is kept.
        drawn.isAbandoned = error.isAbandonedDecode
        if drawn.isAbandoned { break }
        if case .decode = error, !renderTarget.refuses(error) { drawn.failure = error }
        drawn.images[renderTarget] = .failure(error)
      }
    }
    return drawn
  }

  /// What is to be drawn: for all but those whose callers have an image of the same bytes.
  private var wantedTargets: Set<SourceLoad.RenderTarget> {
    let images = members.compactMap(\.want.image).filter { $0.callerBodyID != id }
    return Set(images.map(\.target))
  }

  private var known: SourceLoad.KnownSource {
    let validators = identified.flatMap { $0.response.hasConditions ? $0.response : nil }
    var body = body
    // Those who come now find it arrived.
    body.arrival = nil
    return SourceLoad.KnownSource(body, id: id, validators: validators, validity: .fresh)
  }

  // MARK: - The bytes

  /// Names a body that has just arrived by its content.
  ///
  /// - Throws: ``ImageError/decode(_:url:_:)`` for what is no image.
  private mutating func identify(_ arrived: Body.Arrival) throws(ImageError) {
    let frames: Int
    do throws(DecodeError) {
      let format = arrived.sentFor.request.format
      let cancellation = workspace.cancellation
      frames = try context.codecs.probe(body.bytes.span, as: format, until: cancellation).frames
    } catch {
      let context = ErrorContext(arrived.transfer.response)
      throw .decode(error, url: arrived.sentFor.displayName, context)
    }
    var response = arrived.response
    let known = context.record(of: arrived.sentFor)
    response.name(body, since: known)
    body.id = response.body
    id = body.id ?? source.id
    let isSame = known?.body == response.body
    if isSame, arrived.hadValidators { context.counters.count(.confirmed) }
    identified = Identified(
      response: response,
      frames: frames,
      isSame: isSame,
      hasOlder: known?.body != nil && !isSame
    )
  }

  /// Makes the body current and queues what is to be written; who is resumed then and waits for the
  /// writing must find it in the queue.
  private mutating func keepBody(with made: [RenderedImage]) {
    // Decision 71: what is cut off is shown and kept nowhere.
    guard !made.contains(where: \.loaded.cached.isCut) else {
      body.storing = .forbidden
      if body.source == .file { context.bodies.remove(source) }
      return
    }
    // Caches that were emptied since do not get it; other bytes that they have are out of date.
    let isLate = context.records.wereEmptied(since: body.since)
    if isLate { body.storing = .forbidden }
    if let identified, !(isLate && identified.isSame) { makeCurrent(identified) }
    persist(made)
  }

  /// Puts something into memory, unless memory was emptied since the body was there.
  private func keepInMemory(_ store: () -> Void, orRemove remove: () -> Void) {
    context.keep(since: body.since, store, orRemove: remove)
  }

  /// Makes a body that has just arrived, and is an image, the current one of its source, unless the
  /// source was changed after the transfer began.
  private mutating func makeCurrent(_ identified: Identified) {
    guard let change = body.arrival?.transfer.change else { return }
    guard requests.contains(where: { body.mayBeStored(for: $0.want) }) else {
      body.storing = .forbidden
      return context.invalidate(source, as: change)
    }
    var record = context.record(by: identified.response)
    record.change = change
    let isForLater = wantsFiles || identified.isSame
    if !context.records.set(record, of: source, forLaterProcesses: isForLater) {
      body.storing = .forbidden
    }
    keepInMemory()
  }

  /// The requests that the body was loaded for; the one that it was sent for may have left, and
  /// then counts only for what may be stored for all.
  var requests: [WantedSource] {
    guard case .allowed = body.storing, let arrival = body.arrival else { return members }
    return members + [WantedSource(source: arrival.sentFor, want: arrival.order.first.want)]
  }

  /// The caches that keep what is made for any of some requests.
  func stores(for requests: [WantedSource]) -> CacheStages {
    requests.reduce(into: []) { $0.formUnion(body.stores(for: $1.want)) }
  }

  /// Holds a file for the other styles that may want it soon.
  private func keepInMemory() {
    guard stores(for: requests).contains(.memory), let id = body.id else { return }
    // The beginning of a file does not replace more of the same.
    if body.prefix != nil, let known = context.bodies.value(for: source), known.id == id,
      known.prefix == nil || known.bytes.count >= body.bytes.count
    {
      return
    }
    switch body.source {
    case .network, .file, .disk:
      let recent = RecentBody(bytes: body.bytes, id: id, prefix: body.prefix)
      keepInMemory {
        context.bodies.store(recent, cost: body.bytes.count, for: source)
      } orRemove: {
        context.bodies.remove(source)
      }
    case .memory, .table, .avatar, .data, .hook: break
    }
  }

  // MARK: - The images

  /// Finds or makes one image.
  private mutating func image(of renderTarget: SourceLoad.RenderTarget) throws(ImageError)
    -> RenderedImage
  {
    let requests = members.filter { $0.want.renderTarget == renderTarget }
    if let ready = ready(renderTarget, for: requests) {
      return RenderedImage(renderTarget: renderTarget, loaded: ready, isNew: false)
    }
    let key = DecodeKey(
      source: source,
      body: id,
      fitting: renderTarget.fitting,
      decoding: renderTarget.key.decoding
    )
    let shared = decodes[key]
    let decoded = if let shared { shared } else { try decode(key, for: requests) }
    decodes[key] = decoded
    let loaded = try draw(renderTarget, of: decoded)
    // Before any caller is resumed, so that the next request finds it.
    if !loaded.cached.isCut, stores(for: requests).contains(.memory) {
      keepInMemory {
        context.images.store(loaded.cached, for: renderTarget.key)
      } orRemove: {
        context.images.remove(renderTarget.key)
      }
    }
    return RenderedImage(renderTarget: renderTarget, loaded: loaded, isNew: true)
  }

  /// The image of these bytes that memory or a table has.
  private func ready(
    _ renderTarget: SourceLoad.RenderTarget,
    for requests: [WantedSource]
  ) -> LoadedImage? {
    guard body.arrival?.hadValidators ?? true else { return nil }
    if requests.contains(where: { $0.want.reads.contains(.memory) }),
      let hit = context.images.value(for: renderTarget.key), hit.body == id
    {
      return LoadedImage(hit, from: .memory)
    }
    guard
      requests.contains(where: {
        $0.want.reads.contains(.tables) && context.mayBeInTables($0.request)
      }),
      let size = renderTarget.fitting.fixedSize,
      let image = context.tables?.image(for: renderTarget.key, size: size, version: id)
    else { return nil }
    return LoadedImage(CachedImage(image, body: id), from: .table)
  }

  private func draw(
    _ renderTarget: SourceLoad.RenderTarget,
    of decoded: DecodedImage
  ) throws(ImageError) -> LoadedImage {
    let clock = ContinuousClock()
    let start = clock.now
    let shown = decoded.animated.flatMap {
      body.arrival?.transfer.animations?.finish($0, renderTarget.key, of: body.bytes)
    }
    // What a storage had says nothing of what the URL has.
    let name = body.source == .avatar ? nil : id
    let cached = try context.styled(
      decoded,
      as: renderTarget.key,
      workspace: workspace,
      body: name,
      shown: shown
    )
    let time = renderTarget.key.style.hasFiltersOrEdges ? clock.now - start : .zero
    let times = RenderTimes(body.arrival?.transfer, decode: decoded.time, style: time)
    let file = body.prefix == nil ? body.bytes : nil
    var loaded = LoadedImage(cached, from: decoded.source, body: file, times: times)
    loaded.origin = body.arrival?.transfer.response
    return loaded
  }

  private func decode(
    _ key: DecodeKey,
    for requests: [WantedSource]
  ) throws(ImageError) -> DecodedImage {
    if body.arrival == nil, requests.contains(where: { $0.want.reads.contains(.memory) }),
      var recent = context.decodes.value(for: key)?.recalled
    {
      recent.time = .zero
      return recent
    }
    let clock = ContinuousClock()
    let start = clock.now
    var decoded = try context.decode(
      body,
      fitting: key.fitting,
      for: requests.first?.request,
      needsWholeFile: requests.contains { $0.want.image?.needsWholeFile == true },
      workspace: workspace
    )
    decoded.time = clock.now - start
    if !decoded.isCut, stores(for: requests).contains(.memory) {
      keepInMemory {
        context.decodes.store(decoded, cost: decoded.byteCount, for: key)
      } orRemove: {
        context.decodes.remove(key)
      }
    }
    return decoded
  }
}
