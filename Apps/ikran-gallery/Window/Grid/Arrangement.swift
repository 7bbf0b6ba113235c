import IkranGTK

/// All items in the order in which they are shown; files are looked at on another thread.
@MainActor
final class Arrangement {
  /// Why the order is another one.
  enum Change: Sendable { case order, files, trash }

  /// The numbers of all items, as they are shown.
  private(set) var order: [Int]
  /// Called when ``order`` is set, with all that has changed since the last time.
  var onArrange: (@MainActor (Set<Change>) -> Void)?
  private let binder: CellBinder
  private var sorting = ItemOrder.name
  /// The numbers of all items as they were found, dropped ones first.
  private var found: [Int]
  private var dropped: [Int] = []
  /// Those whose files were moved to the trash: they are shown if there are files again.
  private var trashed: Set<Int> = []
  private let dates = TakenDates()
  private var changes: Set<Change> = []
  private var work: Task<Void, Never>?
  /// How many times an order was asked for.
  private var count = 0

  /// Arranges all items of a binder as they were found.
  init(_ binder: CellBinder) {
    self.binder = binder
    found = Array(binder.items.indices)
    order = found
  }

  /// Whether the order is the one that was asked for last.
  var isSettled: Bool { work == nil }

  /// Shows another order.
  func sort(by sorting: ItemOrder) {
    guard sorting != self.sorting else { return }
    self.sorting = sorting
    arrange(.order)
  }

  /// Shows an item no more whose file was moved to the trash.
  func hide(_ number: Int) {
    trashed.insert(number)
    arrange(.trash)
  }

  /// Shows an item again whose file was put back.
  func show(_ number: Int) {
    trashed.remove(number)
    arrange(.trash)
  }

  /// Adds items in front.
  func add(_ items: [Item]) {
    let numbers = binder.add(items)
    dropped = numbers + dropped
    found = numbers + found
    arrange(.order)
  }

  /// Shows other items, and none that were added.
  func replace(with items: [Item]) {
    dropped = []
    found = binder.numbers(of: items, except: [])
    arrange(.order)
  }

  /// Shows the items that are there now, and those that were added.
  func update(_ items: [Item]) {
    found = dropped + binder.numbers(of: items, except: dropped)
    arrange(.files)
  }

  private func arrange(_ change: Change) {
    changes.insert(change)
    count += 1
    work?.cancel()
    work = nil
    guard sorting != .name || !trashed.isEmpty else { return use(found) }
    let (items, dates) = (binder.items, sorting == .date ? dates : nil)
    work = Task { @concurrent [found, sorting, trashed, count, weak self] in
      let facts = { (number: Int) -> FileFacts? in
        // What is not wanted any more is not read.
        guard !Task.isCancelled, let path = items[number].path else { return nil }
        return dates.map { $0.facts(path) } ?? FileFacts(path: path)
      }
      let there = found.filter { !trashed.contains($0) || facts($0) != nil }
      let order = sorting.sorted(there, facts: facts)
      guard !Task.isCancelled else { return }
      MainLoop.post { [weak self] in self?.finish(order, count) }
    }
  }

  private func finish(_ order: [Int], _ count: Int) {
    // What was asked for since is on its way.
    guard count == self.count else { return }
    work = nil
    use(order)
  }

  private func use(_ numbers: [Int]) {
    order = numbers
    defer { changes = [] }
    onArrange?(changes)
  }
}
