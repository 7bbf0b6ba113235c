import IkranCodecs
import IkranPixels
import IkranStores
import IkranTransport
import Synchronization

/// Everything that is done with a body once it is there, in one job on one of the decode pool's
/// threads: names it by its content, makes the images that are wanted, puts them into memory,
/// queues what is to be written, and resumes the callers.
final class RenderJob: Sendable {
  /// What a batch brings, by drawing.
  struct Results: Sendable {
    fileprivate var images: [SourceLoad.Drawing: Result<LoadedImage, ImageError>] = [:]

    /// What a member gets; the bytes, if it wants no image.
    func ending(
      of drawing: SourceLoad.Drawing?,
      _ held: BodyID?,
      _ found: SourceLoad.Found,
      despite error: ImageError?
    ) -> SourceLoader.Ending {
      if held == found.id { return .other(.unchanged(found.validity, despite: error)) }
      guard let drawing else {
        return found.body.map { .body($0, despite: error) } ?? .other(.notCached)
      }
      return images[drawing].map { .image($0, despite: error) } ?? .cancelled
    }
  }

  let source: SourceKey
  private let stages: LoadStages
  private let body: Body
  private let batch: Int
  private let members: [Member]
  /// The decode pool's number of the job.
  private let number: UInt64
  private let priority: Atomic<Int>
  private let isWithdrawn = Atomic(false)

  /// A request that the job works for.
  struct Member: Sendable {
    let request: ImageRequest
    let drawing: SourceLoad.Drawing?
    /// The id of the bytes that its caller's own image was made from.
    let held: BodyID?
  }

  init(
    _ stages: LoadStages,
    _ body: Body,
    _ batch: Int,
    _ members: [Member],
    _ priority: ImagePriority
  ) {
    (self.stages, self.source, self.body) = (stages, body.sourceKey, body)
    (self.batch, self.members) = (batch, members)
    number = stages.computing.nextJob()
    self.priority = Atomic(priority.rawValue)
  }

  /// Queues the job, which calls `finish` once at its end; never, if it is withdrawn before it
  /// starts.
  func submit(_ finish: @escaping @Sendable (SourceLoad.Event, Results?) -> Void) {
    stages.computing.submit(number, rank) { workspace in
      self.run(workspace, finish)
    } dropped: {
      self.end()
    }
    // It may have been withdrawn before it was queued.
    if isWithdrawn.load(ordering: .acquiring) { stages.computing.withdraw(number) }
  }

  /// Changes the job's priority, also before it is queued.
  func move(to priority: ImagePriority) {
    self.priority.store(priority.rawValue, ordering: .relaxed)
    stages.computing.move(number, to: rank)
  }

  /// Takes the job out of the queue, also before it is queued; one that has started goes on.
  func withdraw() {
    isWithdrawn.store(true, ordering: .releasing)
    stages.computing.withdraw(number)
  }

  /// Nothing more is done with the body.
  private func end() {
    body.arrival?.room?.release()
    body.arrival?.transfer.animations?.end(isWhole: true)
  }

  private func rank() -> ImagePriority {
    ImagePriority(rawValue: priority.load(ordering: .relaxed)) ?? .normal
  }

  private func run(
    _ workspace: Workspace,
    _ finish: (SourceLoad.Event, Results?) -> Void
  ) {
    defer { end() }
    var body = body
    let arrival: Arrival?
    do throws(ImageError) {
      arrival = try identify(&body)
    } catch {
      stages.noteFailure(error, of: body)
      return finish(.undecodable(batch: batch, error), nil)
    }
    let id = body.id ?? source.id
    var (results, made, failure) = (Results(), [Made](), ImageError?.none)
    var decodes: [Fitting: DecodedImage] = [:]
    for drawing in Set(members.filter { $0.held != id }.compactMap(\.drawing)) {
      do throws(ImageError) {
        let image = try image(drawing, body, id, &decodes, workspace)
        results.images[drawing] = .success(image.loaded)
        made.append(image)
      } catch {
        if case .decode = error { failure = error }
        results.images[drawing] = .failure(error)
      }
    }
    // The beginning of a file was not enough after all: the rest follows.
    if let failure, body.prefix != nil {
      return finish(.undecodable(batch: batch, failure), nil)
    }
    if let failure, made.isEmpty {
      if arrival?.hasOlder == true { stages.noteFailure(failure, of: body) }
      // New bytes are not cached yet. Cached entries are another version and stay usable.
      if arrival?.isSame ?? true { stages.forget(body, failure) }
      return finish(.undecodable(batch: batch, failure), nil)
    }
    if let arrival { makeCurrent(&body, arrival) }
    // Only queued here: who is resumed now and waits for the writing must find it in the queue.
    persist(body, id, arrival, made)
    finish(.rendered(batch: batch, found(body, id, arrival)), results)
  }

