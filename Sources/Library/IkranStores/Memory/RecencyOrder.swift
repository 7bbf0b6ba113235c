/// The ends of one linked list, from the most to the least recently used entry.
@usableFromInline
struct RecencyOrder {
  @usableFromInline var newest: Int32 = -1
  @usableFromInline var oldest: Int32 = -1
  /// The sum of the entries' costs, updated by the table.
  @usableFromInline var cost = 0

  @inlinable
  init() {}

  @inlinable
  mutating func unlink(_ position: Int32, _ links: inout [RecencyLink]) {
    let link = links[Int(position)]
    if link.newer >= 0 { links[Int(link.newer)].older = link.older } else { newest = link.older }
    if link.older >= 0 { links[Int(link.older)].newer = link.newer } else { oldest = link.newer }
  }

  @inlinable
  mutating func linkNewest(_ position: Int32, _ links: inout [RecencyLink]) {
    links[Int(position)].newer = -1
    links[Int(position)].older = newest
    if newest >= 0 { links[Int(newest)].newer = position } else { oldest = position }
    newest = position
  }

  /// Updates the neighbours of an entry that has moved to another position.
  @inlinable
  mutating func moved(
    to position: Int32,
    _ link: RecencyLink,
    _ links: inout [RecencyLink]
  ) {
    if link.newer >= 0 { links[Int(link.newer)].older = position } else { newest = position }
    if link.older >= 0 { links[Int(link.older)].newer = position } else { oldest = position }
  }
}

/// An entry's links to its neighbours; in a separate array, as readers share the entries unchanged.
@usableFromInline
struct RecencyLink {
  @usableFromInline var newer: Int32 = -1
  @usableFromInline var older: Int32 = -1
  /// The epoch of the last use.
  @usableFromInline var epoch: UInt64

  @inlinable
  init(epoch: UInt64) { self.epoch = epoch }
}
