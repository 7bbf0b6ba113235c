import IkranPixels
import IkranTransport

// What a source's load does next, after each event.

extension SourceLoad {
  /// What a subscriber needs that waits.
  enum Need {
    /// Nothing more: the image that its caller holds is valid, or a validation was all it wanted.
    case nothing
    /// An image of the body that was found.
    case render
    /// The same image as a batch under way makes.
    case join(batch: Int)
    /// What a batch under way finds out, or decodes, first.
    case behind(batch: Int)
    case caches(CacheStages)
    case record
    /// What no cache has.
    case nothingThere
    /// The transfer under way, or a later one.
    case transfer
  }

  /// Decides for each subscriber that waits.
  mutating func advance(_ actions: inout [Action]) {
    withdrawUnwanted(&actions)
    var (ready, missing): ([Int], [Int]) = ([], [])
    var (stages, needsRecord): (CacheStages, Bool) = ([], false)
    for subscriber in subscribers where subscriber.batch == nil {
      let id = subscriber.id
      switch need(of: subscriber) {
      case .nothing:
        guard let found else { continue }
        resume([id], .unchanged(found.validity, despite: subscriber.despite), &actions)
      case .render: ready.append(id)
      case .join(let batch): change(id) { $0.batch = batch }
      case .behind, .transfer: break
      case .caches(let unread): stages.formUnion(unread)
      case .record: needsRecord = true
      case .nothingThere: missing.append(id)
      }
    }
    resume(missing, .notCached, &actions)
    if let body = found?.body, !ready.isEmpty {
      render(body, withThoseBehind(ready), arrival: nil, &actions)
    }
    readUnread(stages, needsRecord, &actions)
    continueTransfer(&actions)
    setPriorities(&actions)
  }

  /// Those who are ready, and who wait behind another decode for the same image: one of something stale
  /// does not wait, and need not be made twice.
  private func withThoseBehind(_ ready: [Int]) -> [Int] {
    let urgent = subscribers.filter { $0.despite != nil && ready.contains($0.id) }
      .compactMap(\.want.drawing)
    guard !urgent.isEmpty else { return ready }
    return subscribers.filter { subscriber in
      if ready.contains(subscriber.id) { return true }
      guard subscriber.batch == nil, let drawing = subscriber.want.drawing,
        urgent.contains(drawing), case .behind(let number) = need(of: subscriber)
      else { return false }
      // Not behind bytes that have just arrived, which are others.
      return batches.contains { $0.number == number && $0.arrival == nil }
    }.map(\.id)
  }

  func need(of subscriber: Subscriber) -> Need {
    let want = subscriber.want
    if let found, isUsable(found, by: subscriber) {
      if needsNoBody(found, want) { return .nothing }
      if found.body?.isEnough(for: want) == true {
        return rendering(for: subscriber, from: found.id)
      }
    }
    if want.demand != .reloaded, let unread = unread(by: want) { return unread }
    if want.demand == .cached { return .nothingThere }
    let arriving = batches.first { $0.arrival?.serves(subscriber) ?? false }
    return arriving.map { .behind(batch: $0.number) } ?? .transfer
  }

  // MARK: - What was found

  func isUsable(_ found: Found, by subscriber: Subscriber) -> Bool {
    let want = subscriber.want
    if want.demand == .reloaded { return found.arrival?.serves(subscriber) ?? false }
    if found.transfer >= subscriber.firstTransfer || subscriber.despite != nil { return true }
    guard needsNoBody(found, want) || mayRead(found, for: want) else { return false }
    switch (want.demand, found.validity) {
    case (.cached, _), (.fresh, .fresh), (.fresh, .staleWhileRevalidate): return true
    default: return false
    }
  }

  /// Whether a subscriber needs no body, if what was found is valid.
  func needsNoBody(_ found: Found, _ want: Want) -> Bool {
    found.id == want.held || !want.needsBody
  }

  /// Whether there is a body that is enough, and the subscriber reads the cache that has it.
  func mayRead(_ found: Found, for want: Want) -> Bool {
    guard let body = found.body, body.isEnough(for: want) else { return false }
    let isCopy = found.arrival == nil
    return isCopy ? want.reads.contains(body.stage) : body.mayStore && !want.reads.isEmpty
  }

  /// Whether a 304 would do.
  func mayBeConfirmed(_ want: Want) -> Bool {
    guard let found, want.demand != .reloaded else { return false }
    return needsNoBody(found, want) || mayRead(found, for: want)
  }

