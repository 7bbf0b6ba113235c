import Ikran
import IkranHTTP
import IkranPixels
import IkranSystem
import IkranTransport

// What responses say, from RFC 9110 and the grammar's own rules.

extension ResponseMaker {
  /// Fields of every response.
  private func commonFields(_ request: ClientRequest) -> [Field] {
    var fields = [
      Field("Server", "ikran"),
      Field("X-Request-ID", request.id),
      Field("X-Content-Type-Options", "nosniff"),
      Field(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
      ),
    ]
    if let origin = settings.server.responses.allowedOrigin {
      fields.append(Field("Access-Control-Allow-Origin", origin))
      fields.append(Field("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"))
    }
    return fields
  }

  /// A short text that no cache keeps.
  func fixed(
    _ status: Int,
    _ text: String,
    for request: ClientRequest,
    adding more: [Field] = []
  ) -> ServiceResponse {
    let type = Field("Content-Type", "text/plain; charset=utf-8")
    return ServiceResponse(
      status: status,
      fields: [type] + commonFields(request) + more,
      body: BodyBytes(Array(text.utf8))
    )
  }

  /// The response to a request that gets no picture.
  func response(to error: ServiceError, of request: ClientRequest) -> ServiceResponse {
    let showsDetails = settings.server.responses.showsDetails
    let text = showsDetails ? "\(error.message): \(error.details)" : error.message
    let fields = [Field("Cache-Control", "no-store")]
    var response = fixed(error.status, text, for: request, adding: fields)
    response.error = error
    return response
  }

  /// What is no picture: the page at `/`, and what health checks ask for.
  func page(of request: ClientRequest) -> ServiceResponse? {
    let (path, server) = (request.path, settings.server)
    guard isPage(path) else { return nil }
    switch path {
    case "/", server.pathPrefix + "/":
      return fixed(200, "Ikran serves images here.\n", for: request)
    case "/health", server.pathPrefix + "/health", server.healthPath[...]:
      let fresh = [Field("Cache-Control", "no-cache")]
      return fixed(200, "imgproxy is running", for: request, adding: fresh)
    default: return fixed(404, "Invalid URL", for: request)
    }
  }

  /// A picture, or word that the client has it.
  func response(
    of result: StoredResult,
    to job: PictureJob,
    status: Int = 200,
    lifetime: Duration? = nil
  ) -> ServiceResponse {
    var fields = commonFields(job.client)
    if settings.caching.usesETags { fields.append(Field("ETag", result.facts.tag)) }
    fields.append(Field("Cache-Control", cacheControl(of: result, job, lifetime)))
    let vary = job.wanted.endpoint.isDescribed ? [] : varyingFields
    if !vary.isEmpty { fields.append(Field("Vary", vary.joined(separator: ", "))) }
    if status == 200, settings.caching.usesETags, isKnown(result.facts.tag, to: job.client) {
      return ServiceResponse(status: 304, fields: fields, body: BodyBytes([]))
    }
    fields.append(Field("Content-Type", result.facts.contentType))
    fields.append(disposition(result.facts.filename, job))
    if settings.caching.setsCanonicalHeader, let link = Self.canonicalLink(job.wanted.source) {
      fields.append(link)
    }
    if settings.server.responses.showsSizes { fields += sizes(of: result.facts) }
    return ServiceResponse(status: status, fields: fields, body: result.body)
  }

  /// The fields of requests that pictures depend on.
  private var varyingFields: [String] {
    let negotiation = settings.formats.negotiation
    let isNegotiated = !negotiation.automatic.isEmpty || !negotiation.enforced.isEmpty
    return (isNegotiated ? ["Accept"] : []) + (negotiation.usesClientHints ? Self.hints : [])
  }

  private func disposition(_ name: String, _ job: PictureJob) -> Field {
    let kind = job.wanted.options.delivery.isAttachment ? "attachment" : "inline"
    let name = name.replacing("\"", with: "%22").replacing("\\", with: "%5C")
    return Field("Content-Disposition", "\(kind); filename=\"\(name)\"")
  }

  /// A field that names a source; nil where that is none of the web, or has a password.
  private static func canonicalLink(_ url: String) -> Field? {
    guard url.hasPrefix("http"), !hasUserInfo(url) else { return nil }
    return Field("Link", "<\(escaped(url))>; rel=\"canonical\"")
  }

