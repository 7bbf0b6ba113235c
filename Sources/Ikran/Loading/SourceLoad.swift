/// The rules of loading one source for everyone who wants it: events in, actions out, with no clock,
/// task, lock or I/O.
///
/// ```
/// caches    unread → reading → read
/// transfer  none → running → none …          (each has a number)
/// a subscriber waits, then is rendered, then is resumed: exactly once
/// ```
/// The caches are read at most once, one transfer runs at a time, and each subscriber takes the first
/// result that meets its ``Demand``. The transfer's priority is the highest of those who wait.
struct SourceLoad {
  /// How new a result has to be.
  enum Demand: Int, Sendable {
    /// Whatever the caches have; no transfer is started for it.
    case cached
    /// What the caches have while it is fresh, else what the origin has.
    case fresh
    /// What the origin says after it was asked: a 304 will do.
    case revalidated
    /// What a transfer without validators brings that did not begin before.
    case reloaded
  }

  /// What one request wants.
  struct Want: Sendable {
    var demand: Demand
    var priority: ImagePriority
    /// The caches that may bring the bytes: of memory and the disk.
    var reads: CacheStages = .bodies
    /// The caches that are to store what is made.
    var stores: CacheStages = .all
    /// What is to be drawn; nil when the bytes will do.
    var drawing: Drawing?
    /// The id of the bytes that its caller's own image was made from.
    var held: BodyID?
    /// Whether pixels or bytes are wanted; else a validation will do.
    var needsBody = true
    /// The longest time that it waits for one transfer.
    var timeout: Duration
  }

  /// A styled image, and the pixels that it needs of the source.
  struct Drawing: Sendable, Hashable {
    let key: StyledKey
    let fitting: Fitting
  }

  /// How far what was found may be used.
  enum Validity: Sendable, Equatable {
    case fresh
    /// It may be used, and is to be revalidated in the background.
    case staleWhileRevalidate
    case stale(usableOnError: Bool)
  }

  /// What is known of the source's bytes.
  struct Found: Sendable {
    /// Nil when only the record is known.
    var body: Body?
    var id: BodyID
    /// What a conditional transfer sends; nil when there is nothing to send.
    var validators: StoredResponse?
    var validity: Validity
    /// The transfer that brought or confirmed it; 0 for a cache.
    var transfer = 0

    init(_ body: Body?, id: BodyID, validators: StoredResponse?, validity: Validity) {
      (self.body, self.id) = (body, id)
      (self.validators, self.validity) = (validators, validity)
    }
  }

  enum Event: Sendable {
    /// `known` is what memory has of the source's record.
    case subscribe(Int, Want, known: Found?)
    case unsubscribe(Int)
    case setPriority(Int, ImagePriority)
    /// Caches were read: what they have, or a stored redirect, or nothing.
    case cachesRead(CacheStages, Found?)
    case storedRedirect(CacheStages)
    /// The disk was asked for the source's record alone.
    case recordRead(Found?)
    /// The transfer has left the queue.
    case transferBegan(Int)
    /// Bytes that have no id yet and may be no image.
    case received(Int, Body)
    case notModified(Int, Found)
    /// A 304 that forbids to use what it confirms: everything is to be transferred again.
    case forgotten(Int)
    case redirected(Int, Redirect)
    case failed(Int, ImageError)
    /// A batch is finished: its body, which is known to be an image now.
    case rendered(batch: Int, Found)
    /// The batch's body cannot be decoded.
    case undecodable(batch: Int, ImageError)
    /// A subscriber has waited for as long as it wanted.
    case timedOut(Int)
  }

  /// A transfer to be started.
  struct TransferOrder: Sendable {
    let number: Int
    let isReload: Bool
    /// The response that a 304 would confirm.
    let validators: StoredResponse?
    let priority: ImagePriority
    /// False when everyone has an older image to fall back to.
    let mayRetry: Bool
    let timeout: Duration
  }

  enum Action: Sendable {
    case readCaches(CacheStages)
    /// Reads the record of bytes that are held already.
    case readRecord
    case startTransfer(TransferOrder)
    case setTransferPriority(ImagePriority)
    case cancelTransfer
    /// Makes what the subscribers want from the body, and resumes them.
    case render(batch: Int, Body, [Int], ImagePriority)
    case setRenderPriority(batch: Int, ImagePriority)
    case withdraw(batch: Int)
    case resume([Int], Outcome)
    /// Calls ``Event/timedOut(_:)`` after a time.
    case startTimer(Int, Duration)
  }

