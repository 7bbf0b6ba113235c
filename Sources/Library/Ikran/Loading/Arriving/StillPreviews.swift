import IkranCodecs
import IkranPixels
import IkranPlayback
import IkranSystem

/// Pictures of a still that is being downloaded: what the whole scans of a progressive JPEG show,
/// the passes of an interlaced PNG or GIF as far as they are there, or the rows of another JPEG,
/// PNG or WebP, below which it is clear.
///
/// It decodes on a thread of the decode pool, only as long as a request listens, and at most once
/// every 100 ms; what arrives within the first 100 ms is not shown early. After each picture the
/// bytes have to grow by an eighth for scans, by half for rows, and to twice as many for passes: as
/// each is decoded from the first byte, all pictures together read at most nine, three or two times
/// the bytes of the file.
final class StillPreviews: Sendable {
  private enum Kind {
    case progressive, interlaced, rows, other

    /// By how many bytes a file of `count` has to grow before the next picture.
    func growth(_ count: Int) -> Int {
      switch self {
      case .progressive, .other: count / 8
      case .rows: count / 2
      case .interlaced: count
      }
    }
  }

  /// What the pixels of a render target depend on, before they are styled.
  private struct PixelsKey: Hashable {
    let fitting: Fitting
    let decoding: OwnDecoding?

    init(_ renderTarget: SourceLoad.RenderTarget) {
      (fitting, decoding) = (renderTarget.fitting, renderTarget.key.decoding)
    }
  }

  private struct State {
    /// Nil while that is not known.
    var kind: Kind?
    /// How many bytes there have to be before the header is read again.
    var headerCount = 12
    var scans = JPEGScans()
    var shown = 0
    var lastCount = 0
    var nextCount = 0
    /// When the next picture is due, in microseconds since 1970; nil before the first bytes.
    var nextTime: Int64?
    var isDecoding = false
    /// The last picture of each style.
    var pictures: [StyledKey: Bitmap] = [:]

    /// Sets the kind of file by a header of `byteCount` bytes; `order` is nil when it says nothing
    /// yet.
    mutating func readHeader(_ order: PixelOrder?, byteCount: Int) {
      // Each time it is read from the first byte: with twice the bytes, that is twice the work of
      // reading it once.
      headerCount = byteCount * 2
      switch order {
      case .passes: kind = .interlaced
      case .rows: kind = .rows
      case .unknown: kind = .other
      case nil: if byteCount > StillPreviews.longestHeader { kind = .other }
      }
    }
  }

  /// A file whose first picture begins later is not shown early, in bytes.
  fileprivate static let longestHeader = 1 << 20
  /// The least time between two pictures, in microseconds.
  static let interval: Int64 = 100_000

  private let state = Guarded(State())
  private let cancellation = JobCancellation()
  private let context: PipelineContext
  private let format: ImageFormat?
  private let listeners: @Sendable () -> [AnimationPreviews.Listener]

  init(
    _ context: PipelineContext,
    format: ImageFormat?,
    listeners: @escaping @Sendable () -> [AnimationPreviews.Listener]
  ) {
    (self.context, self.format, self.listeners) = (context, format, listeners)
  }

  /// Whether a picture is being made.
  var isDecoding: Bool { state.withLock { $0.isDecoding } }

  /// Ends the picture that is being made, where that is in another process: no request waits.
  func cancel() { cancellation.cancel() }