  /// A URL without what would end it in a field.
  static func escaped(_ url: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in url.utf8 {
      if (0x21...0x7E).contains(byte), !"<>\"".utf8.contains(byte) {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// How long caches keep an avatar that is drawn in place of a source: that may soon be there.
  private static let drawnLifetime = Duration.seconds(60)

  private static let hints = ["Sec-CH-DPR", "DPR", "Sec-CH-Width", "Width"]

  private func sizes(of facts: StoredResult.Facts) -> [Field] {
    let origin = [
      Field("X-Origin-Width", "\(facts.sourceSize.width)"),
      Field("X-Origin-Height", "\(facts.sourceSize.height)"),
      Field("X-Origin-Content-Length", "\(facts.sourceBytes)"),
    ]
    // JSON has no size in pixels.
    guard facts.resultSize.width > 0 else { return origin }
    return origin + [
      Field("X-Result-Width", "\(facts.resultSize.width)"),
      Field("X-Result-Height", "\(facts.resultSize.height)"),
    ]
  }

  /// Whether the client has what a tag names (RFC 9110, section 13.1.2).
  private func isKnown(_ tag: String, to client: ClientRequest) -> Bool {
    guard let tags = client.ifNoneMatch else { return false }
    return tags.split(separator: ",").contains { part in
      let text = part.trimmingSpaces
      return text == "*" || text == tag || text.hasPrefix("W/") && text.dropFirst(2) == tag
    }
  }

  /// How long other caches may keep a picture.
  private func cacheControl(
    of result: StoredResult,
    _ job: PictureJob,
    _ lifetime: Duration?
  ) -> String {
    // What a shared cache may not keep is for no other either.
    if let own = result.facts.cacheControl, SourceFile.isForbidden(by: own) { return own }
    // A table may lose them.
    if job.wanted.endpoint == .pixels { return "no-cache" }
    var seconds = lifetime.map { $0.components.seconds }
    if let expires = job.wanted.options.delivery.expires {
      seconds = min(seconds ?? .max, max(0, expires - now() / 1_000_000))
    }
    if seconds == nil, settings.caching.passesCacheControl, let own = result.facts.cacheControl {
      return own
    }
    let longest = settings.caching.lifetime.components.seconds
    let rest = min(seconds ?? longest, longest)
    return rest > 0 ? "max-age=\(rest), public" : "no-cache"
  }

  /// A source as it is, with those of its fields that its client needs.
  func response(raw source: RawSource, to job: PictureJob) -> ServiceResponse {
    var fields = commonFields(job.client) + source.fields
    if !source.fields.contains(where: { $0.name.lowercased() == "cache-control" }) {
      fields.append(Field("Cache-Control", source.status < 400 ? rawCacheControl : "no-store"))
    }
    if source.status == 200 {
      fields.append(disposition(PictureMaker.filename(job.wanted, ending: nil), job))
    }
    return ServiceResponse(status: source.status, fields: fields, body: source.body)
  }

  private var rawCacheControl: String {
    let seconds = settings.caching.lifetime.components.seconds
    return seconds > 0 ? "max-age=\(seconds), public" : "no-cache"
  }

  /// What is drawn in the place of an avatar's source that cannot be had; nil where nothing is.
  func drawn(for error: ServiceError, _ job: PictureJob) async -> StoredResult? {
    guard job.wanted.endpoint == .avatar, error.allowsDrawing else { return nil }
    return await pictures.drawn(for: job)
  }

  /// The picture for sources that cannot be had: an avatar's own, which may be drawn already, or
  /// the service's.
  func fallback(
    for error: ServiceError,
    _ job: PictureJob,
    _ drawn: StoredResult?
  ) async -> ServiceResponse? {
    let isAvatar = job.wanted.endpoint == .avatar
    var drawn = drawn
    if drawn == nil { drawn = await self.drawn(for: error, job) }
    if let drawn {
      var shown = response(of: drawn, to: job, lifetime: Self.drawnLifetime)
      shown.error = error
      return shown
    }
    // Nothing is said of another picture than the one that was asked for.
    guard error.allowsFallback, !job.wanted.endpoint.isDescribed,
      let result = await pictures.fallback(for: job)
    else { return nil }
    let extras = settings.extras
    let own = extras.fallbackLifetime > .zero ? extras.fallbackLifetime : nil
    let lifetime = own ?? (isAvatar ? Self.drawnLifetime : nil)
    let status = extras.fallbackStatus == 0 ? error.status : extras.fallbackStatus
    var shown = response(of: result, to: job, status: status, lifetime: lifetime)
    shown.error = error
    return shown
  }
}

extension Substring {
  /// Without the spaces around it.
  fileprivate var trimmingSpaces: Substring {
    let begun = drop { $0 == " " || $0 == "\t" }
    let end = begun.lastIndex { $0 != " " && $0 != "\t" }
    return end.map { begun[...$0] } ?? begun[..<begun.startIndex]
  }
}
