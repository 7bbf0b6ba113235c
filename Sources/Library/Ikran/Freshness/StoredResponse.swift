import IkranStores
import IkranTransport

/// The part of a response that HTTP needs later, when its body is stored (RFC 9111, section 3).
struct StoredResponse: Sendable, Hashable {
  /// The status; 200 for nearly all.
  var status: Int
  /// The response's fields that decide how long it is good for, and how to check it.
  var headers: [HeaderField]
  /// The request's fields that `Vary` names: keyed digests of their values, as they may be secrets,
  /// and an empty one for a field that was not sent (decision 60).
  var varying: [HeaderField]
  /// When the request was sent and when the response came: microseconds since 1970.
  var requested: Int64
  var received: Int64
  /// The id of the body; nil for a redirect, and before it is known.
  var body: BodyID?
  /// How many of the first bytes the id is made from; nil for all.
  ///
  /// A file that became known by its beginning keeps that name.
  var identifiedByteCount: Int?

  /// The fields that are of use later.
  private static let kept: Set<String> = [
    "age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "vary",
  ]

  /// Takes what is needed later from a response to a request; `secret` is the key of the folder
  /// that it will be in.
  init(
    _ response: TransportResponse,
    to request: [HeaderField],
    secret: FolderSecret,
    requested: Int64,
    received: Int64
  ) {
    status = response.status
    headers = response.headers.filter { Self.kept.contains($0.name.lowercased()) }
    varying = Self.varying(headers, by: request, keyedWith: secret)
    self.requested = requested
    self.received = received
    body = nil
  }

  /// The value of the first field called `name`, which is in lower case.
  func header(_ name: String) -> String? {
    headers.first { $0.isNamed(name) }?.value
  }

  /// What the response's `Cache-Control` fields say.
  var cacheControl: CacheControl { CacheControl(headers) }

  /// Whether the response was chosen for requests with these fields (RFC 9111, section 4.1).
  func matches(_ request: [HeaderField], _ secret: FolderSecret) -> Bool {
    let names = Self.varyNames(headers)
    return !names.contains("*") && varying == Self.varying(headers, by: request, keyedWith: secret)
  }

  /// Whether the response may be stored at all (RFC 9111, section 3).
  func mayStore(method: String) -> Bool {
    let control = cacheControl
    let isExplicit =
      control.isExplicitlyStorable || control.maxAge != nil || header("expires") != nil
    return method == "GET" && !control.noStore && !Self.varyNames(headers).contains("*")
      && (isExplicit || isHeuristicallyCacheable)
  }

