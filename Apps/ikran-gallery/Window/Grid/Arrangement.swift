import IkranGTK

/// All items in the order in which they are shown; files are looked at on another thread.
@MainActor
final class Arrangement {
  /// Why the order is another one.
  enum Change: Sendable { case order, files }

  /// The numbers of all items, as they are shown.
  private(set) var order: [Int]
  /// Called when ``order`` is set, with all that has changed since the last time.
  var onArrange: (@MainActor (Set<Change>) -> Void)?
  private let binder: CellBinder
  private var sorting = ItemOrder.name
  /// The numbers of all items as they were found, dropped ones first.
  private var found: [Int]
  private var dropped: [Int] = []
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
    guard sorting != .name else { return use(found) }
    work = Task { @concurrent [found, sorting, count, items = binder.items, weak self] in
      let order = sorting.sorted(found) { number in
        items[number].path.flatMap { FileFacts(path: $0) }
      }
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
