import IkranPixels
public import IkranStores

/// Names one styled image in memory: its source and all that changes its pixels.
///
/// Keys are data and compare whole, so two images never meet under one key.
public struct StyledKey: Hashable, Sendable {
  var source: String
  /// The source's ``Editions`` number: what was made from an older file is never found again.
  var edition = 0
  let style: Style
  let scale: Double

  /// Stands for the source, the style and the scale: equal across runs and machines.
  ///
  /// A newer file of the same source has the same id and is another key.
  public var id: TableID { TableID("\(source)\u{0}\(style.key)\u{0}\(scale)") }
}

/// Thirty-two hexadecimal digits that stand for `text`: equal across runs and machines.
func digest(of text: String) -> String {
  [UInt64(0), 1].map { seed in
    let digits = String(Checksum.of(text, seed: seed), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }.joined()
}

/// Names one decode: every style of a source that needs the same pixels shares it.
struct DecodeKey: Hashable, Sendable {
  var source: String
  var edition = 0
  let fitting: Fitting
}

/// Names one piece of work under way; requests that may use different caches never share it.
struct FlightKey<Key: Hashable & Sendable>: Hashable, Sendable {
  let key: Key
  private let policy: CachePolicy
  private let (reads, stores): (CacheStages, CacheStages)

  init(_ key: Key, of request: ImageRequest) {
    self.key = key
    policy = request.cachePolicy
    (reads, stores) = (request.reads, request.stores)
  }
}
