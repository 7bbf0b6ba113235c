/// The parts of an ICC profile in the APP2 segments of a JPEG file (ICC.1:2010, annex B.4).
struct JPEGProfile: Sendable {
  /// Number and bytes of each part, as they come.
  private var parts: [(number: UInt8, bytes: Range<Int>)] = []
  /// How many parts there are, as the first one says.
  private var count: UInt8 = 0
  private var isContradictory = false

  /// Whether there is no part.
  var isEmpty: Bool { parts.isEmpty && !isContradictory }

  /// Notes the segment's payload, if it is a part.
  ///
  /// - Returns: Whether it is one.
  mutating func add(_ bytes: Span<UInt8>, _ payload: Range<Int>) -> Bool {
    guard payload.count >= 14, payload.upperBound <= bytes.count,
      bytes.has("ICC_PROFILE\0", at: payload.lowerBound)
    else { return false }
    let start = payload.lowerBound + 14
    let (number, count) = (bytes[start - 2], bytes[start - 1])
    if parts.isEmpty { self.count = count }
    // Numbers have one byte, so that no file makes the list longer than that.
    guard count == self.count, number >= 1, number <= count, parts.count < count else {
      isContradictory = true
      return true
    }
    parts.append((number, start..<payload.upperBound))
    return true
  }

  /// The profile's bytes, joined.
  ///
  /// - Throws: ``ColorFault/malformed(reason:)`` when a part is missing or comes twice.
  func joined(_ bytes: Span<UInt8>) throws(ColorFault) -> [UInt8] {
    let ordered = parts.count == 1 ? parts : parts.sorted { $0.number < $1.number }
    let areAll = ordered.indices.allSatisfy { Int(ordered[$0].number) == $0 + 1 }
    guard areAll, ordered.count == count, !isContradictory else {
      throw .malformed(reason: "it does not have each of its \(count) parts once")
    }
    var profile: [UInt8] = []
    profile.reserveCapacity(ordered.reduce(0) { $0 + $1.bytes.count })
    for part in ordered { profile.append(copying: bytes.extracting(part.bytes)) }
    return profile
  }
}