  /// Whether a response of this status may be reused without a lifetime of its own (RFC 9110,
  /// section 15.1).
  var isHeuristicallyCacheable: Bool {
    switch status {
    case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }

  /// Where a redirect leads: an absolute URL; nil for other responses.
  var redirectTarget: String? { HTTPHop.isRedirect(status) ? header("location") : nil }

  /// The origin that a redirect's request was sent to, where a hook had chosen another than its
  /// URL's: what may be sent on to the target goes by it.
  var sentOrigin: String? { header(Self.sentOriginName) }

  /// Keeps the origin of the URL that was sent, where it is not that of the request's own.
  mutating func setSentOrigin(_ sent: String, insteadOf url: String) {
    guard sent != url, let origin = (try? HTTPAddress(sent))?.origin,
      origin != (try? HTTPAddress(url))?.origin
    else { return }
    headers.append(HeaderField(Self.sentOriginName, origin))
  }

  /// No origin's field is kept under this name.
  private static let sentOriginName = "ikran-sent-origin"

  /// The fields to send with a request that checks the response; none when it has no validator, and
  /// for a redirect, which is followed rather than validated.
  var conditions: [HeaderField] { [tagCondition, dateCondition].compactMap(\.self) }

  /// Whether there are any.
  var hasConditions: Bool { tagCondition != nil || dateCondition != nil }

  private var tagCondition: HeaderField? { condition("If-None-Match", from: "etag") }
  private var dateCondition: HeaderField? { condition("If-Modified-Since", from: "last-modified") }

  private func condition(_ name: String, from field: String) -> HeaderField? {
    guard redirectTarget == nil, let value = header(field) else { return nil }
    let condition = HeaderField(name, value)
    return condition.canBeSent ? condition : nil
  }

  /// The response after the origin said 304: its fields replace the older ones of their names
  /// (RFC 9111, section 3.2).
  func refreshed(
    by response: TransportResponse,
    requested: Int64,
    received: Int64
  ) -> StoredResponse {
    var updated = self
    let newer = response.headers.filter {
      let name = $0.name.lowercased()
      return Self.kept.contains(name) && name != "content-type"
    }
    let names = Set(newer.map { $0.name.lowercased() })
    updated.headers = headers.filter { !names.contains($0.name.lowercased()) } + newer
    // An age and a date belong to one response: the older response's say nothing of this one.
    for name in ["age", "date"] where !names.contains(name) {
      updated.headers.removeAll { $0.isNamed(name) }
    }
    updated.requested = requested
    updated.received = received
    return updated
  }

  /// Whether a 304 speaks of this response: a tag it carries must be ours, weakly compared.
  func isConfirmed(by response: TransportResponse) -> Bool {
    guard let theirs = response.header("etag"), let ours = header("etag") else { return true }
    return Self.opaque(theirs).elementsEqual(Self.opaque(ours))
  }

  private static func opaque(_ tag: String) -> Substring.UTF8View {
    tag.utf8.starts(with: "W/".utf8) ? tag.utf8.dropFirst(2) : tag.utf8[...]
  }

  /// The names of fields that decide which response there is, in lower case.
  static func varyNames(_ headers: [HeaderField]) -> [String] {
    headers.filter { $0.isNamed("vary") }
      .flatMap { $0.value.split(separator: ",").map { trimmed($0).lowercased() } }
  }

  private static func varying(
    _ headers: [HeaderField],
    by request: [HeaderField],
    keyedWith secret: FolderSecret
  ) -> [HeaderField] {
    // Which of its bytes come first is all that `Priority` decides.
    Set(varyNames(headers)).subtracting(["priority"]).sorted().map { name in
      let values = request.filter { $0.isNamed(name) }.map(\.value)
      guard !values.isEmpty else { return HeaderField(name, "") }
      let digest = secret.digest(of: "vary\u{0}\(name)\u{0}\(values.joined(separator: ","))")
      return HeaderField(name, keyedMark + "\(digest)")
    }
  }

  /// The prefix of keyed digests: earlier versions stored digests without a key.
  private static let keyedMark = "keyed "

  /// Whether bytes have digests of an earlier version, from which a password can be guessed.
  static func hasOldDigests(_ bytes: [UInt8]) -> Bool {
    bytes.split(separator: UInt8(ascii: "\n")).contains { line in
      guard line.first == UInt8(ascii: ">"),
        let colon = line.lastIndex(of: UInt8(ascii: ":"))
      else { return false }
      let value = line[(colon + 1)...]
      return !value.isEmpty && !value.starts(with: keyedMark.utf8)
    }
  }
}

// MARK: - Names

extension StoredResponse {
  /// Names a body that has just arrived: by its content, unless it is known that it is the same
  /// file as the one before, of which then one of the two has all the bytes.
  ///
  /// Images of the beginning of a file so remain current when the rest arrives. Where the bytes
  /// that the name is made from are there they are compared; else a strong validator decides, as
  /// for a 304. The name of a beginning is made from its validator too, as other versions may begin
  /// alike. A reload takes nothing for granted: its file is named by its content.
  mutating func name(_ body: Body, since known: SourceRecord?) {
    if body.prefix != nil || body.arrival?.order.transfer.isReload != true,
      let former = known?.response, let id = former.body, let validator = strongValidator,
      former.strongValidator?.hasSameBytes(as: validator) == true,
      body.prefix != nil || former.identifiedByteCount != nil
    {
      let count = former.identifiedByteCount ?? .max
      let isSame =
        count <= body.bytes.count
        ? Self.bodyID(ofPrefix: body.bytes[..<count], validator: validator) == id
        : body.prefix != nil
      if isSame {
        (self.body, identifiedByteCount) = (id, former.identifiedByteCount)
        return
      }
    }
    if body.prefix == nil {
      (self.body, identifiedByteCount) = (Checksum.wide(body.bytes), nil)
    } else {
      self.body = Self.bodyID(ofPrefix: body.bytes[...], validator: strongValidator ?? "")
      identifiedByteCount = body.bytes.count
    }
  }

