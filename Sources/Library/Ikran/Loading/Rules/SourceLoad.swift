import IkranTransport

// Decision 22: one source is transferred once at a time, for all requests.
/// The rules of loading one source for all its subscribers: events in, actions out, with no clock,
/// task, lock or I/O.
///
/// A subscriber is one request. It waits until ``found`` meets its ``Demand``, and is resumed once:
/// ```
/// read caches → wait for a transfer → be rendered in a batch → resumed
/// ```
/// Each event changes the state; then ``advance(adding:)`` decides what each subscriber that the
/// event concerns needs next. Three kinds of work complete with a later event, and are shared by
/// all subscribers that need them:
/// - **Caches** are read at most once each.
/// - **Transfers** are numbered, and run one at a time, as urgent as the most urgent subscriber
///   that waits. The number says which subscribers a result is new enough for.
/// - **Batches** make images of one body. The batch of a body that has just arrived also finds out
///   whether it is an image, and what its id is.
///
/// A cache's copy that turns out to be damaged is forgotten, and the source is transferred again:
/// no request that may use the network fails while the origin has the image.
struct SourceLoad {
  enum Event: Sendable {
    /// `known` is what memory has of the source's record.
    case subscribe(SubscriberID, Want, known: KnownSource?)
    case unsubscribe(SubscriberID)
    case setPriority(SubscriberID, ImagePriority)
    /// Caches were read, and have this; memory's file is taken before the disk is read.
    case cachesRead(CacheStages, KnownSource?)
    /// Caches were read, and have a redirect.
    case storedRedirect(CacheStages)
    /// The disk was asked for the source's record alone.
    case recordRead(KnownSource?)
    /// The transfer has left the queue; again for each retry.
    case transferBegan(TransferNumber)
    /// The transfer has brought bytes that have no id yet and may be no image.
    case received(TransferNumber, Body)
    /// The transfer has brought a 304.
    case notModified(TransferNumber, KnownSource)
    /// A 304 of what must not be kept, or has been replaced: everything is to be transferred again.
    case forgotten(TransferNumber)
    case redirected(TransferNumber, Redirect)
    /// A storage in place of an origin has nothing.
    case missing(TransferNumber)
    case failed(TransferNumber, ImageError)
    /// A batch is finished: its body, which is known to be an image now, and what its members get.
    case rendered(batch: BatchNumber, KnownSource, RenderJob.Results)
    /// The batch's body cannot be decoded.
    case undecodable(batch: BatchNumber, ImageError)
    /// The source was removed: what is known of it, and what a transfer that has been sent brings,
    /// is out of date for those who come from now on.
    case invalidated
    /// The source was replaced: the caches have what those who wait want, too.
    case replaced
    /// A subscriber has waited for a transfer for as long as it wanted.
    case timedOut(SubscriberID, transfer: TransferNumber, ImageError)
    /// Nothing is wanted any more.
    case cancelled

    /// Whether no subscriber is left after it.
    var endsAll: Bool { if case .cancelled = self { true } else { false } }
  }

  /// A transfer to be started.
  struct TransferOrder: Sendable {
    let transfer: Transfer
    /// The first of those who wait: it decides the fields that are sent, and how often that is
    /// tried.
    let first: Member
    /// The response that a 304 would confirm.
    let validators: StoredResponse?
  }

  enum Action: Sendable {
    case readCaches(CacheStages)
    /// Reads the record of bytes that are held already.
    case readRecord
    case startTransfer(TransferOrder)
    case setTransferPriority(ImagePriority)
    /// Ends the transfer under way; its end still arrives, and the next one starts after that.
    case cancelTransfer
    /// Makes what the subscribers want from the body, and resumes them.
    case render(batch: BatchNumber, Body, [Member], ImagePriority)
    case setRenderPriority(batch: BatchNumber, ImagePriority)
    /// Removes a batch from the queue; a late completion is ignored.
    case withdraw(batch: BatchNumber)
    /// Makes no images in a batch that no subscriber waits for; what was downloaded is kept.
    case abandon(batch: BatchNumber)
    case resume([SubscriberID], SourceResult<Never>)
    /// Resumes subscribers with what their batch has made for them.
    case deliver(batch: BatchNumber, [Delivery], RenderJob.Results)
    /// Sends ``Event/timedOut(_:transfer:_:)`` after a time, in place of an earlier timer.
    case startTimer(SubscriberID, transfer: TransferNumber, Duration)
  }

  /// A subscriber of a batch that begins, and what it wants by then.
  struct Member: Sendable {
    let id: SubscriberID
    let want: Want
  }

  /// What a subscriber gets of a batch: its image or the file.
  struct Delivery: Sendable {
    let id: SubscriberID
    /// Why the origin could not be asked although that is stale.
    let staleBecause: ImageError?
  }

  struct Transfer: Sendable {
    let number: TransferNumber
    let isReload: Bool
    /// False when all who wait have an older image to fall back to.
    let mayRetry: Bool
    let timeout: Duration
    var priority: ImagePriority
    var hasBegun = false
    var isCancelled = false

