import IkranPixels
import IkranStores
import IkranTransport
import Support

@testable import Ikran

/// A driver of one source's load that does its work in name only, with random outcomes in random
/// order, and watches that the load keeps its promises.
struct SourceLoadWalk {
  typealias SubscriberID = SourceLoad.SubscriberID
  typealias TransferNumber = SourceLoad.TransferNumber

  /// A subscriber that has not ended.
  struct Waiting {
    let want: SourceLoad.Want
    /// The first transfer that may serve a request for the origin.
    let first: TransferNumber
  }

  /// A batch that the decode pool has.
  struct Job {
    let body: Body
    /// The transfer that has just brought the body; 0 for none.
    let transfer: TransferNumber
    var isWithdrawn = false
    /// Whether the source was removed since it began: its members get what they were there for.
    var isOutdated = false
    /// Whether its body is a cache's.
    let isCopy: Bool
    var priority: ImagePriority
    /// What its members wanted when it began.
    let wants: [SourceLoad.Want]

    /// Whether it has made what a subscriber gets of these bytes, by the rule of a render job.
    func hasMade(_ want: SourceLoad.Want, of body: BodyID) -> Bool {
      want.renderTarget == nil
        || wants.contains {
          $0.renderTarget == want.renderTarget && $0.image?.callerBodyID != body
        }
    }
  }

  var random: SeededGenerator
  private(set) var load = SourceLoad()
  private(set) var events = 0
  /// What happened, in order.
  private(set) var history: [SourceLoad.Event] = []
  /// What went wrong first.
  var violation: String?

  private var left: Int
  private var (lastID, started) = (SubscriberID.none, TransferNumber.none)
  var waiting: [SubscriberID: Waiting] = [:]
  var reads: [CacheStages] = []
  /// Those of them that began before the source was removed.
  private var outdatedReads: CacheStages = []
  /// The last transfer that did.
  var lastOutdated = TransferNumber.none
  var readsRecord = false
  /// What caches have had.
  var cached: [(CacheStages, BodyID)] = []
  var order: SourceLoad.TransferOrder?
  var priority = ImagePriority.low
  var isCancelled = false
  var jobs: [SourceLoad.BatchNumber: Job] = [:]
  /// The transfer that ends with the event under way, and has nothing.
  private var missing: SourceLoad.Transfer?
  /// The batch that ends with the event under way, and the bytes that it turns out to have.
  private var finished: (job: Job, body: BodyID, undrawn: Set<SourceLoad.RenderTarget>)?
  /// The subscribers before the event under way, as the rules have them.
  private var before: [SubscriberID: SourceLoad.Subscriber] = [:]
  private var timers: [(id: SubscriberID, transfer: TransferNumber)] = []
  /// Whether the event under way ends everything.
  private var isEnding = false
  /// The transfers that have brought bytes or a 304, and those that were reloads.
  var (answered, reloads): ([TransferNumber: BodyID], Set<TransferNumber>) = ([:], [])

  init(_ random: SeededGenerator, subscribers: Int) {
    (self.random, left) = (random, subscribers)
  }

  var mayGoOn: Bool { violation == nil && (left > 0 || !load.isIdle) }

  // MARK: - Events

  /// Something happens.
  mutating func step() {
    switch number(in: 0..<12) {
    case 0,
      1 where left > 0:
      subscribe()
    case 2 where left > 0 && number(in: 0..<2) == 0: leave()
    case 3 where left > 0:
      guard let id = anyone else { return }
      feed(.setPriority(id, pick(ImagePriority.allCases)))
    case 4: answerCaches()
    case 5, 6: answerTransfer()
    case 7, 8: answerJob()
    case 9 where left > 0: fireTimer()
    case 10 where order != nil: feed(.transferBegan(order?.transfer.number ?? 0))
    case 11 where number(in: 0..<4) == 0: invalidate(pick([.invalidated, .replaced]))
    case 11 where number(in: 0..<40) == 0: cancelAll()
    default: repeatSomething()
    }
  }

  /// Nothing more is wanted and everything was answered.
  mutating func finish() {
    guard violation == nil else { return }
    let left = waiting.keys.sorted()
    expect(left.isEmpty, "subscribers are left: \(left)")
    expect(load.subscribers.isEmpty && order == nil, "it is idle with subscribers or a transfer")
    for _ in 0..<5 { repeatSomething() }
    fireTimer()
    expect(load.isIdle, "a late event wakes a finished load")
  }

