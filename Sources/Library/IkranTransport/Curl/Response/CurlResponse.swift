#if CLibraries
import IkranSystem

/// What one transfer has received, and why it wants no more.
///
/// A value with no connection, clock or lock in it; ``CurlTransfer`` feeds it what libcurl hears.
struct CurlResponse {
  /// A length that the sender names reserves at most this much, and later so many times what has
  /// arrived: doubling would move large bodies too often.
  private static let trust = (bytes: 1 << 20, growth: 8)

  /// Room for the header of most responses.
  private static let usualHeaderBytes = 480

  /// The lines of the response's header, but for the first and the empty one.
  private var lines: [UInt8] = []
  private(set) var body: [UInt8] = []
  /// The body's length, when the sender gave it and the body is not encoded.
  private(set) var expected: Int?
  /// What the body is encoded with on the wire.
  private(set) var encodings: [String] = []
  /// The end of an encoded body on the wire.
  private(set) var wireTail: CurlWireTail?
  /// Whether libcurl must leave the body as it is, because the header names codings that are none.
  private(set) var mustStayEncoded = false
  /// The status of the response whose header is complete; 0 before, and for interim responses.
  private(set) var status = 0
  /// Where a redirect leads; its body is not kept.
  private(set) var redirectTarget: String?
  /// Which limit was broken; libcurl hears only that the write failed.
  private(set) var refusal: TransportError?
  /// Whether the caller has enough.
  private(set) var wasEnough = false
  /// Bytes of a redirect's body that were thrown away.
  private var discarded = 0
  /// Bytes of all header lines, those of earlier hops and interim responses included.
  private var headerBytes = 0
  private let maximumHeaderBytes: Int
  private let maximumBodyBytes: Int

  init(maximumHeaderBytes: Int = 0, maximumBodyBytes: Int = 0) {
    self.maximumHeaderBytes = max(0, maximumHeaderBytes)
    self.maximumBodyBytes = max(0, maximumBodyBytes)
  }

  /// What the header says.
  var header: HeaderText { HeaderText(lines) }

  /// Whether it is the beginning, at least the whole header, of what the caller requested.
  var isUseful: Bool { (200..<300).contains(status) && refusal == nil && !isEncoded }

  /// Whether ``body`` has encodings that libcurl does not remove.
  private var isEncoded: Bool { mustStayEncoded && !encodings.isEmpty }

  /// Whether a range could bring what is missing: bytes without their encoding are no part of the
  /// encoded body.
  var isResumable: Bool { isUseful && encodings.isEmpty }

  /// Forgets a redirect's response, but for the length of its header.
  mutating func startNextHop() {
    let used = headerBytes
    self = CurlResponse(maximumHeaderBytes: maximumHeaderBytes, maximumBodyBytes: maximumBodyBytes)
    headerBytes = used
  }