  /// What becomes of a subscriber that gets no image of its own from a batch.
  enum Outcome: Sendable {
    /// The image that its caller holds is valid; `despite` is why the origin could not be asked.
    case unchanged(Validity, despite: ImageError?)
    /// The source redirects: nil when the redirect is stored.
    case redirected(Redirect?)
    case failed(ImageError)
    /// One transfer took longer than the subscriber wanted to wait.
    case timedOut(Duration)
    /// No cache has it, and the network is not wanted.
    case notCached
  }

  struct Batch {
    var priority: ImagePriority
    /// What is drawn, and the caches that store it.
    var drawings: [Drawing: CacheStages]
  }

  struct Transfer {
    let number: Int
    let isReload: Bool
    let isConditional: Bool
    let timeout: Duration
    var priority: ImagePriority
    var hasBegun = false
  }

  struct Subscriber {
    var want: Want
    /// The first transfer that is new enough for it.
    var firstTransfer: Int
    /// The batch that renders it; nil while it waits.
    var batch: Int?
    /// Why the origin could not be asked, when an older body has to do.
    var despite: ImageError?
  }

  var subscribers: [Int: Subscriber] = [:]
  /// The caches that were read, and those that are being read.
  var (read, reading): (CacheStages, CacheStages) = ([], [])
  var (hasReadRecord, isReadingRecord) = (false, false)
  var transfer: Transfer?
  var transferCount = 0
  /// Transfers whose bytes a batch looks at: it tells whether they are an image.
  var arrivals: [Int: Transfer] = [:]
  var found: Found?
  var batches: [Int: Batch] = [:]
  var batchCount = 0
  /// The subscribers in the order in which they came.
  var order: [Int] = []

  init() {}

  /// The subscribers of a batch, the ones that joined it while it ran included.
  func members(of batch: Int) -> [Int] { order.filter { subscribers[$0]?.batch == batch } }

  /// The first subscriber that waits for the transfer of this number.
  func first(for transfer: Int) -> Int? { waitingForTransfer(transfer).first }

  /// Whether it can be forgotten.
  var isIdle: Bool { subscribers.isEmpty && transfer == nil && batches.isEmpty }
  /// The number of subscribers.
  var count: Int { subscribers.count }
  /// Whether a transfer waits or runs.
  var isTransferring: Bool { transfer != nil }
  /// Why the origin could not be asked although a subscriber's body is stale.
  func reason(of id: Int) -> ImageError? { subscribers[id]?.despite }