    /// Whether it is new enough for a subscriber.
    func serves(_ subscriber: Subscriber) -> Bool {
      number >= subscriber.firstTransfer && (isReload || subscriber.want.demand != .reloaded)
    }
  }

  var subscribers = SourceSubscribers()
  /// Whether what is known of the source has changed: what each subscriber needs is decided again.
  var decidesAll = false
  /// How often it was decided what a subscriber needs.
  var decisions = 0
  /// The caches that were read, and those that are being read.
  var (read, reading): (CacheStages, CacheStages) = ([], [])
  var (hasReadRecord, isReadingRecord) = (false, false)
  /// The caches that were being read when the source was removed or replaced: what they had then
  /// says nothing, and they are read again.
  var (outdatedReads, isRecordReadOutdated): (CacheStages, Bool) = ([], false)
  /// The transfer that waits or runs, and the number of the last one.
  var transfer: Transfer?
  var lastTransfer = TransferNumber.none
  /// The last transfer that began before the source was removed or replaced.
  var lastOutdatedTransfer = TransferNumber.none
  /// The batches that wait or run, and the number of the last one.
  var batches = SourceBatches()
  var lastBatch = BatchNumber.none
  /// The newest that is known of the source.
  var found: KnownSource?

  init() {}

  /// Whether it can be forgotten.
  var isIdle: Bool { subscribers.isEmpty && transfer == nil && batches.isEmpty }
  /// Whether a cache is being read.
  var isReading: Bool { !reading.isEmpty || isReadingRecord }
  /// Whether a transfer waits or runs.
  var isTransferring: Bool { transfer?.isCancelled == false }