  /// Whether something stale will do when the origin cannot be asked.
  func mayFallBack(_ want: Want) -> Bool {
    want.demand == .fresh && found?.validity == .stale(usableOnError: true) && mayBeConfirmed(want)
  }

  // MARK: - Caches

  mutating func finishReading(_ stages: CacheStages, _ found: Found?) {
    reading.subtract(stages)
    // With memory's file at hand the disk was not read.
    read.formUnion(found?.body?.stage == .memory ? .memory : stages)
    learn(found)
  }

  /// Takes note of what a cache has, unless a transfer brought something newer.
  mutating func learn(_ cached: Found?) {
    guard let cached else { return }
    guard var known = found, known.transfer > 0 else { return replaceFound(with: cached) }
    guard known.id == cached.id, known.body == nil else { return }
    (known.body, known.arrival) = (cached.body, nil)
    found = known
  }

  /// Keeps a body that is still the right one.
  mutating func replaceFound(with new: Found) {
    var new = new
    if new.body == nil, let found, found.id == new.id {
      (new.body, new.arrival) = (found.body, found.arrival)
    }
    found = new
  }

  /// What the caches may still have for a subscriber.
  func unread(by want: Want) -> Need? {
    if found.map({ needsNoBody($0, want) }) ?? !want.needsBody {
      let mayKnow = !hasReadRecord && want.reads.contains(.disk)
      return found?.validators == nil && mayKnow ? .record : nil
    }
    if let found, mayRead(found, for: want) { return nil }
    let unread = want.reads.intersection(.bodies).subtracting(read)
    return unread.isEmpty ? nil : .caches(unread)
  }

  /// Those who would follow a redirect that a cache has.
  var waitingForCaches: [Int] {
    subscribers.filter { subscriber in
      let want = subscriber.want
      return subscriber.batch == nil && !want.reads.isEmpty
        && (want.demand == .cached || want.demand == .fresh)
    }.map(\.id)
  }

  mutating func readUnread(
    _ stages: CacheStages,
    _ needsRecord: Bool,
    _ actions: inout [Action]
  ) {
    let unread = stages.subtracting(reading)
    if !unread.isEmpty {
      reading.formUnion(unread)
      actions.append(.readCaches(unread))
    }
    if needsRecord, !isReadingRecord {
      isReadingRecord = true
      actions.append(.readRecord)
    }
  }

  // MARK: - Transfers

  /// The subscribers that wait for a transfer and may use its result.
  func waiting(for transfer: Transfer) -> [Int] {
    subscribers.filter { transfer.serves($0) && awaitsTransfer($0) }.map(\.id)
  }

  /// The fittings of the subscribers that wait for the transfer of this number; nil when one of them needs
  /// the whole file, and when it is not under way.
  func fittings(of number: Int) -> Set<Fitting>? {
    guard let transfer, transfer.number == number else { return nil }
    let waiting = subscribers.filter { transfer.serves($0) && awaitsTransfer($0) }.map(\.want)
    guard waiting.allSatisfy(\.stopsEarly) else { return nil }
    let fittings = waiting.compactMap(\.drawing?.fitting)
    return fittings.count == waiting.count ? Set(fittings) : nil
  }

  func awaitsTransfer(_ subscriber: Subscriber) -> Bool {
    guard subscriber.batch == nil, case .transfer = need(of: subscriber) else { return false }
    return true
  }

  /// Cancels the transfer under way if it is not wanted, and starts one if it is.
  mutating func continueTransfer(_ actions: inout [Action]) {
    if let running = transfer {
      let isWanted = subscribers.contains { running.serves($0) && awaitsTransfer($0) }
      if !isWanted, !running.isCancelled {
        transfer?.isCancelled = true
        actions.append(.cancelTransfer)
      }
      return
    }
    let wants = subscribers.filter(awaitsTransfer).map(\.want)
    guard !wants.isEmpty else { return }
    transferCount += 1
    let order = TransferOrder(
      number: transferCount,
      isReload: wants.contains { $0.demand == .reloaded },
      validators: wants.allSatisfy(mayBeConfirmed) ? found?.validators : nil,
      priority: wants.map(\.priority).max() ?? .normal,
      mayRetry: !wants.allSatisfy(mayFallBack),
      timeout: wants.map(\.timeout).max() ?? .zero
    )
    transfer = Transfer(
      number: order.number,
      isReload: order.isReload,
      mayRetry: order.mayRetry,
      timeout: order.timeout,
      priority: order.priority
    )
    actions.append(.startTransfer(order))
  }

  // MARK: - Batches

