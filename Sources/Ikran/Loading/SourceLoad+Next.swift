// What a source's load does next, after each event.

extension SourceLoad {
  enum Need { case nothing, render, wait, record, caches(CacheStages), nothingThere, transfer }

  /// Decides for each subscriber that waits.
  mutating func advance(_ actions: inout [Action]) {
    var (unchanged, ready, missing, wanting): ([Int], [Int], [Int], [Int]) = ([], [], [], [])
    var stages: CacheStages = []
    var readsRecord = false
    for id in order {
      guard let subscriber = subscribers[id], subscriber.batch == nil else { continue }
      switch need(of: subscriber) {
      case .nothing: unchanged.append(id)
      case .render: ready.append(id)
      case .wait: break
      case .record: readsRecord = true
      case .caches(let unread): stages.formUnion(unread)
      case .nothingThere: missing.append(id)
      case .transfer:
        let first = subscriber.firstTransfer
        if !arrivals.values.contains(where: { $0.number >= first }) { wanting.append(id) }
      }
    }
    if let found, !unchanged.isEmpty {
      resume(unchanged, .unchanged(found.validity, despite: nil), &actions)
    }
    resume(missing, .notCached, &actions)
    if let body = found?.body { renderEach(ready, of: body, &actions) }
    stages.subtract(reading)
    if !stages.isEmpty {
      reading.formUnion(stages)
      actions.append(.readCaches(stages))
    }
    if readsRecord, !isReadingRecord {
      isReadingRecord = true
      actions.append(.readRecord)
    }
    continueTransfer(for: wanting, &actions)
    retune(&actions)
  }

  func need(of subscriber: Subscriber) -> Need {
    let want = subscriber.want
    if let found, isUsable(found, by: subscriber) {
      if found.id == want.held || !want.needsBody { return .nothing }
      if found.body != nil { return isBeingDecoded(want) ? .wait : .render }
    }
    if want.demand != .reloaded {
      if found?.id == want.held && found != nil || !want.needsBody {
        if found?.validators == nil, !hasReadRecord, want.reads.contains(.disk) { return .record }
      } else if !(found?.body.map { want.reads.contains($0.stage) } ?? false) {
        let unread = want.reads.intersection(.bodies).subtracting(read)
        if !unread.isEmpty { return .caches(unread) }
      }
    }
    return want.demand == .cached ? .nothingThere : .transfer
  }

  /// Whether another batch decodes what a drawing needs: its decode will be in memory.
  func isBeingDecoded(_ want: Want) -> Bool {
    guard let drawing = want.drawing else { return false }
    return batches.values.contains { batch in
      batch.drawings.keys.contains { $0.fitting == drawing.fitting && $0 != drawing }
    }
  }

  func isUsable(_ found: Found, by subscriber: Subscriber) -> Bool {
    if found.transfer > 0 { return found.transfer >= subscriber.firstTransfer }
    let want = subscriber.want
    let mayBeRead = found.body.map { want.reads.contains($0.stage) } ?? true
    guard mayBeRead || found.id == want.held else { return false }
    switch want.demand {
    case .cached: return true
    case .fresh:
      if case .stale = found.validity { return false }
      return true
    case .revalidated, .reloaded: return false
    }
  }

  func isForCaches(_ id: Int) -> Bool {
    guard let subscriber = subscribers[id] else { return false }
    return subscriber.batch == nil && !subscriber.want.reads.isEmpty
      && subscriber.want.demand.rawValue <= Demand.fresh.rawValue
  }

  /// Those who wait for a transfer, and whom it is new enough for.
  func waitingForTransfer(_ number: Int) -> [Int] {
    order.filter { id in
      guard let subscriber = subscribers[id], subscriber.batch == nil,
        subscriber.firstTransfer <= number
      else { return false }
      if case .transfer = need(of: subscriber) { return true }
      return false
    }
  }