  mutating func handle(_ event: Event) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .subscribe(let id, let want, let known):
      subscribe(id, want, known)
      startTimer(of: id, &actions)
    case .unsubscribe(let id): remove(id)
    case .setPriority(let id, let priority): subscribers[id]?.want.priority = priority
    case .cachesRead(let stages, let found):
      finishReading(stages)
      if let found, self.found?.transfer ?? 0 == 0 { self.found = found }
    case .storedRedirect(let stages):
      finishReading(stages)
      resume(order.filter { isForCaches($0) }, .redirected(nil), &actions)
    case .recordRead(let found):
      (hasReadRecord, isReadingRecord) = (true, false)
      if let found, self.found?.transfer ?? 0 == 0 { self.found = found }
    case .transferBegan(let number): begin(number, &actions)
    case .received(let number, let body): receive(number, body, &actions)
    case .notModified(let number, let confirmed): finish(number, confirmed)
    case .forgotten(let number): forget(number)
    case .redirected(let number, let redirect):
      let waiting = waitingForTransfer(number)
      end(number)
      resume(waiting, .redirected(redirect), &actions)
    case .failed(let number, let error): fail(number, error, &actions)
    case .rendered(let batch, let found): rendered(batch, found)
    case .undecodable(let batch, let error): undecodable(batch, error, &actions)
    case .timedOut(let id):
      if let subscriber = subscribers[id], subscriber.batch == nil {
        resume([id], .timedOut(subscriber.want.timeout), &actions)
      }
    }
    advance(&actions)
    return actions
  }

  // MARK: - Events

  mutating func subscribe(_ id: Int, _ want: Want, _ known: Found?) {
    if found == nil { found = known }
    var first = 0
    switch want.demand {
    case .cached, .fresh: break
    case .revalidated: first = transfer?.number ?? transferCount + 1
    case .reloaded:
      first = transfer.flatMap { $0.isReload ? $0.number : nil } ?? transferCount + 1
    }
    subscribers[id] = Subscriber(want: want, firstTransfer: first)
    order.append(id)
  }

  mutating func remove(_ id: Int) {
    guard subscribers.removeValue(forKey: id) != nil else { return }
    order.removeAll { $0 == id }
  }

  mutating func finishReading(_ stages: CacheStages) {
    read.formUnion(stages)
    reading.subtract(stages)
  }

  mutating func begin(_ number: Int, _ actions: inout [Action]) {
    guard transfer?.number == number else { return }
    transfer?.hasBegun = true
    for id in order where subscribers[id]?.batch == nil { startTimer(of: id, &actions) }
  }

  /// Limits how long a subscriber waits for a transfer that others let run for longer.
  func startTimer(of id: Int, _ actions: inout [Action]) {
    guard let transfer, transfer.hasBegun, let timeout = subscribers[id]?.want.timeout,
      timeout < transfer.timeout
    else { return }
    actions.append(.startTimer(id, timeout))
  }

  mutating func receive(_ number: Int, _ body: Body, _ actions: inout [Action]) {
    guard let arrived = transfer, arrived.number == number else { return }
    let waiting = waitingForTransfer(number)
    transfer = nil
    arrivals[batchCount + 1] = arrived
    render(body, waiting, &actions)
  }

  mutating func forget(_ number: Int) {
    guard transfer?.number == number else { return }
    for id in waitingForTransfer(number) {
      subscribers[id]?.want.held = nil
      subscribers[id]?.want.reads = []
    }
    (transfer, found) = (nil, nil)
  }

  mutating func finish(_ number: Int, _ confirmed: Found) {
    guard transfer?.number == number else { return }
    end(number)
    let body = found?.id == confirmed.id ? found?.body : nil
    found = confirmed
    found?.body = confirmed.body ?? body
    found?.transfer = number
  }

  mutating func end(_ number: Int) {
    if transfer?.number == number { transfer = nil }
  }

  mutating func fail(_ number: Int, _ error: ImageError, _ actions: inout [Action]) {
    guard let failed = transfer, failed.number == number else { return }
    let waiting = waitingForTransfer(number)
    transfer = nil
    settle(waiting, error, timeout: failed.timeout, &actions)
  }

  /// Resumes those whose transfer has failed: with what is stale, if that may be.
  mutating func settle(
    _ waiting: [Int],
    _ error: ImageError,
    timeout: Duration,
    _ actions: inout [Action]
  ) {
    for id in waiting {
      guard let want = subscribers[id]?.want else { continue }
      // A transfer that was given less time than this one wants says nothing to it.
      if error.isTimeout, want.timeout > timeout { continue }
      guard want.demand == .fresh, error.saysNothingOfTheSource, let found,
        found.validity == .stale(usableOnError: true)
      else {
        resume([id], .failed(error), &actions)
        continue
      }
      if found.id == want.held {
        resume([id], .unchanged(found.validity, despite: error), &actions)
      } else if let body = found.body {
        subscribers[id]?.despite = error
        render(body, [id], &actions)
      } else {
        resume([id], .failed(error), &actions)
      }
    }
  }

  mutating func rendered(_ batch: Int, _ found: Found) {
    batches[batch] = nil
    for id in members(of: batch) { remove(id) }
    guard let arrived = arrivals.removeValue(forKey: batch),
      arrived.number > self.found?.transfer ?? 0
    else { return }
    self.found = found
    self.found?.transfer = arrived.number
  }

  mutating func undecodable(
    _ batch: Int,
    _ error: ImageError,
    _ actions: inout [Action]
  ) {
    batches[batch] = nil
    let members = members(of: batch)
    for id in members { subscribers[id]?.batch = nil }
    if let arrived = arrivals.removeValue(forKey: batch) {
      // Subscribers that came while it was being found out have waited for the same bytes.
      let others = waitingForTransfer(arrived.number).filter { !members.contains($0) }
      settle(members + others, error, timeout: arrived.timeout, &actions)
      return
    }
    // A cache's copy is damaged, which fails only those who want no other.
    let isOfCache = found?.transfer == 0
    found = nil
    for id in members {
      guard isOfCache, let want = subscribers[id]?.want, want.demand == .fresh,
        subscribers[id]?.despite == nil
      else {
        resume([id], .failed(error), &actions)
        continue
      }
      subscribers[id]?.want.reads = []
    }
  }
}