  private mutating func subscribe() {
    left -= 1
    lastID = lastID.next
    let demands: [SourceLoad.Demand] = [.cached, .fresh, .fresh, .fresh, .revalidated, .reloaded]
    let demand = pick(demands)
    let stages: [CacheStages] = [[], .tables, .memory, .disk, .bodies, .all, .all]
    let want = SourceLoad.Want(
      demand: demand,
      priority: pick(ImagePriority.allCases),
      content: anyContent(),
      reads: demand == .reloaded ? [] : pick(stages),
      stores: pick([.all, .all, .memory]),
      expiry: pick([.fromResponse, .fromResponse, .never, .after(.seconds(10))]),
      timeout: .seconds(pick([1, 5, 5]))
    )
    waiting[lastID] = Waiting(want: want, first: first(for: demand))
    feed(.subscribe(lastID, want, known: pick([nil, anyFound(nil)])))
  }

  /// The first transfer that has not arrived yet, or at least is not decoded yet.
  private func first(for demand: SourceLoad.Demand) -> TransferNumber {
    let isShared = demand == .reloaded ? order?.transfer.isReload == true : order != nil
    let running = isShared ? started : started.next
    let decoding = jobs.values.map(\.transfer).filter { $0 > 0 }.min()
    let first = demand == .cached || demand == .fresh ? decoding ?? running : running
    return max(first, lastOutdated.next)
  }

  /// The source is removed or replaced: what it has had until now is in no cache any more.
  private mutating func invalidate(_ event: SourceLoad.Event) {
    let transferred = load.subscribers.waiting(for: .transfer)
    let isWanted = !isCancelled && transferred.contains { !$0.want.isValidation }
    outdatedReads = reads.reduce(into: []) { $0.formUnion($1) }
    (lastOutdated, cached) = (load.transfer?.hasBegun == false ? started.previous : started, [])
    for number in jobs.keys { jobs[number]?.isOutdated = true }
    feed(event)
    guard case .invalidated = event else { return }
    expect(!isWanted || !isCancelled, "a transfer that is waited for is cancelled by a removal")
  }

  private mutating func cancelAll() {
    isEnding = true
    feed(.cancelled)
    isEnding = false
    expect(waiting.isEmpty && jobs.values.allSatisfy(\.isWithdrawn), "something goes on")
  }

  private mutating func leave() {
    guard let id = anyone else { return }
    feed(.unsubscribe(id))
    expect(waiting[id] == nil, "\(id) has left and is not resumed")
  }

  private mutating func answerCaches() {
    if readsRecord, number(in: 0..<2) == 0 {
      readsRecord = false
      return feed(.recordRead(pick([nil, anyFound(nil)])))
    }
    guard !reads.isEmpty else { return }
    let stages = reads.remove(at: number(in: 0..<reads.count))
    if number(in: 0..<8) == 0 {
      outdatedReads.subtract(stages)
      return feed(.storedRedirect(stages))
    }
    let hasMemory = stages.contains(.memory) && (number(in: 0..<2) == 0 || stages == .memory)
    let source: ImageSource = hasMemory ? .memory : .disk
    let found = pick([nil, anyFound(nil), anyFound(source), anyFound(source)])
    if outdatedReads.isDisjoint(with: stages), let body = found?.body, let id = body.id {
      cached.append((body.stage, id))
    }
    outdatedReads.subtract(stages)
    feed(.cachesRead(stages, found))
  }

