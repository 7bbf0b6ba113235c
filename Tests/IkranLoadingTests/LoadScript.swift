import IkranStores
import IkranTransport

@testable import Ikran

/// A source's load under test: events go in, and what it does comes out as text.
struct LoadScript {
  typealias KnownSource = SourceLoad.KnownSource

  private(set) var load = SourceLoad()

  /// What a load does on an event.
  @discardableResult
  mutating func callAsFunction(_ event: SourceLoad.Event) -> [String] {
    load.handle(event).map(Self.text)
  }

  /// What a load does when a request comes; `callerBodyID` is the number of the bytes that it has an
  /// image of.
  @discardableResult
  mutating func subscribe(
    _ id: SourceLoad.SubscriberID,
    _ demand: SourceLoad.Demand = .fresh,
    _ priority: ImagePriority = .normal,
    reads: CacheStages = [],
    stores: CacheStages = .all,
    style: Style? = nil,
    stopsEarly: Bool = false,
    callerBodyID: UInt64? = nil,
    validates: Bool = false,
    needing needed: NeededPixels? = nil,
    timeout: Duration = .seconds(60),
    expiry: ResponseOptions.Expiry = .fromResponse,
    known: KnownSource? = nil
  ) -> [String] {
    var want = SourceLoad.Want(
      demand: demand,
      priority: priority,
      reads: reads,
      stores: stores,
      expiry: expiry,
      timeout: timeout
    )
    if let style = style ?? (callerBodyID == nil ? nil : .original) {
      let image = SourceLoad.WantedImage(
        target: Self.renderTarget(style),
        stopsEarly: stopsEarly,
        callerBodyID: callerBodyID.map(Self.id)
      )
      want.content = .image(image)
    } else if validates {
      want.content = .validation
    } else {
      want.content = .file(needed)
    }
    return self(.subscribe(id, want, known: known))
  }

  /// A load whose caches were read, and have this.
  static func read(
    _ found: KnownSource?,
    _ style: Style? = nil,
    reads: CacheStages = .disk,
    stores: CacheStages = .all
  ) -> LoadScript {
    var script = LoadScript()
    script.subscribe(1, reads: reads, stores: stores, style: style)
    script(.cachesRead(reads, found))
    return script
  }

  // MARK: - What events bring

  static func id(_ number: UInt64) -> BodyID { BodyID(high: 0, low: number) }

  static func body(_ number: UInt64?, from source: ImageSource = .network) -> Body {
    Body(
      bytes: [1],
      source: source,
      id: number.map(id),
      sourceKey: SourceKey("source")
    )
  }

  /// What a cache has: its bytes, or the record alone, with validators.
  static func found(
    _ number: UInt64,
    _ validity: SourceLoad.Validity = .fresh,
    in source: ImageSource? = .disk,
    hasValidators: Bool = true
  ) -> KnownSource {
    let body = source.map { Self.body(number, from: $0) }
    return KnownSource(
      body,
      id: id(number),
      validators: hasValidators ? response(number) : nil,
      validity: validity
    )
  }

  /// What a batch of bytes that have just arrived finds out.
  static func arrived(_ number: UInt64, storing: Body.Storing = .allowed) -> KnownSource {
    var body = body(number)
    body.storing = storing
    return KnownSource(body, id: id(number), validators: nil, validity: .fresh)
  }

  static func response(_ number: UInt64) -> StoredResponse {
    let headers = [HeaderField("etag", "\"\(number)\"")]
    let response = TransportResponse(status: 200, headers: headers, body: [], url: "")
    var stored = StoredResponse(
      response,
      to: [],
      secret: FolderSecret(folder: nil),
      requested: 0,
      received: 0
    )
    stored.body = id(number)
    return stored
  }

  static func renderTarget(_ style: Style) -> SourceLoad.RenderTarget {
    let key = StyledKey(source: SourceKey("source"), style: style, scale: 1)
    let fitting = try? style.fitting(scale: 1)
    return SourceLoad.RenderTarget(key: key, fitting: fitting ?? .original)
  }

