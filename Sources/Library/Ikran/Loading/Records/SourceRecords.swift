import IkranStores
import Synchronization

/// The records of all sources: in memory, bounded in bytes, and in the file for later processes.
///
/// Replacing a record is all it takes to make images of older bytes stale, in memory, in tables and
/// on the disk: each carries the id of its bytes, and none has to be deleted.
///
/// The disk cache's index also has the response of each body. The file lets a later process show a
/// table's image without opening that index. Where nothing has a record of a source, the origin
/// decides by the bytes that it sends: images that are left are used again if their id is the same.
final class SourceRecords: Sendable {
  /// A record takes about half a kilobyte; this is room for some twenty thousand.
  static let byteLimit = 10 << 20

  private let memory = MemoryCache<SourceKey, SourceRecord>(byteLimit: byteLimit)
  private static let maximumInvalidations = 10_000
  private static let stripeCount = 16

  private let file: FreshnessFile?
  /// Each serializes the changes of some of the sources; what memory has is found without.
  private let stripes = (0..<stripeCount).map { _ in Guarded(SourceOrder()) }
  /// Whether the file has records, too, not the invalidations alone.
  private let writesRecords: Bool
  /// When each location was last changed by an unsafe method.
  private let invalidations = MemoryCache<SourceKey, Int64>(byteLimit: .max)
  /// When there were too many invalidations to remember each: what is older is stale, whatever its
  /// location.
  private let invalidationOfAll = Atomic(Int64.min)
  private let sawInvalidation = Atomic(false)
  private let lastNumber = Atomic(0)
  /// The number of the last change before caches were last emptied.
  private let lastOfEmptied = Atomic(0)
  private let sawRedirect = Atomic(false)

  init(_ file: FreshnessFile?, writesRecords: Bool = true) {
    (self.file, self.writesRecords) = (file, writesRecords)
  }

  /// Whether any redirect is known: until then look-ups skip the search for them.
  var hasRedirects: Bool { sawRedirect.load(ordering: .relaxed) }

  /// The bytes that memory uses for records.
  var byteCount: Int { memory.statistics.byteCount }

  /// Does `body` while no other thread changes what is known of a source.
  private func withOrder<Value: Sendable>(
    of source: SourceKey,
    _ body: (inout SourceOrder) -> Value
  ) -> Value {
    stripes[Int(truncatingIfNeeded: source.id.low) & (Self.stripeCount - 1)].withLock { body(&$0) }
  }

  /// Finds the record of a source without waiting for the disk cache: by a `pread` at most.
  ///
  /// Nil when the source is unknown: its cached images may be outdated.
  func record(of source: SourceKey, at location: SourceKey) -> SourceRecord? {
    if let record = recordInMemory(of: source, at: location) { return record }
    return withOrder(of: source) { readRecord(of: source, at: location, order: $0) }
  }

  private func recordInMemory(of source: SourceKey, at location: SourceKey) -> SourceRecord? {
    guard let record = memory.value(for: source) else { return nil }
    guard sawInvalidation.load(ordering: .relaxed) else { return record }
    let moment = max(
      invalidations.value(for: location) ?? .min,
      invalidationOfAll.load(ordering: .relaxed)
    )
    return record.requested <= moment ? .none(since: moment) : record
  }

  /// Reads it from the file if memory does not have it by now, unless the order knows better.
  private func readRecord(
    of source: SourceKey,
    at location: SourceKey,
    order: SourceOrder
  ) -> SourceRecord? {
    if let record = recordInMemory(of: source, at: location) { return record }
    if writesRecords, let entry = file?.entry(for: source.id),
      order.admits(entry.body, of: source, requested: entry.fresh.lowerBound)
    {
      var record = valid(SourceRecord(entry), at: location)
      record.change = order.change(of: source)?.number ?? .none
      put(record, of: source)
      return record
    }
    guard let record = order.change(of: source)?.record else { return nil }
    put(record, of: source)
    return recordInMemory(of: source, at: location)
  }