  private func found(_ body: Body, _ id: BodyID, _ arrival: Arrival?) -> SourceLoad.Found {
    let validators = arrival.flatMap { $0.response.conditions.isEmpty ? nil : $0.response }
    var body = body
    // Those who come now find it arrived.
    body.arrival = nil
    return SourceLoad.Found(body, id: id, validators: validators, validity: .fresh)
  }

  // MARK: - The bytes

  /// A body that has just arrived.
  private struct Arrival {
    let response: StoredResponse
    let frames: Int
    /// Whether the caches had the same bytes.
    let isSame: Bool
    /// Whether the caches had other bytes.
    let hasOlder: Bool
    /// Whether caches were emptied while it was on its way: then it is put into none.
    let isLate: Bool
  }

  /// Names a body that has just arrived by its content.
  ///
  /// - Throws: ``ImageError/decode(_:url:)`` for what is no image.
  private func identify(_ body: inout Body) throws(ImageError) -> Arrival? {
    guard let arrival = body.arrival else {
      keepInMemory(body)
      return nil
    }
    let frames: Int
    do throws(DecodeError) {
      frames = try stages.codecs.probe(body.bytes.span, as: arrival.request.format).frames
    } catch {
      let context = ErrorContext(arrival.transfer.response)
      throw .decode(error, url: arrival.request.displayName, context)
    }
    var response = arrival.response
    let known = stages.record(of: source, arrival.request)
    response.name(body, since: known)
    let id = response.body
    body.id = id
    let isSame = known?.body == id
    if isSame, arrival.wasConditional { stages.counters.record(.confirmed) }
    let isLate = body.mayStore && stages.records.wereEmptied(since: arrival.transfer.number)
    if isLate { body.mayStore = false }
    return Arrival(
      response: response,
      frames: frames,
      isSame: isSame,
      hasOlder: known?.body != nil && !isSame,
      isLate: isLate
    )
  }

  /// Makes a body that has just arrived, and is an image, the current one of its source, unless the
  /// source was changed after the transfer began.
  private func makeCurrent(_ body: inout Body, _ arrival: Arrival) {
    guard let number = body.arrival?.transfer.number, !arrival.isLate else { return }
    guard body.mayStore else { return stages.invalidate(source, number) }
    var record = stages.record(by: arrival.response)
    record.number = number
    let isForLater = !stores.isDisjoint(with: .files) || arrival.isSame
    body.mayStore = stages.records.set(record, of: source, forLaterProcesses: isForLater)
    keepInMemory(body)
  }

  /// The caches that any of the requests wants its images in.
  private var stores: CacheStages {
    let all = members.map(\.request) + (body.arrival.map { [$0.request] } ?? [])
    return all.reduce(into: []) { $0.formUnion($1.caching.stores) }
  }

  /// Holds a file for the other styles that may want it soon.
  private func keepInMemory(_ body: Body) {
    guard body.mayStore, stores.contains(.memory), let id = body.id else { return }
    // The beginning of a file does not replace more of the same.
    if body.prefix != nil, let known = stages.bodies.value(for: source), known.id == id,
      known.prefix == nil || known.bytes.count >= body.bytes.count
    {
      return
    }
    switch body.source {
    case .network, .file, .disk:
      let recent = RecentBody(bytes: body.bytes, id: id, prefix: body.prefix)
      stages.bodies.store(recent, cost: body.bytes.count, for: source)
    case .memory, .table, .avatar, .data: break
    }
  }

  // MARK: - The images

  /// An image that is ready.
  private struct Made {
    let drawing: SourceLoad.Drawing
    let loaded: LoadedImage
    /// Whether it was made just now.
    let isNew: Bool
  }