  private mutating func answerTransfer() {
    guard let ended = order else { return }
    let failures: [ImageError] = [.unreachable, .tooLate, .gone, .noImage]
    order = nil
    switch number(in: 0..<11) {
    case _ where isCancelled && number(in: 0..<4) > 0:
      feed(.failed(ended.transfer.number, .cancelled))
    case 0..<4:
      let body = Body(
        bytes: [],
        source: .network,
        id: nil,
        sourceKey: SourceKey("source"),
        storing: pick([.allowed, .allowed, .allowed, .onlyWithoutRevalidation, .forbidden])
      )
      feed(.received(ended.transfer.number, body))
    case 4, 5:
      guard let confirmed = ended.validators?.body else { fallthrough }
      answered[ended.transfer.number] = confirmed
      var found = SourceLoad.KnownSource(nil, id: confirmed, validators: nil, validity: .fresh)
      found.validators = pick([nil, ended.validators])
      feed(.notModified(ended.transfer.number, found))
    case 6:
      guard ended.validators != nil else { fallthrough }
      feed(.forgotten(ended.transfer.number))
    case 7: feed(.redirected(ended.transfer.number, LoadScript.redirect))
    case 8:
      missing = isCancelled ? nil : ended.transfer
      feed(.missing(ended.transfer.number))
      missing = nil
    default: feed(.failed(ended.transfer.number, pick(failures)))
    }
  }

  private mutating func answerJob() {
    guard let number = jobs.keys.sorted().randomElement(using: &random),
      let job = jobs.removeValue(forKey: number)
    else { return }
    guard self.number(in: 0..<4) > 0 else { return feed(.undecodable(batch: number, .noImage)) }
    var body = job.body
    let id = body.id ?? anyBody
    body.id = id
    if job.transfer > 0 { answered[job.transfer] = id }
    let members = load.members(of: number)
    expect(!job.isWithdrawn || members.isEmpty, "a batch that was withdrawn has members")
    if !job.isOutdated {
      for member in members { checkRendered(member, body, job.transfer) }
    }
    let renderTargets = Set(job.wants.compactMap(\.renderTarget))
    let undrawn =
      renderTargets.count > 1 && self.number(in: 0..<4) == 0 ? Set(renderTargets.prefix(1)) : []
    finished = (job, id, undrawn)
    var found = SourceLoad.KnownSource(body, id: id, validators: nil, validity: .fresh)
    found.validators = pick([nil, LoadScript.response(id.low)])
    feed(.rendered(batch: number, found, undrawn: undrawn))
  }

  private mutating func fireTimer() {
    guard !timers.isEmpty else { return }
    let timer = timers.remove(at: number(in: 0..<timers.count))
    feed(.timedOut(timer.id, transfer: timer.transfer, .tooLate))
  }

  /// Something that was answered before, or is not known at all, does nothing.
  private mutating func repeatSomething() {
    let old = pick([.none, started.previous, started, started.next])
    guard old != order?.transfer.number else { return }
    let events: [SourceLoad.Event] = [
      .received(old, LoadScript.body(nil)), .failed(old, .unreachable), .forgotten(old),
      .missing(old),
      .notModified(old, LoadScript.found(1)), .redirected(old, LoadScript.redirect),
      .transferBegan(old), .unsubscribe(-1), .setPriority(-1, .high),
      .rendered(batch: -1, LoadScript.found(1)), .undecodable(batch: -1, .noImage),
      .timedOut(-1, transfer: started, .tooLate),
    ]
    let event = pick(events)
    var copy = load
    let actions = copy.handle(event).map(LoadScript.text)
    expect(actions.isEmpty, "an event of the past causes \(actions)")
  }

  // MARK: - Actions

  private mutating func feed(_ event: SourceLoad.Event) {
    events += 1
    history.append(event)
    before = Dictionary(uniqueKeysWithValues: load.subscribers.inOrder.map { ($0.id, $0) })
    let actions = load.handle(event)
    for action in actions { perform(action) }
    checkPriorities()
    checkWaits()
    expect(events < 10_000, "it never ends")
  }

