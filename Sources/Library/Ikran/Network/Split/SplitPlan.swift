import IkranTransport

/// How a large body is split into parts that arrive side by side.
struct SplitPlan: Sendable, Equatable {
  /// The entity tag that `If-Range` sends with every part.
  let validator: String
  let total: Int
  let parts: [Range<Int>]

  /// Makes a plan for the body of a response; nil when its origin does not say that it has parts of
  /// exactly this version, when it is small, or when it is larger than `limit`.
  init?(_ head: TransportResponse, _ options: ResumptionOptions, limit: Int) {
    // The length first: nearly all bodies are small.
    guard head.status == 200, options.parts > 1,
      let total = head.header("content-length").flatMap({ Int($0) }),
      total >= options.splitBytes, total >= options.parts, total <= limit,
      head.header("accept-ranges")?.lowercased() == "bytes",
      head.header("content-encoding") == nil, !head.isMislabelledPart,
      let tag = head.header("etag"), tag.isEntityTag, tag.utf8.count > 2
    else { return nil }
    validator = tag
    self.total = total
    let (length, rest) = total.quotientAndRemainder(dividingBy: options.parts)
    var start = 0
    parts = (0..<options.parts).map { number in
      defer { start += length + (number < rest ? 1 : 0) }
      return start..<start + length + (number < rest ? 1 : 0)
    }
  }

  /// Whether a response brings bytes of this version from `start` on, up to the end of the part: it
  /// must carry the version's tag (decision 63).
  func accepts(_ response: TransportResponse, from start: Int, to end: Int) -> Bool {
    guard response.status == 206, response.header("content-encoding") == nil,
      let range = response.header("content-range").flatMap({ ContentRange($0) }),
      range.range == start..<end, range.total == nil || range.total == total,
      response.body.count <= end - start
    else { return false }
    return response.header("etag")?.hasSameBytes(as: validator) == true
  }
}