  /// Names the beginning of a file of one version.
  static func bodyID(ofPrefix bytes: ArraySlice<UInt8>, validator: String) -> BodyID {
    Checksum.wide(bytes + Array(validator.utf8))
  }
}

// MARK: - As bytes

extension StoredResponse {
  private static let magic = "ikran-http 2"
  /// The times that clocks tell, with room to add and subtract: nine thousand years before and
  /// after 1970.
  private static let times: ClosedRange<Int64> = -1 << 58...1 << 58

  /// Bytes of memory that it takes, for caches that are bounded by bytes.
  var cost: Int {
    (headers + varying).reduce(128) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
  }

  /// Lines of text: what disk caches store next to the body.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(cost)
    func add(_ words: String...) { for word in words { bytes += word.utf8 } }
    let body = body?.description ?? "-"
    add(Self.magic, " \(status) \(requested) \(received) ", body)
    if let identifiedByteCount { add(" \(identifiedByteCount)") }
    for field in headers { add("\n<", field.name, ":", field.value) }
    for field in varying { add("\n>", field.name, ":", field.value) }
    return bytes
  }

  /// Reads ``bytes``; nil for anything else, and for what an earlier version stored with digests.
  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    // By bytes: a mark behind a separator would make one character of both.
    var lines = Words(text.utf8[...], separator: UInt8(ascii: "\n"))
    guard let first = lines.next(), first.starts(with: "\(Self.magic) ".utf8) else { return nil }
    var numbers = Words(first.dropFirst(Self.magic.utf8.count + 1), separator: UInt8(ascii: " "))
    guard let status = numbers.next().flatMap({ Int(Substring($0)) }),
      let requested = numbers.next().flatMap({ Int64(Substring($0)) }),
      let received = numbers.next().flatMap({ Int64(Substring($0)) }),
      Self.times.contains(requested), Self.times.contains(received), let name = numbers.next()
    else { return nil }
    let isNameless = name.elementsEqual("-".utf8)
    let body = isNameless ? nil : BodyID(hexadecimal: Substring(name))
    guard isNameless || body != nil else { return nil }
    let named = numbers.next().map { Int(Substring($0)) ?? 0 }
    guard named ?? 1 > 0, numbers.next() == nil else { return nil }
    guard let fields = Self.fields(in: &lines) else { return nil }
    (headers, varying) = (fields.headers, fields.varying)
    self.status = status
    self.requested = requested
    self.received = received
    self.body = body
    identifiedByteCount = named
  }

  /// The fields in lines of ``bytes``; nil when one is none.
  private static func fields(
    in lines: inout Words
  ) -> (headers: [HeaderField], varying: [HeaderField])? {
    var (headers, varying): ([HeaderField], [HeaderField]) = ([], [])
    headers.reserveCapacity(kept.count)
    while let line = lines.next() {
      let field = line.dropFirst()
      // A name in `Vary` may have a colon, the digest after it has none.
      let isColon = { (byte: UInt8) in byte == UInt8(ascii: ":") }
      let colon =
        line.first == UInt8(ascii: ">")
        ? field.lastIndex(where: isColon) : field.firstIndex(where: isColon)
      guard let colon else { return nil }
      let name = String(Substring(field[..<colon]))
      let value = String(Substring(field[field.index(after: colon)...]))
      switch line.first {
      case UInt8(ascii: "<"): headers.append(HeaderField(name, value))
      case UInt8(ascii: ">") where value.isEmpty || value.hasPrefix(keyedMark):
        varying.append(HeaderField(name, value))
      default: return nil
      }
    }
    return (headers, varying)
  }
}

/// The words of a text one after the other, empty ones included; no list is made of them.
private struct Words {
  private var rest: Substring.UTF8View?
  private let separator: UInt8

  init(_ text: Substring.UTF8View, separator: UInt8) {
    (rest, self.separator) = (text, separator)
  }

  mutating func next() -> Substring.UTF8View? {
    guard let text = rest else { return nil }
    guard let end = text.firstIndex(of: separator) else {
      rest = nil
      return text
    }
    rest = text[text.index(after: end)...]
    return text[..<end]
  }
}