  private mutating func perform(_ action: SourceLoad.Action) {
    switch action {
    case .readCaches(let stages):
      expect(reads.allSatisfy { $0.isDisjoint(with: stages) }, "a cache is read twice at once")
      reads.append(stages)
    case .readRecord:
      expect(!readsRecord, "the record is read twice at once")
      readsRecord = true
    case .startTransfer(let order): start(order)
    case .setTransferPriority(let priority):
      expect(order != nil && !isCancelled, "a priority for no transfer")
      self.priority = priority
    case .cancelTransfer:
      expect(order != nil && !isCancelled, "no transfer is cancelled")
      isCancelled = true
    case .render(let batch, let body, let members, let priority):
      expect(jobs[batch] == nil, "two batches have one number")
      expect(load.members(of: batch) == members.map(\.id), "a batch has other members than it says")
      jobs[batch] = Job(
        body: body,
        transfer: body.id == nil ? started : 0,
        isCopy: load.batches[batch]?.input.isCached == true,
        priority: priority,
        wants: members.map(\.want)
      )
    case .setRenderPriority(let batch, let priority):
      expect(jobs[batch]?.isWithdrawn == false, "a priority for no batch")
      jobs[batch]?.priority = priority
    case .withdraw(let batch):
      expect(jobs[batch]?.isWithdrawn == false, "no batch is withdrawn")
      expect(isEnding || jobs[batch]?.transfer == 0, "what has arrived is withdrawn")
      // It may have begun already.
      jobs[batch]?.isWithdrawn = true
      if number(in: 0..<2) == 0 { jobs[batch] = nil }
    case .abandon(let batch):
      expect((jobs[batch]?.transfer ?? 0) > 0, "a batch that is abandoned is no download")
      let behind = load.subscribers.waiting(for: .waitsFor(batch: batch))
      expect(
        load.members(of: batch).isEmpty && behind.isEmpty,
        "a batch that is waited for is abandoned"
      )
    case .resume(let ids, let outcome): resume(ids, outcome)
    case .deliver(let batch, let deliveries, _):
      expect(jobs[batch] == nil, "a batch that is not finished is delivered")
      for delivery in deliveries {
        if let finished, let want = before[delivery.id]?.want {
          expect(
            finished.job.hasMade(want, of: finished.body),
            "\(delivery.id) gets what was not made"
          )
          let mayTransfer = want.demand != .cached && delivery.staleBecause == nil
          let isUndrawn = want.renderTarget.map(finished.undrawn.contains) == true
          expect(
            !isUndrawn || !mayTransfer || !finished.job.isCopy,
            "\(delivery.id) gets the error of a damaged copy"
          )
        }
        end(delivery.id)
      }
    case .startTimer(let id, let transfer, _):
      expect(waiting[id] != nil && transfer == started, "a timer for no one")
      timers.append((id, transfer))
    }
  }

  private mutating func start(_ order: SourceLoad.TransferOrder) {
    expect(self.order == nil, "two transfers at once")
    expect(order.transfer.number == started.next, "transfers are not numbered in order")
    (started, isCancelled, priority) = (order.transfer.number, false, order.transfer.priority)
    if order.transfer.isReload { reloads.insert(started) }
    let wants = load.subscribers.inOrder.filter(load.awaitsTransfer).map(\.want)
    expect(!wants.isEmpty, "a transfer for no one")
    expect(wants.allSatisfy { $0.demand != .cached }, "a transfer for the caches' sake")
    expect(
      order.transfer.isReload == wants.contains { $0.demand == .reloaded },
      "a reload of others, or none"
    )
    expect(!order.transfer.isReload || order.validators == nil, "a reload with validators")
    expect(order.transfer.timeout == wants.map(\.timeout).max(), "another timeout than the longest")
    self.order = order
  }

  private mutating func resume(_ ids: [SubscriberID], _ outcome: SourceResult<Never>) {
    for id in ids {
      guard let subscriber = waiting[id] else { continue }
      let want = subscriber.want
      switch outcome {
      case .unchanged(let staleBecause):
        let hadImage = want.image?.callerBodyID != nil || want.isValidation
        expect(hadImage, "an image that is not there is unchanged")
        if staleBecause == nil, want.demand != .cached, !hasAnswer(for: subscriber) {
          expect(!isStale(for: before[id]), "something stale is unchanged")
        }
        checkOrigin(subscriber, of: want.image?.callerBodyID)
      case .notCached:
        let hasNothing = before[id].map { missing?.serves($0) == true } ?? false
        let mayBeMissed = want.demand == .cached || want.isValidation || hasNothing
        expect(mayBeMissed, "a transfer was missed")
      case .storedRedirect:
        expect(!want.reads.isDisjoint(with: .bodies), "a redirect of a cache that is not read")
      case .redirected, .failed: break
      }
    }
    for id in ids { end(id) }
  }

  private mutating func end(_ id: SubscriberID) {
    expect(waiting.removeValue(forKey: id) != nil, "\(id) ends twice, or after it has left")
  }
}
