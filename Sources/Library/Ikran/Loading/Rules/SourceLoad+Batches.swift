import IkranPixels
import IkranTransport

// The images that are made of a source's body, and how soon.

extension SourceLoad {
  /// How a subscriber gets an image of the bytes with this id.
  func rendering(for subscriber: Subscriber, from body: BodyID) -> Need {
    let want = subscriber.want
    guard let renderTarget = want.renderTarget else { return .render }
    let running = batches.decoding(renderTarget.fitting, of: body)
    // The caches that it is stored in are known when it is begun.
    let same = running.first {
      $0.renderTargets[renderTarget.fitting]?[renderTarget]?.isSuperset(of: want.stores) == true
    }
    if let same { return .join(batch: same.number) }
    // Something stale is rendered at once: by the time that another decode of it is in memory,
    // bytes of a cache that this subscriber does not read may have taken its place.
    guard subscriber.staleBecause == nil else { return .render }
    // The decode for another target will be in memory.
    let decoding = running.first { batch in
      let renderTargets = batch.renderTargets[renderTarget.fitting] ?? [:]
      return renderTargets.keys.contains {
        $0 != renderTarget && $0.key.decoding == renderTarget.key.decoding
      }
    }
    return decoding.map { .waitsFor(batch: $0.number) } ?? .render
  }

  mutating func render(
    _ body: Body,
    from input: Batch.Input,
    for ids: [SubscriberID],
    adding actions: inout [Action]
  ) {
    lastBatch = lastBatch.next
    let number = lastBatch
    for id in ids { wait(id, for: .batch(number)) }
    let members = ids.compactMap { id in subscribers[id].map { Member(id: id, want: $0.want) } }
    let wants = members.map(\.want)
    var renderTargets: [Fitting: [RenderTarget: CacheStages]] = [:]
    for want in wants {
      guard let renderTarget = want.renderTarget else { continue }
      renderTargets[renderTarget.fitting, default: [:]][renderTarget, default: []].formUnion(
        want.stores
      )
    }
    let batch = Batch(
      number: number,
      input: input,
      isPrefix: body.prefix != nil,
      priority: wants.map(\.priority).max() ?? .normal,
      renderTargets: renderTargets
    )
    batches.add(batch)
    actions.append(.render(batch: number, body, members, batch.priority))
  }

  mutating func remove(batch number: BatchNumber) -> Batch? {
    guard let batch = batches.remove(number) else { return nil }
    for behind in subscribers.waiting(for: .waitsFor(batch: number)) {
      wait(behind.id, for: .decision)
    }
    return batch
  }

  /// Ends a batch whose body has proved to be an image.
  mutating func finish(
    _ number: BatchNumber,
    of body: KnownSource,
    _ results: RenderJob.Results,
    adding actions: inout [Action]
  ) {
    guard let batch = remove(batch: number) else { return }
    for member in subscribers.waiting(for: .batch(number))
    where member.want.renderTarget.map(results.isUndrawn) == true {
      // What a copy shows of one target may be damaged for another.
      if transferAgain(member, insteadOf: batch) { forgetBody(of: batch) }
    }
    deliver(number, of: body, results, adding: &actions)
    guard let arrival = batch.arrival else { return }
    decidesAll = true
    // What is known by now may be newer, or the source was removed or replaced since.
    guard arrival.number > max(found?.transfer ?? .none, lastOutdatedTransfer) else { return }
    var new = body
    new.transfer = arrival.number
    new.knownBody = body.body.map { KnownBody(body: $0, transfer: arrival) }
    found = new
    subscribers.forgetKnown()
  }

  /// Resumes the members of a finished batch: with what it has made, or with word that the image
  /// which their caller holds is the same.
  private mutating func deliver(
    _ number: BatchNumber,
    of body: KnownSource,
    _ results: RenderJob.Results,
    adding actions: inout [Action]
  ) {
    var deliveries: [Delivery] = []
    for member in subscribers.waiting(for: .batch(number)) {
      let (id, error) = (member.id, member.staleBecause)
      if member.want.image?.callerBodyID == body.id {
        resume([id], .unchanged(staleBecause: error), adding: &actions)
      } else {
        subscribers.remove(id)
        deliveries.append(Delivery(id: id, staleBecause: error))
      }
    }
    actions.append(.deliver(batch: number, deliveries, results))
  }