  static let redirect = Redirect(
    location: "https://example.com/b",
    sentURL: "https://example.com/a",
    change: ChangeNumber(value: 1),
    response: response(0)
  )

  // MARK: - What actions say

  static func text(_ action: SourceLoad.Action) -> String {
    switch action {
    case .readCaches(let stages):
      let names = [(CacheStages.memory, "memory"), (.disk, "disk")]
      return "read " + names.filter { stages.contains($0.0) }.map(\.1).joined(separator: " and ")
    case .readRecord: return "read the record"
    case .startTransfer(let order):
      let kind = order.transfer.isReload ? "reload" : "transfer"
      let condition = order.validators == nil ? "" : ", conditional"
      let rest = condition + (order.transfer.mayRetry ? "" : ", once")
      return "start \(kind) \(order.transfer.number), \(order.transfer.priority)\(rest)"
    case .setTransferPriority(let priority): return "transfer with \(priority)"
    case .cancelTransfer: return "cancel the transfer"
    case .render(let batch, let body, let members, let priority):
      return "batch \(batch), \(priority): render \(body.source) for \(list(members.map(\.id)))"
    case .setRenderPriority(let batch, let priority): return "batch \(batch) with \(priority)"
    case .withdraw(let batch): return "withdraw batch \(batch)"
    case .abandon(let batch): return "abandon batch \(batch)"
    case .resume(let ids, let outcome): return "\(list(ids)): \(text(outcome))"
    case .deliver(let batch, let deliveries, _):
      return "deliver batch \(batch) to \(list(deliveries.map(text)))"
    case .startTimer(let id, let transfer, let duration):
      return "\(id): at most \(duration) for transfer \(transfer)"
    }
  }

  private static func list(_ ids: [SourceLoad.SubscriberID]) -> String {
    list(ids.map(\.description))
  }

  private static func list(_ texts: [String]) -> String {
    texts.isEmpty ? "no one" : texts.joined(separator: " and ")
  }

  private static func text(_ delivery: SourceLoad.Delivery) -> String {
    delivery.staleBecause.map { "\(delivery.id), staleBecause \($0)" } ?? "\(delivery.id)"
  }

  private static func text(_ outcome: SourceResult<Never>) -> String {
    switch outcome {
    case .unchanged(nil): "unchanged"
    case .unchanged(let error?): "unchanged, staleBecause \(error)"
    case .storedRedirect: "follow the stored redirect"
    case .redirected: "redirected"
    case .failed(let error): "failed: \(error)"
    case .notCached: "not cached"
    }
  }
}

extension SourceLoad {
  /// The subscribers of a batch, the ones that joined it while it ran included.
  func members(of batch: BatchNumber) -> [SubscriberID] {
    subscribers.waiting(for: .batch(batch)).map(\.id)
  }
}

extension SourceLoad.Event {
  /// The end of a batch that has drawn all its images but these.
  static func rendered(
    batch: SourceLoad.BatchNumber,
    _ known: SourceLoad.KnownSource,
    undrawn: Set<SourceLoad.RenderTarget> = []
  ) -> Self {
    let failed = undrawn.map { ($0, Result<LoadedImage, ImageError>.failure(.noImage)) }
    let images = Dictionary(uniqueKeysWithValues: failed)
    let file = known.body ?? LoadScript.body(1)
    return .rendered(batch: batch, known, RenderJob.Results(file: file, images: images))
  }
}

extension ImageError {
  static let unreachable = ImageError.transport(.cannotConnect("host"), url: "a")
  static let tooLate = ImageError.transport(.timedOut(after: .seconds(1)), url: "a")
  static let gone = ImageError.status(404, url: "a")
  static let abandoned = ImageError.decode(.isolated(.png, .cancelled), url: "a")
  static let noImage = ImageError.decode(.empty, url: "a")
}
