public import Foundation
public import Ikran
import IkranPixels
import IkranPlayback
import IkranViews
public import SwiftUI

/// An image that is loaded, for SwiftUI.
///
/// ```swift
/// IkranImage(person.portrait, style: .circle(48)) { phase in
///   if let image = phase.image { image } else { Color.gray }
/// }
/// .transition(.easeIn(duration: 0.25))
/// .frame(width: 48, height: 48)
/// ```
/// An image in memory or in a table is shown in the first frame. Any other loads when the view
/// appears, and again when its URL, style or scale change; the load ends with the view. Give it a
/// style of the size that it is shown in: ``/IkranPixels/Style/automatic`` is every pixel here.
///
/// Animated images play while the view is on screen.
public struct IkranImage<Content: View>: View {
  private let request: ImageRequest?
  private let pipeline: ImagePipeline
  private let content: (IkranImagePhase) -> Content
  private var change: SwiftUI.Animation?
  private var report: (@MainActor (IkranImagePhase) -> Void)?
  private var playback = PlaybackOptions()

  @Environment(\.displayScale) private var scale
  @State private var load: (id: LoadID, state: LoadState)?
  @State private var memo = PictureMemo()

  /// Shows the image at a URL.
  ///
  /// - Parameters:
  ///   - url: nil is ``IkranImagePhase/empty``.
  ///   - style: How it looks; sizes are in points.
  ///   - pipeline: What loads it.
  ///   - content: What is shown in each phase.
  public init(
    _ url: URL?,
    style: Style = .original,
    from pipeline: ImagePipeline = .shared,
    @ViewBuilder content: @escaping (IkranImagePhase) -> Content
  ) {
    self.init(url.map { ImageRequest($0, style: style) }, from: pipeline, content: content)
  }

  /// Shows the image of a request; without a scale it has that of the display.
  ///
  /// - Parameters:
  ///   - request: nil is ``IkranImagePhase/empty``.
  ///   - pipeline: What loads it.
  ///   - content: What is shown in each phase.
  public init(
    _ request: ImageRequest?,
    from pipeline: ImagePipeline = .shared,
    @ViewBuilder content: @escaping (IkranImagePhase) -> Content
  ) {
    (self.request, self.pipeline, self.content) = (request, pipeline, content)
  }

  /// What is shown.
  public var body: some View {
    content(phase(of: state)).task(id: id) { await follow() }
  }

  // MARK: - Options

  /// Animates the change to an image that was loaded; one that memory or a table has is there from
  /// the start.
  ///
  /// How parts of the content come and go, their own `transition` says; SwiftUI fades them.
  public func transition(_ animation: SwiftUI.Animation?) -> IkranImage {
    var view = self
    view.change = animation
    return view
  }

  /// Calls a closure on the main actor with each new phase, also that of an image which is there
  /// from the start.
  public func onChange(
    _ report: @escaping @MainActor (IkranImagePhase) -> Void
  ) -> IkranImage {
    var view = self
    view.report = report
    return view
  }

  /// How an animated image plays.
  public func playback(_ options: PlaybackOptions) -> IkranImage {
    var view = self
    view.playback = options
    return view
  }
}

// MARK: - Loading

extension IkranImage {
  private var scaled: ImageRequest? { request?.resolved(at: Double(scale)) }

  private var id: LoadID? { scaled.map { LoadID($0, in: pipeline) } }

  /// The state of this image: not of the one before, and what the caches have where the load has
  /// not begun.
  private var state: LoadState? {
    guard let scaled else { return nil }
    if let load, load.id == id { return load.state }
    return pipeline.shown(for: scaled).map { .shown($0.image, $0.source) }
      ?? .loading(nil, preview: nil)
  }

  private func phase(of state: LoadState?) -> IkranImagePhase {
    switch state {
    case nil: .empty
    case .loading(let progress, let preview):
      .loading(progress, preview: preview.flatMap { image(of: $0) })
    case .shown(let bitmap, let source):
      image(of: bitmap).map { .shown($0, source) } ?? .loading(nil, preview: nil)
    case .failed(let error): .failed(error)
    }
  }

  private func image(of bitmap: Bitmap) -> Image? {
    memo.image(of: bitmap, scale: request?.scale.map { CGFloat($0) } ?? scale)
  }

  /// Loads, then plays; SwiftUI cancels it with the view, and when the image is another.
  private func follow() async {
    guard let scaled, let id else {
      load = nil
      report?(.empty)
      return
    }
    var animation: IkranPlayback.Animation?
    let hit = pipeline.shown(for: scaled)
    if let hit {
      update(id, .shown(hit.image, hit.source), animated: false)
      animation = hit.animation
    } else {
      update(id, .loading(nil, preview: nil), animated: false)
    }
    if hit?.isCurrent != true {
      for await event in pipeline.events(for: scaled) {
        let next = (load?.state ?? .loading(nil, preview: nil)).after(event)
        update(id, next.state, animated: hit == nil)
        if let frames = next.animation { animation = frames }
      }
    }
    if let animation, !Task.isCancelled { await play(animation, id) }
  }

  /// Shows frame after frame, until the view goes.
  private func play(_ animation: IkranPlayback.Animation, _ id: LoadID) async {
    guard case .shown(_, let source) = load?.state else { return }
    let player = Player(animation, options: playback) { event in
      // The phase stays the same, so it is not reported.
      if case .frame(_, let bitmap) = event { load = (id, .shown(bitmap, source)) }
    }
    if playback.playsAutomatically { player.play() }
    await player.run()
  }

  private func update(_ id: LoadID, _ state: LoadState, animated: Bool) {
    withAnimation(animated ? change : nil) { load = (id, state) }
    report?(phase(of: state))
  }
}

extension IkranImage where Content == Image? {
  /// Shows the image at a URL in the size that the view is given, and nothing before.
  ///
  /// - Parameters:
  ///   - url: nil shows nothing.
  ///   - style: How it looks; sizes are in points.
  ///   - pipeline: What loads it.
  public init(_ url: URL?, style: Style = .original, from pipeline: ImagePipeline = .shared) {
    self.init(url, style: style, from: pipeline) { $0.image?.resizable() }
  }
}