  /// How a subscriber gets an image of the bytes with this id.
  func rendering(for subscriber: Subscriber, from body: BodyID) -> Need {
    let want = subscriber.want
    guard let drawing = want.drawing else { return .render }
    let running = batches.filter { $0.body == body }
    // The caches that it is stored in are known when it is begun.
    let same = running.first { $0.drawings[drawing]?.isSuperset(of: want.stores) == true }
    if let same { return .join(batch: same.number) }
    // Something stale is rendered at once: by the time that another decode of it is in memory, bytes of
    // a cache that this subscriber does not read may have taken its place.
    guard subscriber.despite == nil else { return .render }
    // Its decode will be in memory.
    let decoding = running.first { batch in
      batch.drawings.keys.contains { $0.fitting == drawing.fitting && $0 != drawing }
    }
    return decoding.map { .behind(batch: $0.number) } ?? .render
  }

  mutating func render(
    _ body: Body,
    _ ids: [Int],
    arrival: Transfer?,
    _ actions: inout [Action]
  ) {
    batchCount += 1
    let number = batchCount
    for id in ids { change(id) { $0.batch = number } }
    let wants = subscribers.filter { $0.batch == number }.map(\.want)
    var drawings: [Drawing: CacheStages] = [:]
    for want in wants {
      if let drawing = want.drawing { drawings[drawing, default: []].formUnion(want.stores) }
    }
    let batch = Batch(
      number: number,
      body: arrival == nil ? found?.id : nil,
      isCopy: arrival == nil && found?.arrival == nil,
      arrival: arrival,
      isPrefix: body.prefix != nil,
      priority: wants.map(\.priority).max() ?? .normal,
      drawings: drawings
    )
    batches.append(batch)
    actions.append(.render(batch: number, body, ids, batch.priority))
  }

  mutating func remove(batch number: Int) -> Batch? {
    batches.firstIndex { $0.number == number }.map { batches.remove(at: $0) }
  }

  mutating func rendered(_ number: Int, _ found: Found) {
    guard let batch = remove(batch: number) else { return }
    subscribers.removeAll { $0.batch == number }
    guard let arrival = batch.arrival,
      arrival.number > max(self.found?.transfer ?? 0, lastOutdated)
    else { return }
    var new = found
    (new.transfer, new.arrival) = (arrival.number, arrival)
    self.found = new
  }

  mutating func undecodable(
    _ number: Int,
    _ error: ImageError,
    _ actions: inout [Action]
  ) {
    guard let batch = remove(batch: number) else { return }
    let members = subscribers.filter { $0.batch == number }
    for member in members {
      change(member.id) {
        ($0.batch, $0.want.stopsEarly) = (nil, $0.want.stopsEarly && !batch.isPrefix)
      }
    }
    if batch.isPrefix {
      // The rest of the file may show what was meant.
      if batch.arrival == nil, found?.id == batch.body { found?.body = nil }
      return
    }
    if let arrival = batch.arrival { return settle(arrival, error, &actions) }
    if found?.id == batch.body { found?.body = nil }
    for member in members {
      let demand = member.want.demand
      // A damaged copy is transferred again, for those who may.
      if batch.isCopy, member.despite == nil, demand != .cached {
        change(member.id) { $0.want.reads = [] }
      } else {
        resume([member.id], .failed(member.despite ?? error), &actions)
      }
    }
  }

  /// Withdraws the batches that are left without members; what has arrived is kept all the same.
  mutating func withdrawUnwanted(_ actions: inout [Action]) {
    for batch in batches where batch.arrival == nil {
      guard !subscribers.contains(where: { $0.batch == batch.number }) else { continue }
      batches.removeAll { $0.number == batch.number }
      actions.append(.withdraw(batch: batch.number))
    }
  }

  // MARK: - Priorities

  /// Gives the transfer and each batch the highest priority of those who wait for them.
  mutating func setPriorities(_ actions: inout [Action]) {
    if let running = transfer, !running.isCancelled,
      let highest = subscribers.filter(awaitsTransfer).map(\.want.priority).max(),
      highest != running.priority
    {
      transfer?.priority = highest
      actions.append(.setTransferPriority(highest))
    }
    for index in batches.indices {
      let number = batches[index].number
      let waiting = subscribers.filter { waits($0, for: number) }
      guard let highest = waiting.map(\.want.priority).max(),
        highest != batches[index].priority
      else { continue }
      batches[index].priority = highest
      actions.append(.setRenderPriority(batch: number, highest))
    }
  }

  func waits(_ subscriber: Subscriber, for number: Int) -> Bool {
    if let batch = subscriber.batch { return batch == number }
    guard case .behind(number) = need(of: subscriber) else { return false }
    return true
  }
}