  /// Ends a batch whose body cannot be decoded. Its members decide again, or get the error:
  ///
  /// - the beginning of a file: the rest may show what was meant;
  /// - a body that was given up before it was known what it is: it is transferred again;
  /// - one that has just arrived: its transfer has failed;
  /// - a cache's copy: it is transferred again for those who may wait for that.
  mutating func undecodable(
    _ number: BatchNumber,
    _ error: ImageError,
    adding actions: inout [Action]
  ) {
    guard let batch = remove(batch: number) else { return }
    forgetBody(of: batch)
    let members = subscribers.waiting(for: .batch(number))
    // First, as they wait for no batch any more: `settle` leaves members of batches alone.
    for member in members { wait(member.id, for: .decision) }
    if batch.isPrefix {
      for member in members {
        subscribers.change(member.id) { $0.want.refuseBeginnings() }
      }
    } else if error.isAbandonedDecode {
      return
    } else if let arrival = batch.arrival {
      settle(arrival, error, adding: &actions)
    } else {
      for member in members where !transferAgain(member, insteadOf: batch) {
        resume([member.id], .failed(member.staleBecause ?? error), adding: &actions)
      }
    }
  }

  /// Lets go of a body that does not show what it should; all decide again.
  private mutating func forgetBody(of batch: Batch) {
    decidesAll = true
    // A transfer may have brought the same bytes since, undamaged.
    if let found, found.id == batch.input.body, found.isCached == batch.input.isCached {
      self.found?.knownBody = nil
    }
  }

  /// Has a damaged copy transferred again for a member of its batch, if that may; whether it may.
  private mutating func transferAgain(_ member: Subscriber, insteadOf batch: Batch) -> Bool {
    guard batch.input.isCached, member.staleBecause == nil, member.want.demand != .cached else {
      return false
    }
    subscribers.change(member.id) { ($0.wait, $0.reads) = (.decision, []) }
    return true
  }

  /// Ends everything: subscribers, batches that have not begun, and by that the transfer.
  mutating func cancelAll(adding actions: inout [Action]) {
    resume(subscribers.inOrder.map(\.id), .failed(.cancelled), adding: &actions)
    for number in batches.numbers {
      _ = remove(batch: number)
      actions.append(.withdraw(batch: number))
    }
  }

  /// Withdraws the batches that are left without members; what was downloaded is kept all the same.
  mutating func withdrawUnwanted(_ changed: [BatchNumber], adding actions: inout [Action]) {
    for number in changed where subscribers.highestPriority(waitingFor: .batch(number)) == nil {
      guard batches[number]?.input.isDownload == false else { continue }
      _ = remove(batch: number)
      actions.append(.withdraw(batch: number))
    }
  }

  /// Abandons the downloads for which no subscriber waits, once that is decided for all.
  mutating func abandonUnwanted(_ changed: [BatchNumber], adding actions: inout [Action]) {
    for number in changed
    where highestPriority(.batch(number), .waitsFor(batch: number)) == nil
      && batches[number]?.input.isDownload == true && batches.abandon(number)
    {
      actions.append(.abandon(batch: number))
    }
  }

  // MARK: - Priorities

  /// Gives the transfer and each batch the highest priority of those who wait for them.
  mutating func setPriorities(_ changed: [BatchNumber], adding actions: inout [Action]) {
    if let running = transfer, !running.isCancelled,
      let highest = highestPriority(.transfer, .laterTransfer), highest != running.priority
    {
      transfer?.priority = highest
      actions.append(.setTransferPriority(highest))
    }
    for number in changed {
      guard let batch = batches[number],
        let highest = highestPriority(.batch(number), .waitsFor(batch: number)),
        highest != batch.priority
      else { continue }
      batches.setPriority(highest, of: number)
      actions.append(.setRenderPriority(batch: number, highest))
    }
  }

  private func highestPriority(
    _ first: SourceSubscribers.Wait,
    _ second: SourceSubscribers.Wait
  ) -> ImagePriority? {
    let priority = subscribers.highestPriority(waitingFor: first)
    guard let other = subscribers.highestPriority(waitingFor: second) else { return priority }
    return max(priority ?? other, other)
  }
}

