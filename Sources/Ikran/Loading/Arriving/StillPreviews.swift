import IkranCodecs
import IkranPixels
import IkranPlayback
import IkranStores

/// Pictures of a progressive JPEG, or an interlaced PNG or GIF, that is being downloaded: what its
/// whole scans show, or its passes as far as they are there.
///
/// It decodes on a thread of the decode pool, only as long as a request listens, and at most once
/// every 100 ms; what arrives within the first 100 ms is not shown early. After each look the bytes
/// of a JPEG have to grow by an eighth, and those of other files, which are decoded from their
/// first byte, to twice as many: all looks together read at most nine times, or twice, the bytes of
/// the file.
final class StillPreviews: Sendable {
  private enum Kind {
    case progressive, interlaced, other
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
    /// When the next look is due, in microseconds since 1970; nil before the first bytes.
    var nextTime: Int64?
    var isDecoding = false
    /// The last picture of each style.
    var pictures: [StyledKey: Bitmap] = [:]
  }

  /// A file whose first picture begins later is not shown early, in bytes.
  private static let longestHeader = 1 << 20
  /// The least time between two looks, in microseconds.
  static let interval: Int64 = 100_000

  private let state = Guarded(State())
  private let stages: LoadStages
  private let format: ImageFormat?
  private let listeners: @Sendable () -> [AnimationPreviews.Listener]

  init(
    _ stages: LoadStages,
    _ format: ImageFormat?,
    _ listeners: @escaping @Sendable () -> [AnimationPreviews.Listener]
  ) {
    (self.stages, self.format, self.listeners) = (stages, format, listeners)
  }

  /// Whether a picture is being made.
  var isDecoding: Bool { state.withLock { $0.isDecoding } }

  /// Takes note of the body so far, on the transport's thread.
  func note(_ body: borrowing [UInt8]) {
    let now = stages.clock.now()
    let look = state.withLock { state -> (kind: Kind, scans: JPEGScans)? in
      let kind = noteArrival(body.span, &state)
      guard let nextTime = state.nextTime else {
        state.nextTime = now + Self.interval
        return nil
      }
      guard let kind, now >= nextTime, !state.isDecoding, body.count >= state.nextCount,
        kind != .progressive || state.scans.count > state.shown
      else { return nil }
      (state.isDecoding, state.shown) = (true, state.scans.count)
      return (kind, state.scans)
    }
    guard let look else { return }
    let isProgressive = look.kind == .progressive
    guard let file = isProgressive ? look.scans.file(body.span) : body.copied() else {
      return state.withLock { $0.isDecoding = false }
    }
    stages.computing.later { [self] in
      let pictures = pictures(of: file, look.kind)
      let (now, count) = (stages.clock.now(), file.count)
      state.withLock { state in
        state.isDecoding = false
        state.nextTime = now + Self.interval
        state.nextCount = count + (look.kind == .interlaced ? count : count / 8)
      }
      for (listener, response) in pictures { listener.subscription.report(response) }
    }
  }

  /// Takes note of what is there; the kind of file, once it is known that some of it may be shown.
  private func noteArrival(_ body: Span<UInt8>, _ state: inout State) -> Kind? {
    guard state.kind != .other else { return nil }
    // A transfer that began again has less than before.
    if body.count < state.lastCount {
      (state.kind, state.scans, state.shown, state.nextCount) = (nil, JPEGScans(), 0, 0)
      state.headerCount = 12
    }
    state.lastCount = body.count
    guard body.count >= 2 else { return state.kind }
    if state.kind == nil, body[0] == 0xFF, body[1] == 0xD8 { state.kind = .progressive }
    if state.kind == .progressive {
      state.scans.read(body)
      if state.scans.isProgressive == false { state.kind = .other }
    } else if state.kind == nil, body.count >= state.headerCount {
      // Each time from the first byte: with twice the bytes, that is twice the work of one look in
      // all.
      state.headerCount = body.count * 2
      if let isInterlaced = stages.codecs.isInterlaced(body, as: format) {
        state.kind = isInterlaced ? .interlaced : .other
      } else if body.count > Self.longestHeader {
        state.kind = .other
      }
    }
    return state.kind
  }

  /// What each request is to see of what is there of a file: nothing if it has seen the same.
  private func pictures(
    of file: [UInt8],
    _ kind: Kind
  ) -> [(AnimationPreviews.Listener, ImageResponse)] {
    var seen: [(AnimationPreviews.Listener, ImageResponse)] = []
    let listeners = Dictionary(grouping: listeners()) { $0.drawing }
    let workspace = Workspace()
    var decoded: [Fitting: Bitmap] = [:]
    for (drawing, listeners) in listeners {
      guard let plain = decoded[drawing.fitting] ?? decode(file, kind, drawing.fitting, workspace),
        let image = try? styled(plain, drawing.key, workspace)
      else { continue }
      decoded[drawing.fitting] = plain
      let isNew = state.withLock { state in
        let isNew = state.pictures[drawing.key]?.hasSamePixels(as: image) != true
        state.pictures[drawing.key] = image
        return isNew
      }
      guard isNew else { continue }
      let cached = CachedImage(image, encodedBytes: file.count, body: nil)
      let loaded = LoadedImage(cached, from: .network)
      let response = loaded.response(drawing.key, RequestMetrics())
      seen += listeners.map { ($0, response) }
    }
    return seen
  }

  private func decode(
    _ file: [UInt8],
    _ kind: Kind,
    _ fitting: Fitting,
    _ workspace: Workspace
  ) -> Bitmap? {
    let (codecs, rules) = (stages.codecs, stages.options.decoding.rules)
    guard kind == .progressive else {
      let picture = try? codecs.decodePrefix(
        file.span,
        as: format,
        fitting: fitting,
        rules: rules,
        workspace: workspace
      )
      return (picture ?? nil)?.bitmap
    }
    return try? codecs.decode(
      file.span,
      as: .jpeg,
      fitting: fitting,
      rules: rules,
      workspace: workspace
    ).bitmap
  }

  private func styled(
    _ image: Bitmap,
    _ key: StyledKey,
    _ workspace: Workspace
  ) throws(StyleError) -> Bitmap {
    guard key.style.needsFinish else { return image }
    return try key.style.finish(image, scale: key.scale, workspace: workspace)
  }
}
