public import IkranFoundation
public import IkranCodecs
public import IkranPixels
import IkranStores
import IkranTransport

public import struct IkranPixels.Style

/// What to load and how it should look.
///
/// ```swift
/// var request = ImageRequest(url, style: .circle(48))
/// request.scale = 2
/// request.filters = [.grayed(), .blur(radius: 4)]
/// request.priority = .high
/// ```
/// Requests with equal ``sourceKey`` and credentials share one download; with equal style, filters,
/// scale and ``decoding`` too, one image.
public struct ImageRequest: Sendable {
  enum Source: Sendable {
    case url(String)
    case bytes([UInt8], id: String)
    case closure(@Sendable () async throws -> [UInt8], id: String)
  }

  private(set) var source: Source

  /// Everything that decides which bytes arrive: the URL without its fragment or the name in its
  /// place, or the id given with the data, the method, the body and the header fields but those of
  /// caches and credentials; also the format, if the request names one, its signature and hooks.
  public private(set) var sourceKey: SourceKey

  /// How the image looks; sizes are in points.
  ///
  /// ``Style/automatic``, the default, is the size of the view that shows it, and every
  /// pixel where no view does.
  public var style: Style

  /// Pixels per point; nil takes the pipeline's.
  public var scale: Double?

  /// How soon the image is wanted.
  public var priority: ImagePriority

  /// Which caches are asked and which keep what is made, and for how long.
  public var caching = CacheOptions()

  /// How the bytes are transferred, and from where else when that fails.
  public var transfer: TransferOptions {
    get { rareOptions?.values.transfer ?? TransferOptions() }
    set { change { $0.transfer = newValue } }
  }

  /// The longest time until the image is there, with queueing, retries and the waits between them;
  /// nil, the default, sets no limit.
  ///
  /// When it has passed, the request fails with ``ImageError/timedOut(_:url:)``; a download that
  /// other requests share goes on. The wait for ``CacheOptions/waitsForStores`` does not count.
  public var deadline: Duration? {
    get { rareOptions?.values.deadline }
    set { change { $0.deadline = newValue } }
  }

  /// What is done to the resized picture, before the style's edges are drawn and after the style's
  /// own filters; see ``Filter``.
  ///
  /// The result is cached like any styled image. Animations have them on every frame.
  public var filters: [Filter] {
    get { rareOptions?.values.filters ?? [] }
    set { change { $0.filters = newValue } }
  }

  /// Whether the download may end as soon as what has arrived is enough for the wanted size; false
  /// by default.
  ///
  /// A thumbnail of a progressive JPEG needs the first scans only, and decodes to the same pixels.
  /// What arrived is kept where ``CacheOptions/stores`` says: a smaller size needs no network, a
  /// larger one transfers the rest, as a range of the same version. A download ends early only if
  /// that is enough for every request that waits for it, and only if the response can be resumed:
  /// it has a strong entity tag, or a `Last-Modified` at least a minute before the response, and
  /// its origin does not refuse ranges.
  ///
  /// Files of other kinds are downloaded whole, and so are those of a ``CachePolicy/reload``, of
  /// requests for ``ImagePipeline/data(for:onProgress:)``, of avatars, which have storages of their
  /// own, and of prefetching to the disk. ``RequestMetrics/savedBytes`` says what a request has
  /// saved.
  public var stopsEarly: Bool {
    get { rareOptions?.values.stopsEarly ?? false }
    set { change { $0.stopsEarly = newValue } }
  }

  /// This request for the whole file, which storages keep.
  var ofWholeFile: ImageRequest {
    var request = self
    if stopsEarly { request.stopsEarly = false }
    request.needsWholeFile = true
    return request
  }

  /// The style with all filters.
  var effectiveStyle: Style {
    let style = style.withoutView
    return rareOptions.map { style.filtered($0.values.filters) } ?? style
  }

  /// The format to decode the bytes as, which names the codec; nil, the default, takes the first
  /// codec that recognizes them.
  ///
  /// It is part of ``sourceKey``.
  public var format: ImageFormat? {
    get { rareOptions?.values.format }
    set { change { $0.format = newValue } }
  }

  /// A version that the program knows of the source, such as the date of a record: with another one
  /// the same URL is another image, also in the caches; nil by default.
  ///
  /// It is never sent, and part of ``sourceKey``.
  public var signature: String? {
    get { rareOptions?.values.signature }
    set { change { $0.signature = newValue } }
  }

  /// How the file is decoded, where that is not as the pipeline's ``DecodingOptions`` say.
  public var decoding: RequestDecoding {
    get { ownDecoding?.options ?? RequestDecoding() }
    set { change { $0.decoding = OwnDecoding(newValue) } }
  }