  /// Takes one line.
  ///
  /// - Returns: Whether more may come, and whether the line was the empty one after a header.
  mutating func takeHeader(_ line: UnsafeRawBufferPointer) -> (isTaken: Bool, isEnd: Bool) {
    headerBytes += line.count
    guard headerBytes <= maximumHeaderBytes else {
      return (refuse(.headersTooLarge(limit: maximumHeaderBytes)), false)
    }
    if line.first == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8) {
      // The response after an interim one, or after one that made libcurl send again.
      lines.removeAll(keepingCapacity: true)
      wireTail = nil
      if body.isEmpty && discarded == 0 { (status, expected, redirectTarget) = (0, nil, nil) }
      return (true, false)
    }
    guard line.contains(where: { !HeaderText.isWhite($0) }) else { return (true, true) }
    if lines.isEmpty { lines.reserveCapacity(Self.usualHeaderBytes) }
    lines.append(contentsOf: line)
    if line.last != UInt8(ascii: "\n") { lines.append(UInt8(ascii: "\n")) }
    return (true, false)
  }

  /// Notes that the header is complete; interim responses and trailing fields end the same way.
  ///
  /// - Parameters:
  ///   - status: The response's.
  ///   - isHead: Whether the method was HEAD, whose responses have no body.
  /// - Returns: Whether the body may come.
  mutating func endHeader(status: Int, isHead: Bool) -> Bool {
    guard self.status == 0, status >= 200 else { return true }
    self.status = status
    if HTTPHop.isRedirect(status) {
      let target = header.last("location")
      redirectTarget = target?.isEmpty ?? true ? nil : target
    }
    guard !isHead, status != 204, status != 304 else { return true }
    let framing: BodyFraming
    do throws(TransportError) { framing = try BodyFraming(header) } catch { return refuse(error) }
    guard framing.length ?? 0 <= maximumBodyBytes else {
      return refuse(.bodyTooLarge(limit: maximumBodyBytes))
    }
    if !framing.fieldsOfEncodedBody.isEmpty {
      lines = header.without(framing.fieldsOfEncodedBody).lines
    }
    (encodings, mustStayEncoded) = (framing.encodings, framing.hasOtherNames)
    if encodings.isEmpty {
      expected = framing.length
    } else if status == 206 {
      return refuse(.contentEncoding(undecodable("only a part of the body comes")))
    } else if redirectTarget == nil, !mustStayEncoded {
      wireTail = CurlWireTail(isChunked: framing.isChunked, length: framing.length)
    }
    if redirectTarget == nil, let expected {
      body.reserveCapacity(min(expected, Self.trust.bytes))
    }
    return true
  }

  /// Why the body's encodings stay, in a sentence.
  func undecodable(_ reason: String) -> String {
    BodyFraming.undecodable(encodings, reason)
  }

  /// Notes how much of the body has come over the wire, before its encoding is removed; false when
  /// that is too much.
  mutating func noteWireBytes(_ count: Int) -> Bool {
    guard status != 0, count > maximumBodyBytes else { return true }
    return refuse(.bodyTooLarge(limit: maximumBodyBytes))
  }

  /// Takes bytes of an encoded body as they came over the wire.
  mutating func takeWire(_ bytes: UnsafeRawBufferPointer) { wireTail?.take(bytes) }

  /// Why a body that came whole is not whole without its encoding; nil when it is.
  var missingEnd: TransportError? {
    guard let wireTail, encodings.count == 1, !wireTail.ends(encodings[0], of: body) else {
      return nil
    }
    return .contentEncoding(undecodable("its end is missing"))
  }

  /// Removes the encoding that libcurl had to leave, once the body is whole.
  ///
  /// - Throws: ``TransportError/contentEncoding(_:)`` or ``TransportError/bodyTooLarge(limit:)``.
  mutating func removeEncoding() throws(TransportError) {
    guard isEncoded, redirectTarget == nil, !body.isEmpty else { return }
    guard encodings.count == 1, ["gzip", "x-gzip", "deflate"].contains(encodings[0]) else {
      let reason = "an unknown Content-Encoding may be combined only with gzip or deflate"
      throw .contentEncoding(undecodable(reason))
    }
    switch Inflation.inflated(body, limit: maximumBodyBytes) {
    case .whole(let bytes): body = bytes
    case .tooLarge: throw .bodyTooLarge(limit: maximumBodyBytes)
    case .damaged: throw .contentEncoding(undecodable("it is damaged or does not end"))
    }
  }

  /// Takes bytes of the body; false when there are too many.
  mutating func takeBytes(_ chunk: UnsafeRawBufferPointer) -> Bool {
    guard chunk.count <= maximumBodyBytes - body.count - discarded else {
      return refuse(.bodyTooLarge(limit: maximumBodyBytes))
    }
    if redirectTarget == nil {
      if let expected, body.count + chunk.count > body.capacity {
        body.reserveCapacity(min(expected, Self.trust.growth * body.count))
      }
      body.append(contentsOf: chunk)
    } else {
      discarded += chunk.count
    }
    return true
  }

  /// Notes that the caller wants no more.
  mutating func end() { wasEnough = true }

  private mutating func refuse(_ error: TransportError) -> Bool {
    refusal = error
    return false
  }
}
#endif