  /// Finds or makes one image.
  private func image(
    _ drawing: SourceLoad.Drawing,
    _ body: Body,
    _ id: BodyID,
    _ decodes: inout [Fitting: DecodedImage],
    _ workspace: Workspace
  ) throws(ImageError) -> Made {
    let requests = members.filter { $0.drawing == drawing }.map(\.request)
    let mayRead = body.arrival?.wasConditional ?? true
    if mayRead, requests.contains(where: { $0.caching.reads.contains(.memory) }),
      let hit = stages.images.value(for: drawing.key), hit.body == id
    {
      return Made(drawing: drawing, loaded: LoadedImage(hit, from: .memory), isNew: false)
    }
    if mayRead, requests.contains(where: { $0.caching.reads.contains(.tables) && $0.isDownload }),
      let size = drawing.fitting.fixedSize,
      let image = stages.imageInTable(drawing.key, size, id)
    {
      let cached = CachedImage(image, body: id)
      return Made(drawing: drawing, loaded: LoadedImage(cached, from: .table), isNew: false)
    }
    let shared = decodes[drawing.fitting]
    let decoded =
      if let shared { shared } else { try decode(drawing, body, id, requests, workspace) }
    decodes[drawing.fitting] = decoded
    let loaded = try draw(drawing, decoded, body, id, workspace)
    // Before any caller is resumed, so that the next request finds it.
    if body.mayStore, requests.contains(where: { $0.caching.stores.contains(.memory) }) {
      stages.images.store(loaded.cached, for: drawing.key)
    }
    return Made(drawing: drawing, loaded: loaded, isNew: true)
  }

  private func draw(
    _ drawing: SourceLoad.Drawing,
    _ decoded: DecodedImage,
    _ body: Body,
    _ id: BodyID,
    _ workspace: Workspace
  ) throws(ImageError) -> LoadedImage {
    let clock = ContinuousClock()
    let start = clock.now
    let shown = decoded.animated.flatMap {
      body.arrival?.transfer.animations?.finish($0, drawing.key, of: body.bytes)
    }
    let cached = try stages.styled(decoded, drawing.key, workspace, body: id, shown: shown)
    let time = drawing.key.style.needsFinish ? clock.now - start : .zero
    let times = RenderTimes(body.arrival?.transfer, decode: decoded.time, style: time)
    let file = body.prefix == nil ? body.bytes : nil
    var loaded = LoadedImage(cached, from: decoded.source, body: file, times: times)
    loaded.origin = body.arrival?.transfer.response
    return loaded
  }

  private func decode(
    _ drawing: SourceLoad.Drawing,
    _ body: Body,
    _ id: BodyID,
    _ requests: [ImageRequest],
    _ workspace: Workspace
  ) throws(ImageError) -> DecodedImage {
    let key = DecodeKey(source: source, body: id, fitting: drawing.fitting)
    if body.arrival == nil, requests.contains(where: { $0.caching.reads.contains(.memory) }),
      var recent = stages.decodes.value(for: key)?.recalled
    {
      recent.time = .zero
      return recent
    }
    let clock = ContinuousClock()
    let start = clock.now
    var decoded = try stages.decode(body, drawing.fitting, requests.first, workspace)
    decoded.time = clock.now - start
    if body.mayStore, requests.contains(where: { $0.caching.stores.contains(.memory) }) {
      stages.decodes.store(decoded, cost: decoded.byteCount, for: key)
    }
    return decoded
  }

  // MARK: - What later processes find

  private func persist(_ body: Body, _ id: BodyID, _ arrival: Arrival?, _ made: [Made]) {
    guard body.mayStore, body.source != .avatar else { return }
    let requests = members.map(\.request) + (body.arrival.map { [$0.request] } ?? [])
    if let arrival {
      stages.persistFile(body, id, arrival.response, requests, arrival.frames, arrival.isSame)
    } else if body.source == .memory || body.source == .network {
      stages.persistMissingFile(body, id, requests, made.map(\.loaded.cached.frames).max() ?? 1)
    }
    // What a cache has can be made again: it is not worth making a full queue longer.
    guard arrival != nil || stages.network.backlog.hasRoom else { return }
    // An image of a body that has arrived for others, too, may be where they wanted it alone.
    for image in made where image.isNew || body.source == .network {
      let wanting = members.filter { $0.drawing == image.drawing }.map(\.request)
      stages.persistImage(image.loaded.cached, image.drawing, id, wanting)
    }
  }
}