  /// What ``decoding`` says, in one reference; nil for what is as the pipeline says.
  var ownDecoding: OwnDecoding? { rareOptions?.values.decoding }

  /// What the caches name the source by in place of its URL, such as one without a token that
  /// changes; nil, the default, leaves that to ``KeyOptions/filter``.
  ///
  /// Requests with one name are one source, whatever their URLs, and whatever those of their
  /// redirects' targets, if the rest of ``sourceKey`` is equal; one whose URL has a password stays
  /// apart. Each URL is transferred, and fails, by itself. Fallbacks and alternatives have the
  /// names of their own URLs.
  public var cacheName: String? {
    get { rareOptions?.values.cacheName }
    set { change { $0.cacheName = newValue } }
  }

  /// Closures that see what is sent and what arrives; nil, the default, leaves that to the
  /// pipeline's ``PipelineHooks``.
  ///
  /// Their id is part of ``sourceKey``.
  public var hooks: RequestHooks? {
    get { rareOptions?.values.hooks }
    set { change { $0.hooks = newValue } }
  }

  /// Where its bytes come from, as its scheme says: over the network, from a file, or along with
  /// it.
  private(set) var origin: ImageSource

  /// Whether its URL has a user or a password, or its fields may be secrets: in files it is named
  /// by a keyed digest.
  private(set) var hasSecret = false

  /// Whether a file that is cut off will not do, whatever the pipeline's options say.
  private(set) var needsWholeFile = false

  /// Whether it is loaded for the sake of its file on the disk.
  var isForDisk = false

  /// The options that few requests have, in one reference: copying a request takes a good part of
  /// the time in which memory finds its image.
  private var rareOptions: RareOptionsBox?

  private final class RareOptionsBox: Sendable {
    let values: RareOptions

    init(_ values: RareOptions) { self.values = values }
  }

  private struct RareOptions {
    var transfer = TransferOptions()
    var filters: [Filter] = []
    var format: ImageFormat?
    var signature: String?
    var cacheName: String?
    var hooks: RequestHooks?
    var decoding: OwnDecoding?
    var deadline: Duration?
    var stopsEarly = false
    /// The redirects that led here, when there were any.
    var redirectChain: RedirectChain?
    var isForLowData = false
  }

  /// Whether a URL for the network has a user or a password.
  var hasUserInfo: Bool {
    guard origin == .network, case .url(let url) = source else { return false }
    return IkranTransport.hasUserInfo(url)
  }

  var location: String {
    switch source {
    case .url(let url): url
    case .bytes(_, let id), .closure(_, let id): "bytes:" + id
    }
  }

  /// Whether its image may come from another URL than its own.
  var hasOtherSources: Bool {
    guard let transfer = rareOptions?.values.transfer else { return false }
    return !transfer.alternatives.isEmpty || !transfer.fallbacks.isEmpty
  }

  /// Whether it has any of the options that few requests have.
  var hasRareOptions: Bool { rareOptions != nil }

  /// The redirects that led here; nil for the request as it was made.
  var redirectChain: RedirectChain? { rareOptions?.values.redirectChain }

  /// Whether it takes the place of another one because data is to be saved.
  var isForLowData: Bool { rareOptions?.values.isForLowData ?? false }

  /// Asks for the image at an `http:`, `https:`, `file:` or `data:` URL.
  public init(_ url: URL, style: Style = .automatic, priority: ImagePriority = .normal) {
    self.init(location: url.absoluteString, style: style, priority: priority)
  }

  /// Asks for the image in `data`.
  ///
  /// - Parameters:
  ///   - data: A whole image file.
  ///   - id: Names the data in caches; other data must have another id.
  ///   - style: How the image looks.
  ///   - priority: How soon it is wanted.
  public init(
    data: [UInt8],
    id: String,
    style: Style = .automatic,
    priority: ImagePriority = .normal
  ) {
    self.init(.bytes(data, id: id), style: style, priority: priority)
  }

  /// Asks for the image in a file that a closure brings when it is needed: from a database, an
  /// archive, a decryption.
  ///
  /// - Parameters:
  ///   - id: Names the file in caches; another file must have another id.
  ///   - style: How the image looks.
  ///   - priority: How soon it is wanted.
  ///   - data: Brings the whole image file, once for all who wait for its images; not called while
  ///     memory or a table has the image. What it throws is ``ImageError/source(_:url:)``. Its
  ///     task is cancelled when all who wait for it have left.
  public init(
    id: String,
    style: Style = .automatic,
    priority: ImagePriority = .normal,
    data: @escaping @Sendable () async throws -> [UInt8]
  ) {
    self.init(.closure(data, id: id), style: style, priority: priority)
  }

