/// An upper bound of the hits of a cache of a given size.
///
/// Two consecutive uses of a value are a possible hit, whose price is the value's bytes times the
/// time between them; the budget is the cache's size times the length of the trace. (The resource
/// bound of Berger, Beckmann and Harchol-Balter, SIGMETRICS 2018: PFOO-L.)
struct LookAheadBound {
  private struct Span {
    let bytes: Int
    let length: Int
    var price: Double { Double(bytes) * Double(length) }
  }

  private let spans: [Span]
  private let requests: Int

  init(_ ids: [Int32], _ sizes: [Int], _ idCount: Int) {
    var last = [Int](repeating: -1, count: idCount)
    var spans: [Span] = []
    for (index, id) in ids.enumerated() {
      let before = last[Int(id)]
      if before >= 0, sizes[before] == sizes[index] {
        spans.append(Span(bytes: sizes[index], length: index - before))
      }
      last[Int(id)] = index
    }
    self.spans = spans
    requests = ids.count
  }

  /// The most hits, and the most bytes hit; two caches may be needed for both.
  func hits(byteLimit: Int) -> (count: Int, bytes: Int) {
    let budget = Double(byteLimit) * Double(requests)
    let possible = spans.filter { $0.bytes <= byteLimit }
    var (count, spent) = (0, 0.0)
    for span in possible.sorted(by: { $0.price < $1.price }) {
      spent += span.price
      guard spent <= budget else { break }
      count += 1
    }
    var bytes = 0
    spent = 0
    for span in possible.sorted(by: { $0.length < $1.length }) {
      spent += span.price
      bytes += span.bytes
      // The last one counts in full, so that the bound is never too low.
      guard spent <= budget else { break }
    }
    return (count, bytes)
  }
}