  mutating func handle(_ event: Event) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .subscribe(let id, let want, let known):
      subscribe(id, want, known: known, adding: &actions)
    case .unsubscribe(let id):
      if subscribers[id] != nil { resume([id], .failed(.cancelled), adding: &actions) }
    case .setPriority(let id, let priority):
      subscribers.change(id) { $0.want.priority = priority }
    case .cachesRead(let stages, let found): finishReading(stages, found)
    case .storedRedirect(let stages):
      let isOutdated = !outdatedReads.isDisjoint(with: stages)
      finishReading(stages, nil)
      if !isOutdated { resume(followersOfStoredRedirect, .storedRedirect, adding: &actions) }
    case .recordRead(let found):
      (hasReadRecord, isReadingRecord, decidesAll) = (!isRecordReadOutdated, false, true)
      if !isRecordReadOutdated { learn(found) }
      isRecordReadOutdated = false
    case .transferBegan(let number): begin(number, adding: &actions)
    case .received(let number, let body): receive(number, body, adding: &actions)
    case .notModified(let number, let confirmed): confirm(number, confirmed)
    case .forgotten(let number): forget(number, adding: &actions)
    case .redirected(let number, let redirect):
      if let ended = end(number) {
        resume(waiting(for: ended), .redirected(redirect), adding: &actions)
      }
    case .missing(let number): endWithNothing(number, adding: &actions)
    case .failed(let number, let error):
      if let failed = end(number), !failed.isCancelled { settle(failed, error, adding: &actions) }
    case .rendered(let batch, let body, let results):
      finish(batch, of: body, results, adding: &actions)
    case .undecodable(let batch, let error): undecodable(batch, error, adding: &actions)
    case .invalidated: invalidate(readsAgain: false, adding: &actions)
    case .replaced: invalidate(readsAgain: true, adding: &actions)
    case .timedOut(let id, let number, let error):
      timeOut(id, of: number, error, adding: &actions)
    case .cancelled: cancelAll(adding: &actions)
    }
    advance(adding: &actions)
    return actions
  }

  mutating func resume(
    _ ids: [SubscriberID],
    _ result: SourceResult<Never>,
    adding actions: inout [Action]
  ) {
    guard !ids.isEmpty else { return }
    for id in ids { subscribers.remove(id) }
    actions.append(.resume(ids, result))
  }

  // MARK: - Subscribers

  private mutating func subscribe(
    _ id: SubscriberID,
    _ want: Want,
    known: KnownSource?,
    adding actions: inout [Action]
  ) {
    if let known, found == nil { (found, decidesAll) = (known, true) }
    let (running, next) = (transfer?.number, lastTransfer.next)
    let arriving = batches.arrivals.first?.transfer.number
    let first =
      switch want.demand {
      case .cached, .fresh: arriving ?? running ?? next
      case .revalidated: running ?? next
      case .reloaded: transfer?.isReload == true ? running ?? next : next
      }
    // What was sent before the source was removed or replaced says nothing to who comes now.
    subscribers.add(id, want, firstTransfer: max(first, lastOutdatedTransfer.next))
    subscribers.change(id) { $0.known = known.map { ($0.id, $0.validity(under: want.expiry)) } }
    startTimers(of: subscribers[id].map { [$0] } ?? [], adding: &actions)
  }

  /// Limits how long subscribers wait for a transfer that others let run for longer.
  private func startTimers(
    of subscribers: [Subscriber],
    adding actions: inout [Action]
  ) {
    guard let transfer, transfer.hasBegun else { return }
    for subscriber in subscribers
    where subscriber.batch == nil && subscriber.want.demand != .cached
      && subscriber.want.timeout < transfer.timeout && transfer.serves(subscriber)
    {
      let (id, timeout) = (subscriber.id, subscriber.want.timeout)
      actions.append(.startTimer(id, transfer: transfer.number, timeout))
    }
  }

  private mutating func timeOut(
    _ id: SubscriberID,
    of number: TransferNumber,
    _ error: ImageError,
    adding actions: inout [Action]
  ) {
    guard let transfer, transfer.number == number,
      let subscriber = subscribers[id], subscriber.batch == nil,
      transfer.serves(subscriber)
    else { return }
    // It has waited for something else so far: for the disk, or for what has just arrived.
    guard awaitsTransfer(subscriber) else { return startTimers(of: [subscriber], adding: &actions) }
    if mayFallBack(subscriber) {
      // As where the transfer has failed; it goes on for the others.
      subscribers.change(id) { ($0.staleBecause, $0.wait) = (error, .decision) }
    } else {
      resume([id], .failed(error), adding: &actions)
    }
  }

  // MARK: - Transfers

  /// Ends the transfer of this number; nil when it has ended before.
  private mutating func end(_ number: TransferNumber) -> Transfer? {
    guard let ended = transfer, ended.number == number else { return nil }
    (transfer, decidesAll) = (nil, true)
    return ended
  }

  /// Ends a transfer that has brought nothing; one that was cancelled was not asked.
  private mutating func endWithNothing(_ number: TransferNumber, adding actions: inout [Action]) {
    guard let ended = end(number), !ended.isCancelled else { return }
    resume(waiting(for: ended), .notCached, adding: &actions)
  }

  private mutating func begin(_ number: TransferNumber, adding actions: inout [Action]) {
    guard transfer?.number == number else { return }
    transfer?.hasBegun = true
    startTimers(of: subscribers.inOrder, adding: &actions)
  }

  private mutating func receive(
    _ number: TransferNumber,
    _ body: Body,
    adding actions: inout [Action]
  ) {
    guard let arrival = end(number) else { return }
    // Of the beginning of a file, a request that came late may need more: the next transfer goes on
    // from there.
    let served = waiting(for: arrival).filter { id in
      subscribers[id].map { body.isEnough(for: $0.want) } ?? false
    }
    let input = Batch.Input.arrival(arrival, isDownload: body.source == .network)
    render(body, from: input, for: served, adding: &actions)
  }

  private mutating func confirm(_ number: TransferNumber, _ confirmed: KnownSource) {
    // Of what was removed or replaced since, it says nothing: those who wait decide again.
    guard end(number) != nil, number > lastOutdatedTransfer else { return }
    replaceFound(with: confirmed)
    found?.transfer = number
  }

  private mutating func forget(_ number: TransferNumber, adding actions: inout [Action]) {
    guard let ended = end(number), number > lastOutdatedTransfer else { return }
    for id in waiting(for: ended) {
      subscribers.change(id) {
        $0.reads = []
        $0.want.changeImage { $0.callerBodyID = nil }
      }
    }
    found = nil
    endValidations(adding: &actions)
  }

  private mutating func invalidate(readsAgain: Bool, adding actions: inout [Action]) {
    (found, read, hasReadRecord, decidesAll) = (nil, [], false, true)
    subscribers.forgetKnown()
    (outdatedReads, isRecordReadOutdated) = (reading, isReadingRecord)
    // What is sent from now on is new, also by a transfer that waits in the queue.
    lastOutdatedTransfer = transfer?.hasBegun == false ? lastTransfer.previous : lastTransfer
    if readsAgain {
      subscribers.restoreReads()
    } else {
      // Those who wait for a transfer have read their caches: it goes on for them.
      for id in subscribers.waiting(for: .transfer).map(\.id) {
        subscribers.change(id) { $0.reads = [] }
      }
    }
    endValidations(adding: &actions)
  }

  /// Ends those who want a validation alone: there is nothing left to validate.
  private mutating func endValidations(adding actions: inout [Action]) {
    let validating = subscribers.inOrder.filter { $0.batch == nil && $0.want.isValidation }
    resume(validating.map(\.id), .notCached, adding: &actions)
  }

  /// Decides for those whose transfer has failed: what is stale will do for some.
  mutating func settle(
    _ failed: Transfer,
    _ error: ImageError,
    adding actions: inout [Action]
  ) {
    var failing: [SubscriberID] = []
    for id in waiting(for: failed) {
      guard let subscriber = subscribers[id] else { continue }
      let want = subscriber.want
      // A transfer that was given less time than this one wants says nothing to it.
      if error.isTimeout, want.timeout > failed.timeout { continue }
      if !error.allowsStaleResponse {
        failing.append(id)
      } else if mayFallBack(subscriber) {
        subscribers.change(id) { $0.staleBecause = error }
      } else if failed.mayRetry {
        failing.append(id)
      }
      // Else it was not tried again for the sake of others, which had something to fall back to:
      // the next transfer is for this subscriber.
    }
    resume(failing, .failed(error), adding: &actions)
  }
}
