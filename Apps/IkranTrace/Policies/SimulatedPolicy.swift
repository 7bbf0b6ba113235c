/// A simulated cache, which stores ids without values.
protocol SimulatedPolicy {
  /// Looks an id up; true when it is held.
  mutating func use(_ id: Int32) -> Bool
  /// Adds an id that was not found and whose bytes are within the limit.
  mutating func add(_ id: Int32, bytes: Int)
  /// Removes an id, if it is held.
  mutating func remove(_ id: Int32)
}

/// Lists of ids, newest first; an id is in at most one of them.
struct SimulatedLists {
  private struct Node {
    var newer: Int32 = -1
    var older: Int32 = -1
    var list: Int32 = -1
    var bytes = 0
  }

  private struct Ends {
    var newest: Int32 = -1
    var oldest: Int32 = -1
    var bytes = 0
    var count = 0
  }

  private var nodes: [Node]
  private var ends: [Ends]

  init(ids: Int, lists: Int) {
    nodes = Array(repeating: Node(), count: ids)
    ends = Array(repeating: Ends(), count: lists)
  }

  /// The list an id is in.
  func list(of id: Int32) -> Int? {
    let list = Int(nodes[Int(id)].list)
    return list < 0 ? nil : list
  }

  func bytes(of id: Int32) -> Int { nodes[Int(id)].bytes }
  func bytes(in list: Int) -> Int { ends[list].bytes }
  func count(in list: Int) -> Int { ends[list].count }
  func oldest(in list: Int) -> Int32? { ends[list].oldest < 0 ? nil : ends[list].oldest }
  func newer(than id: Int32) -> Int32? {
    nodes[Int(id)].newer < 0 ? nil : nodes[Int(id)].newer
  }

  /// Makes an id that is in no list the newest of one.
  mutating func add(_ id: Int32, bytes: Int, to list: Int) {
    nodes[Int(id)] = Node(older: ends[list].newest, list: Int32(list), bytes: bytes)
    if ends[list].newest >= 0 {
      nodes[Int(ends[list].newest)].newer = id
    } else {
      ends[list].oldest = id
    }
    ends[list].newest = id
    ends[list].bytes += bytes
    ends[list].count += 1
  }

  /// Removes an id from its list, if it is in one.
  mutating func remove(_ id: Int32) {
    guard let list = list(of: id) else { return }
    let node = nodes[Int(id)]
    if node.newer >= 0 {
      nodes[Int(node.newer)].older = node.older
    } else {
      ends[list].newest = node.older
    }
    if node.older >= 0 {
      nodes[Int(node.older)].newer = node.newer
    } else {
      ends[list].oldest = node.newer
    }
    ends[list].bytes -= node.bytes
    ends[list].count -= 1
    nodes[Int(id)].list = -1
  }

  /// Makes an id the newest of a list.
  mutating func move(_ id: Int32, to list: Int) {
    let bytes = bytes(of: id)
    remove(id)
    add(id, bytes: bytes, to: list)
  }
}