  mutating func continueTransfer(for wanting: [Int], _ actions: inout [Action]) {
    guard let running = transfer else {
      if !wanting.isEmpty { start(for: wanting, &actions) }
      return
    }
    let isWanted = wanting.contains { subscribers[$0]?.firstTransfer ?? 0 <= running.number }
    guard !isWanted else { return }
    transfer = nil
    actions.append(.cancelTransfer)
    if !wanting.isEmpty { start(for: wanting, &actions) }
  }

  mutating func start(for wanting: [Int], _ actions: inout [Action]) {
    let wants = wanting.compactMap { subscribers[$0]?.want }
    let mayBeConfirmed = wants.allSatisfy { want in
      want.demand != .reloaded
        && (found?.id == want.held || !want.needsBody
          || found?.body.map { want.reads.contains($0.stage) } ?? false)
    }
    let validators = mayBeConfirmed && found?.transfer == 0 ? found?.validators : nil
    let hasFallback = found?.validity == .stale(usableOnError: true)
    let mayFallBack = wants.allSatisfy { want in
      want.demand == .fresh && (found?.id == want.held || found?.body != nil)
    }
    transferCount += 1
    let order = TransferOrder(
      number: transferCount,
      isReload: wants.contains { $0.demand == .reloaded },
      validators: validators,
      priority: wants.map(\.priority).max() ?? .normal,
      mayRetry: !(hasFallback && mayFallBack),
      timeout: wants.map(\.timeout).max() ?? .zero
    )
    transfer = Transfer(
      number: order.number,
      isReload: order.isReload,
      isConditional: validators != nil,
      timeout: order.timeout,
      priority: order.priority
    )
    actions.append(.startTransfer(order))
  }

  /// Gives the transfer and each batch the highest priority of those who wait for them.
  mutating func retune(_ actions: inout [Action]) {
    if let running = transfer {
      let waiting = subscribers.values.filter { $0.batch == nil }
      if let highest = waiting.map(\.want.priority).max(), highest != running.priority {
        transfer?.priority = highest
        actions.append(.setTransferPriority(highest))
      }
    }
    for (number, batch) in batches {
      let members = subscribers.values.filter { $0.batch == number }
      guard let highest = members.map(\.want.priority).max() else {
        // What has arrived is kept, also when it is not waited for any more.
        if arrivals[number] == nil {
          batches[number] = nil
          actions.append(.withdraw(batch: number))
        }
        continue
      }
      guard highest != batch.priority else { continue }
      batches[number]?.priority = highest
      actions.append(.setRenderPriority(batch: number, highest))
    }
  }

  /// Renders what is not being rendered already; the others join.
  mutating func renderEach(_ ids: [Int], of body: Body, _ actions: inout [Action]) {
    var left: [Int] = []
    for id in ids {
      guard let want = subscribers[id]?.want else { continue }
      // The caches that it is stored in are known when it is begun.
      let running = batches.first { batch in
        let stores = want.drawing.flatMap { batch.value.drawings[$0] }
        return arrivals[batch.key] == nil && stores?.isSuperset(of: want.stores) == true
      }
      if let running { subscribers[id]?.batch = running.key } else { left.append(id) }
    }
    if !left.isEmpty { render(body, left, &actions) }
  }

  @discardableResult
  mutating func render(_ body: Body, _ ids: [Int], _ actions: inout [Action]) -> Int {
    batchCount += 1
    for id in ids { subscribers[id]?.batch = batchCount }
    let wants = ids.compactMap { subscribers[$0]?.want }
    let priority = wants.map(\.priority).max() ?? .normal
    var drawings: [Drawing: CacheStages] = [:]
    for want in wants {
      if let drawing = want.drawing { drawings[drawing, default: []].formUnion(want.stores) }
    }
    batches[batchCount] = Batch(priority: priority, drawings: drawings)
    actions.append(.render(batch: batchCount, body, ids, priority))
    return batchCount
  }

  mutating func resume(_ ids: [Int], _ outcome: Outcome, _ actions: inout [Action]) {
    guard !ids.isEmpty else { return }
    for id in ids { remove(id) }
    actions.append(.resume(ids, outcome))
  }
}
