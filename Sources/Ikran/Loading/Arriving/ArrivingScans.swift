import IkranCodecs
import IkranPixels
import IkranPlayback
import IkranStores

/// Pictures of a progressive JPEG that is being downloaded: what its whole scans show.
///
/// It decodes on a thread of the decode pool, only as long as a request listens, and at most once every
/// 100 ms; what arrives within the first 100 ms is not shown early. After each look the bytes
/// have to grow by an eighth: all looks together cost some decodes of the whole file.
final class ArrivingScans: Sendable {
  private struct State {
    var scans = JPEGScans()
    var shown = 0
    var lastCount = 0
    var nextCount = 0
    /// When the next look is due, in microseconds since 1970; nil before the first bytes.
    var nextTime: Int64?
    var isLooking = false
    /// The last picture of each style.
    var pictures: [StyledKey: Bitmap] = [:]
  }

  /// The least time between two looks, in microseconds.
  static let interval: Int64 = 100_000

  private let state = Guarded(State())
  private let stages: LoadStages
  private let listeners: @Sendable () -> [ArrivingAnimations.Listener]

  init(_ stages: LoadStages, _ listeners: @escaping @Sendable () -> [ArrivingAnimations.Listener]) {
    (self.stages, self.listeners) = (stages, listeners)
  }

  /// Takes note of the body so far, on the transport's thread.
  func note(_ body: borrowing [UInt8]) {
    let now = stages.clock.now()
    let file = state.withLock { state -> [UInt8]? in
      guard state.scans.isProgressive != false else { return nil }
      // A transfer that began again has less than before.
      if body.count < state.lastCount { (state.scans, state.nextCount) = (JPEGScans(), 0) }
      state.lastCount = body.count
      state.scans.read(body.span)
      guard let nextTime = state.nextTime else {
        state.nextTime = now + Self.interval
        return nil
      }
      guard now >= nextTime, !state.isLooking, body.count >= state.nextCount,
        state.scans.count > state.shown
      else { return nil }
      state.isLooking = true
      state.shown = state.scans.count
      return state.scans.file(body.span)
    }
    guard let file else { return }
    stages.computing.later { [self] in
      let pictures = look(at: file)
      let now = stages.clock.now()
      state.withLock { state in
        state.isLooking = false
        state.nextTime = now + Self.interval
        state.nextCount = file.count + file.count / 8
      }
      for (listener, response) in pictures { listener.subscription.report(response) }
    }
  }

  /// What each request is to see of a file of whole scans: nothing if it has seen the same.
  private func look(at file: [UInt8]) -> [(ArrivingAnimations.Listener, ImageResponse)] {
    var seen: [(ArrivingAnimations.Listener, ImageResponse)] = []
    let listeners = Dictionary(grouping: listeners()) { $0.drawing }
    let workspace = Workspace()
    var decoded: [Fitting: Bitmap] = [:]
    for (drawing, listeners) in listeners {
      guard let plain = decoded[drawing.fitting] ?? decode(file, drawing.fitting, workspace),
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

  private func decode(_ file: [UInt8], _ fitting: Fitting, _ workspace: Workspace) -> Bitmap? {
    try? stages.codecs.decode(
      file.span,
      as: .jpeg,
      fitting: fitting,
      limits: stages.options.decoding.limits,
      workspace: workspace
    )
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