  /// A number for the next change, or for a transfer that may lead to one.
  func nextChange() -> ChangeNumber {
    ChangeNumber(value: lastNumber.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  /// Sets what is known of a source from now on, unless a later change is known: a transfer that
  /// began before it replaces nothing.
  ///
  /// - Parameters:
  ///   - record: What is known.
  ///   - source: The source.
  ///   - isConfirmation: Whether it is a 304, which says nothing of other bytes than its own.
  ///   - forLaterProcesses: Whether the file has it, too.
  /// - Returns: Whether it was set.
  @discardableResult
  func set(
    _ record: SourceRecord,
    of source: SourceKey,
    isConfirmation: Bool = false,
    forLaterProcesses: Bool = true
  ) -> Bool {
    withOrder(of: source) { order in
      let last = memory.value(for: source)?.change ?? .none
      guard order.admits(record, of: source, known: last) else { return false }
      if isConfirmation, let known = knownBody(of: source, order: order), known != record.body {
        return false
      }
      put(record, of: source)
      order.add(record, of: source)
      if forLaterProcesses { write(record, of: source) }
      return true
    }
  }

  /// Lets the bytes of a record pass for fresh for a while, in this process, unless others are the
  /// current ones by now.
  func prolong(_ record: SourceRecord, of source: SourceKey, to fresh: Range<Int64>) {
    withOrder(of: source) { _ in
      guard var known = memory.value(for: source), known.body == record.body,
        known.received == record.received
      else { return }
      known.fresh = fresh
      put(known, of: source)
    }
  }

  /// Whether bytes are known to be a source's still.
  func isCurrent(_ body: BodyID, of source: SourceKey) -> Bool {
    withOrder(of: source) { knownBody(of: source, order: $0) == .some(body) }
  }

  /// Whether no later change of a source is known than the one with this number.
  func isLast(_ number: ChangeNumber, of source: SourceKey) -> Bool {
    withOrder(of: source) { order in
      let last = order.change(of: source)?.number ?? memory.value(for: source)?.change ?? .none
      return last <= number
    }
  }

  /// The id of a source's bytes, nil in the optional for none; nil when that is not known.
  private func knownBody(of source: SourceKey, order: SourceOrder) -> BodyID?? {
    if let record = memory.value(for: source) { return .some(record.body) }
    if let change = order.change(of: source) { return .some(change.body) }
    guard writesRecords, let entry = file?.entry(for: source.id),
      order.admits(entry.body, of: source, requested: entry.fresh.lowerBound)
    else { return nil }
    return .some(entry.body)
  }

  private func put(_ record: SourceRecord, of source: SourceKey) {
    if record.isRedirect { sawRedirect.store(true, ordering: .relaxed) }
    memory.store(record, cost: record.cost, for: source)
  }

  /// Lets later processes have what this one alone knew.
  func persist(_ body: BodyID, of source: SourceKey) {
    withOrder(of: source) { _ in
      guard let record = memory.value(for: source), record.body == body else { return }
      write(record, of: source)
    }
  }

  private func write(_ record: SourceRecord, of source: SourceKey) {
    guard writesRecords else { return }
    let body = record.variesWithCredentials || record.isNoStore ? nil : record.body
    file?.set(body.map { FreshnessFile.Entry(body: $0, fresh: record.fresh) }, for: source.id)
  }

  /// Sets what the disk says of a source, unless something newer is known.
  ///
  /// - Returns: What is known now.
  func learn(
    _ record: SourceRecord,
    of source: SourceKey,
    at location: SourceKey
  ) -> SourceRecord {
    let record = valid(record, at: location)
    return withOrder(of: source) { order in
      var record = record
      if let known = readRecord(of: source, at: location, order: order) {
        let isSame = known.response == nil && known.body != nil && known.body == record.body
        if !isSame, known.received >= record.received || record.response == nil { return known }
        record.change = known.change
      } else if record.response != nil,
        !order.admits(record.body, of: source, requested: record.requested)
      {
        return .none(since: record.requested)
      } else {
        record.change = order.change(of: source)?.number ?? .none
      }
      put(record, of: source)
      order.add(record, of: source)
      return record
    }
  }

  /// When everything was last made stale that was stored of a location; `Int64.min` when it never
  /// was.
  func invalidation(of location: SourceKey) -> Int64 {
    let stored = file?.entry(for: Self.id(of: location))?.fresh.lowerBound ?? .min
    let known = invalidations.value(for: location) ?? .min
    return max(stored, known, invalidationOfAll.load(ordering: .relaxed))
  }

  /// Marks that caches are emptied: what transfers bring that have begun before now is not stored.
  func noteEmptied() { _ = lastOfEmptied.max(nextChange().value, ordering: .relaxed) }

  /// Whether caches were emptied since the transfer with this number began.
  func wereEmptied(since number: ChangeNumber) -> Bool {
    number.value < lastOfEmptied.load(ordering: .relaxed)
  }

  /// Whether what arrives of a transfer with this number may be kept: its source was not changed,
  /// and no cache emptied, since it was sent.
  func mayKeep(sentAs number: ChangeNumber, of source: SourceKey) -> Bool {
    guard !wereEmptied(since: number) else { return false }
    return withOrder(of: source) { order in
      max(order.number(of: source), memory.value(for: source)?.change ?? .none) <= number
    }
  }

  /// Makes everything out of date that is known of any source, and what transfers bring that have
  /// begun before now.
  func removeAll(at now: Int64) {
    noteEmptied()
    let number = ChangeNumber(value: lastOfEmptied.load(ordering: .relaxed))
    for stripe in stripes { stripe.withLock { $0.removeAll(upTo: number, at: now) } }
    memory.removeAll()
  }

  /// Makes everything stale that was stored of a location before now, whatever the request's
  /// fields.
  func invalidate(location: SourceKey, at now: Int64) {
    if invalidations.statistics.count >= Self.maximumInvalidations {
      invalidationOfAll.store(now, ordering: .relaxed)
      invalidations.removeAll()
    }
    invalidations.store(now, cost: 64, for: location)
    sawInvalidation.store(true, ordering: .relaxed)
    // It outlives the records that it is about: the entry that ends first makes room in the file.
    let entry = FreshnessFile.Entry(body: location.id, fresh: now..<now + Self.invalidationLifetime)
    file?.set(entry, for: Self.id(of: location))
  }

  /// Drops records until they take no more than so many bytes; what they named has to be validated.
  func trim(toBytes bytes: Int) { memory.trim(toBytes: bytes) }

  private func valid(_ record: SourceRecord, at location: SourceKey) -> SourceRecord {
    guard let entry = file?.entry(for: Self.id(of: location)) else { return record }
    let moment = entry.fresh.lowerBound
    return record.requested <= moment ? .none(since: moment) : record
  }

  /// A year: as long as the longest `max-age` in use.
  private static let invalidationLifetime = Duration.seconds(365 * 86_400).microseconds

  private static func id(of location: SourceKey) -> TableID {
    TableID("invalidated\u{0}\(location)")
  }
}