  package init(location: String, style: Style, priority: ImagePriority = .normal) {
    self.init(.url(withoutFragment(location)), style: style, priority: priority)
  }

  private init(_ source: Source, style: Style, priority: ImagePriority) {
    self.source = source
    self.style = style
    self.priority = priority
    switch source {
    case .url(let url): (sourceKey, origin) = (SourceKey(url), ImageSource(scheme: url))
    case .bytes(_, let id), .closure(_, let id):
      (sourceKey, origin) = (SourceKey("bytes:" + id), .data)
    }
    hasSecret = hasUserInfo
  }

  private mutating func change(_ body: (inout RareOptions) -> Void) {
    var values = rareOptions?.values ?? RareOptions()
    body(&values)
    rareOptions = RareOptionsBox(values)
    hasSecret = hasUserInfo || values.transfer.headers.contains(where: \.mayBeSecret)
    sourceKey = key(KeyOptions())
  }

  /// This request for another URL.
  func with(location: String) -> ImageRequest {
    var request = self
    request.source = .url(withoutFragment(location))
    request.origin = ImageSource(scheme: location)
    request.change { _ in }
    return request
  }

  /// This request for the file that a closure brings, in place of its URL.
  ///
  /// - Parameters:
  ///   - id: Names the file in caches.
  ///   - data: Brings the whole file.
  /// - Returns: The request, with all its options.
  package func with(
    id: String,
    data: @escaping @Sendable () async throws -> [UInt8]
  ) -> ImageRequest {
    var request = self
    (request.source, request.origin) = (.closure(data, id: id), .data)
    request.change { _ in }
    return request
  }

  /// This request for one of its ``TransferOptions/fallbacks``.
  func fallingBack(to url: URL) -> ImageRequest {
    var request = elsewhere(url.absoluteString)
    request.change { ($0.transfer.fallbacks, $0.transfer.alternatives) = ([], []) }
    return request
  }

  /// This request for the URL of an ``Alternative/onLowData(_:)``.
  func onLowData(_ location: String) -> ImageRequest {
    var request = elsewhere(location)
    request.change { $0.isForLowData = true }
    return request
  }

  /// This request for another URL, without credentials where that has another origin.
  func elsewhere(_ location: String) -> ImageRequest {
    var request = with(location: location)
    if cacheName != nil { request.change { $0.cacheName = nil } }
    let origins = [self, request].map { request -> String? in
      guard case .url(let url) = request.source else { return nil }
      return (try? HTTPAddress(url))?.origin
    }
    guard origins[0] == nil || origins[0] != origins[1] else { return request }
    let name = request.displayName
    request.change {
      $0.transfer.headers.removeAll(where: \.isCredential)
      // Its own hook adds credentials for its own origin: they leave it no more than by a redirect.
      guard $0.hooks?.willSend != nil else { return }
      $0.redirectChain = RedirectChain(count: 0, isSameOrigin: false, isIsolated: true, name: name)
    }
    return request
  }

  /// The request for the target of a redirect, without the fields that must not leave their origin.
  ///
  /// - Parameters:
  ///   - target: The absolute URL.
  ///   - sentURL: The URL that redirected, when a hook has sent the request to another than its
  ///     own.
  ///   - isIsolated: Whether a target on another origin is a source of its own, apart from the one
  ///     that a direct request has: direct requests may carry more than redirected ones.
  /// - Returns: The request; nil when the target is no `http:` or `https:` URL.
  func redirected(
    to target: String,
    from sentURL: String? = nil,
    isIsolated: Bool
  ) -> ImageRequest? {
    guard case .url(let url) = source, let address = try? HTTPAddress(sentURL ?? url),
      let target = try? HTTPAddress(withoutFragment(target))
    else { return nil }
    var sent = TransportRequest(url: url, headers: transfer.headers)
    sent.apply(redirectChain)
    // Any redirect's status does: only a GET comes here.
    let hop = HTTPHop(sent, address: address).following(target, status: 307)
    let name = displayName
    var request = with(location: hop.address.url)
    request.change {
      $0.transfer.headers = hop.headers
      $0.redirectChain = RedirectChain(
        count: hop.redirects,
        isSameOrigin: hop.isSameOrigin,
        isIsolated: (isIsolated || hooks?.willSend != nil) && !hop.isSameOrigin,
        name: name
      )
    }
    return request
  }
}

/// A URL without its fragment, which is never sent and names no other bytes.
private func withoutFragment(_ url: String) -> String {
  guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "#")) else { return url }
  return String(url[..<mark])
}