  /// Begins a picture of the file so far if one is due, on the transport's thread.
  func update(file: borrowing [UInt8]) {
    let now = context.clock.now()
    // A program's codec says what the bytes are, so it is asked between two visits of the lock.
    if state.withLock({ needsHeader(file.span, &$0) }) {
      let order = context.codecs.order(of: file.span, as: format)
      state.withLock { $0.readHeader(order, byteCount: file.count) }
    }
    let due = state.withLock { state -> (kind: Kind, scans: JPEGScans)? in
      guard let nextTime = state.nextTime else {
        state.nextTime = now + Self.interval
        return nil
      }
      guard let kind = state.kind, kind != .other, now >= nextTime, !state.isDecoding,
        file.count >= state.nextCount,
        kind != .progressive || state.scans.count > state.shown
      else { return nil }
      (state.isDecoding, state.shown) = (true, state.scans.count)
      return (kind, state.scans)
    }
    guard let due else { return }
    let isProgressive = due.kind == .progressive
    guard let bytes = isProgressive ? due.scans.file(file.span) : file.copied() else {
      return state.withLock { $0.isDecoding = false }
    }
    context.computing.later { [self] workspace in
      let previews = workspace.work(until: cancellation) {
        makePreviews(of: bytes, as: due.kind, workspace: workspace)
      }
      let (now, count) = (context.clock.now(), bytes.count)
      state.withLock { state in
        state.isDecoding = false
        state.nextTime = now + Self.interval
        state.nextCount = count + due.kind.growth(count)
      }
      for (listener, response) in previews { listener.subscription.report(response) }
    }
  }

  /// Updates the state by what is there; returns whether the header has to be read to know the kind
  /// of file.
  private func needsHeader(_ body: Span<UInt8>, _ state: inout State) -> Bool {
    guard state.kind != .other else { return false }
    // A transfer that began again has less than before.
    if body.count < state.lastCount {
      (state.kind, state.scans, state.shown, state.nextCount) = (nil, JPEGScans(), 0, 0)
      state.headerCount = 12
    }
    state.lastCount = body.count
    guard body.count >= 2 else { return false }
    if state.kind == nil, body[0] == 0xFF, body[1] == 0xD8, state.scans.isProgressive != false {
      state.kind = .progressive
    }
    if state.kind == .progressive {
      state.scans.read(body)
      // Its header tells whether it comes in rows.
      if state.scans.isProgressive == false { state.kind = nil }
    }
    return state.kind == nil && body.count >= state.headerCount
  }

  /// Makes what each request is to see of what is there of a file: nothing if it has seen the same.
  private func makePreviews(
    of file: [UInt8],
    as kind: Kind,
    workspace: Workspace
  ) -> [(AnimationPreviews.Listener, ImageResponse)] {
    var seen: [(AnimationPreviews.Listener, ImageResponse)] = []
    let listeners = Dictionary(grouping: listeners()) { $0.renderTarget }
    var decoded: [PixelsKey: Bitmap] = [:]
    for (renderTarget, listeners) in listeners {
      let pixels = PixelsKey(renderTarget)
      guard
        let plain = decoded[pixels] ?? decode(file, as: kind, pixels, workspace: workspace),
        let image = try? styled(plain, for: renderTarget.key, workspace: workspace)
      else { continue }
      decoded[pixels] = plain
      let isNew = state.withLock { state in
        let isNew = state.pictures[renderTarget.key]?.hasSamePixels(as: image) != true
        state.pictures[renderTarget.key] = image
        return isNew
      }
      guard isNew else { continue }
      let cached = CachedImage(image, encodedBytes: file.count, body: nil)
      let loaded = LoadedImage(cached, from: .network)
      let response = loaded.response(renderTarget.key, RequestMetrics())
      seen += listeners.map { ($0, response) }
    }
    return seen
  }

  private func decode(
    _ file: [UInt8],
    as kind: Kind,
    _ pixels: PixelsKey,
    workspace: Workspace
  ) -> Bitmap? {
    let (codecs, rules) = (context.codecs, context.decodeRules(for: pixels.decoding))
    guard kind == .progressive else {
      let picture = try? codecs.decodePrefix(
        file.span,
        as: format,
        fitting: pixels.fitting,
        rules: rules,
        workspace: workspace
      )
      return (picture ?? nil)?.bitmap
    }
    return try? codecs.decode(
      file.span,
      as: .jpeg,
      fitting: pixels.fitting,
      rules: rules,
      workspace: workspace
    ).bitmap
  }

  private func styled(
    _ image: Bitmap,
    for key: StyledKey,
    workspace: Workspace
  ) throws(StyleError) -> Bitmap {
    guard key.style.hasFiltersOrEdges else { return image }
    return try key.style.applyFiltersAndEdges(image, scale: key.scale, workspace: workspace)
  }
}