/// The batches of a source that wait or run, found by their number and by what they decode.
struct SourceBatches {
  private struct Decode: Hashable {
    let body: BodyID
    let fitting: Fitting
  }

  private var all: [SourceLoad.BatchNumber: SourceLoad.Batch] = [:]
  private var decodes: [Decode: [SourceLoad.BatchNumber]] = [:]
  /// Those whose bytes have just arrived, in the order in which they began.
  private var arriving: [SourceLoad.BatchNumber] = []

  var isEmpty: Bool { all.isEmpty }
  /// In the order in which they began.
  var numbers: [SourceLoad.BatchNumber] { all.keys.sorted() }

  subscript(number: SourceLoad.BatchNumber) -> SourceLoad.Batch? { all[number] }

  /// The transfers whose bytes are being identified, in the order in which they arrived.
  var arrivals: [(batch: SourceLoad.BatchNumber, transfer: SourceLoad.Transfer)] {
    arriving.compactMap { number in all[number]?.arrival.map { (number, $0) } }
  }

  /// The batches that make these pixels of a body, in the order in which they began.
  func decoding(_ fitting: Fitting, of body: BodyID) -> [SourceLoad.Batch] {
    decodes[Decode(body: body, fitting: fitting), default: []].compactMap { all[$0] }
  }

  mutating func add(_ batch: SourceLoad.Batch) {
    all[batch.number] = batch
    if batch.arrival != nil { arriving.append(batch.number) }
    for decode in Self.decodes(of: batch) { decodes[decode, default: []].append(batch.number) }
  }

  mutating func remove(_ number: SourceLoad.BatchNumber) -> SourceLoad.Batch? {
    guard let batch = all.removeValue(forKey: number) else { return nil }
    if batch.arrival != nil { arriving.removeAll { $0 == number } }
    for decode in Self.decodes(of: batch) {
      decodes[decode]?.removeAll { $0 == number }
      if decodes[decode]?.isEmpty == true { decodes[decode] = nil }
    }
    return batch
  }

  mutating func setPriority(_ priority: ImagePriority, of number: SourceLoad.BatchNumber) {
    all[number]?.priority = priority
  }

  /// Notes that no subscriber waits for a batch; whether that is new.
  mutating func abandon(_ number: SourceLoad.BatchNumber) -> Bool {
    guard all[number]?.isAbandoned == false else { return false }
    all[number]?.isAbandoned = true
    return true
  }

  /// New bytes have no id yet, so no other subscriber can join their decode.
  private static func decodes(of batch: SourceLoad.Batch) -> [Decode] {
    guard let body = batch.input.body else { return [] }
    return batch.renderTargets.keys.map { Decode(body: body, fitting: $0) }
  }
}

extension SourceLoad {
  struct Batch {
    /// What its images are made of.
    enum Input {
      /// A cache's copy, which may be damaged.
      case cached(BodyID)
      /// What an earlier transfer brought: it has proved to be an image.
      case transferred(BodyID)
      /// What a transfer has just brought: the batch finds out what that is. A download is kept by
      /// the caches, though no caller waits.
      case arrival(Transfer, isDownload: Bool)

      /// The body's id; nil until it is known.
      var body: BodyID? {
        switch self {
        case .cached(let id), .transferred(let id): id
        case .arrival: nil
        }
      }

      var isCached: Bool { if case .cached = self { true } else { false } }
      var isDownload: Bool {
        if case .arrival(_, let isDownload) = self { isDownload } else { false }
      }
    }

    let number: BatchNumber
    let input: Input
    /// Whether its body is the beginning of a file.
    let isPrefix: Bool
    var priority: ImagePriority
    /// Whether no subscriber waits for its images any more.
    var isAbandoned = false
    /// What is drawn of the same pixels, and the caches that store it.
    let renderTargets: [Fitting: [RenderTarget: CacheStages]]

    /// The transfer that has just brought its body.
    var arrival: Transfer? { if case .arrival(let transfer, _) = input { transfer } else { nil } }
  }
}
