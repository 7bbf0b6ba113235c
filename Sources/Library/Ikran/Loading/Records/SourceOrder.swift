import IkranStores

/// The last change of each source: its number, and the id of the bytes from then on.
///
/// It is kept apart from the records, which may be evicted (decision 58). When it is full, the
/// older half is dropped, and one number stands for it: every change up to that number counts as
/// out of date, whatever its source.
struct SourceOrder: Sendable {
  /// The last change of one source.
  struct Change: Sendable {
    /// Its place among all changes (``SourceRecord/change``).
    let number: ChangeNumber
    /// The id of the bytes from then on; nil for none, and for a redirect.
    let body: BodyID?
    /// When they may be used without asking, as in the source's record.
    let fresh: Range<Int64>
    /// Whether the id alone is not enough: a redirect, and a response that varies by credentials or
    /// must not be stored.
    let needsResponse: Bool

    init(_ record: SourceRecord) {
      (number, body) = (record.change, record.body)
      needsResponse = record.isRedirect || record.variesWithCredentials || record.isNoStore
      fresh = record.requested..<max(record.requested, record.fresh.upperBound)
    }

    /// The source's record without its response; nil when that says nothing.
    var record: SourceRecord? {
      guard !needsResponse else { return nil }
      var record =
        body.map { SourceRecord(FreshnessFile.Entry(body: $0, fresh: fresh)) }
        ?? .none(since: fresh.lowerBound)
      record.change = number
      return record
    }

    /// Whether a response requested at this time is at least as new as the change.
    ///
    /// After a removal, only responses requested later are.
    func admits(_ body: BodyID?, requested: Int64) -> Bool {
      if let body, body == self.body { return true }
      return needsResponse ? requested >= fresh.lowerBound : requested > fresh.lowerBound
    }
  }

  /// The most changes; one takes 72 bytes.
  static let limit = 1024

  private var changes: [SourceKey: Change] = [:]
  /// All sources that are not listed are out of date up to this number.
  private var floor = ChangeNumber.none
  /// When every source was last removed, in microseconds since 1970: what was requested before that
  /// and is found in a file is out of date.
  private var emptied = Int64.min

  /// The last change of a source; nil when that is not listed.
  func change(of source: SourceKey) -> Change? { changes[source] }

  /// The number of a source's last change.
  func number(of source: SourceKey) -> ChangeNumber {
    max(changes[source]?.number ?? .none, floor)
  }

  /// Whether a change with this number may be made of a source that may have changed before.
  ///
  /// - Parameters:
  ///   - record: What is known from then on.
  ///   - source: The source.
  ///   - known: The number of what memory knows of the source; `none` for nothing.
  /// - Returns: Whether nothing newer is known of the source, or may be.
  func admits(_ record: SourceRecord, of source: SourceKey, known: ChangeNumber) -> Bool {
    if record.change >= number(of: source) { return true }
    // That nothing is current is safe to say, also of a source whose last change was dropped.
    return record.body == nil && !record.isRedirect && changes[source] == nil
      && record.change >= known
  }

  /// Whether a file's record of a source, requested at a moment, is not out of date.
  func admits(_ body: BodyID?, of source: SourceKey, requested: Int64) -> Bool {
    changes[source]?.admits(body, requested: requested) ?? (requested >= emptied)
  }

  /// Adds what is known of a source from now on.
  mutating func add(_ record: SourceRecord, of source: SourceKey) {
    changes[source] = Change(record)
    guard changes.count > Self.limit else { return }
    let numbers = changes.values.map(\.number).sorted()
    let median = numbers[numbers.count / 2]
    changes = changes.filter { $0.value.number > median }
    floor = max(floor, median)
  }

  /// Removes every source: everything up to this number is out of date.
  mutating func removeAll(upTo number: ChangeNumber, at now: Int64) {
    changes = changes.filter { $0.value.number > number }
    (floor, emptied) = (max(floor, number), max(emptied, now))
  }
}
