import IkranStores
import IkranTransport

extension PartialBody {
  /// Takes a response that broke off, if it can be resumed: in ranges, with a strong validator.
  ///
  /// `earlier` is what the request asked to go on from.
  init?(_ response: TransportResponse, after earlier: PartialBody?) {
    guard response.header("content-encoding") == nil,
      response.header("accept-ranges")?.lowercased() != "none"
    else { return nil }
    if response.status == 206, let earlier {
      guard earlier.isContinued(by: response) else { return nil }
      self.init(
        validator: earlier.validator,
        total: earlier.total,
        bytes: earlier.bytes + response.body
      )
      return
    }
    guard response.status == 200, !response.isMislabelledPart,
      let validator = response.strongValidator
    else { return nil }
    let total = response.header("content-length").flatMap { Int($0) }
    // After a date, only the length can show that a 206 is of the same version.
    guard validator.isEntityTag || total != nil else { return nil }
    self.init(validator: validator, total: total, bytes: response.body)
  }

  /// Whether a 206 begins where this ends, and is certainly of the same version (decision 63).
  ///
  /// A server that does not know `If-Range` sends the range of whatever version it has. So after an
  /// entity tag the 206 must carry that tag, as RFC 9110, section 15.3.7, has it; after a date it
  /// must name the same length, and no other validator.
  func isContinued(by response: TransportResponse) -> Bool {
    guard let text = response.header("content-range"), let range = ContentRange(text),
      range.range?.lowerBound == bytes.count
    else { return false }
    let tag = response.header("etag")
    guard !validator.isEntityTag else {
      return tag?.hasSameBytes(as: validator) == true
        && (total == nil || range.total == nil || total == range.total)
    }
    guard tag == nil, let total, total == range.total else { return false }
    return response.header("last-modified").map { $0.hasSameBytes(as: validator) } ?? true
  }

  /// The whole, when a response brings all that is missing; nil when it does not fit.
  func completed(by response: TransportResponse) -> [UInt8]? {
    guard isContinued(by: response),
      let range = response.header("content-range").flatMap({ ContentRange($0) }),
      range.range?.count == response.body.count,
      let total = range.total ?? total, total == bytes.count + response.body.count
    else { return nil }
    return bytes + response.body
  }
}
