public import Foundation
public import Ikran
public import IkranPixels
import IkranPlayback
import IkranViews
public import SwiftUI

public import struct IkranPixels.Style

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
/// appears, and again when its URL, style or scale change; the load ends with the view. A view that
/// appears again keeps its image, and loads what it has not loaded to the end. Give it a style of
/// the size that it is shown in: ``/IkranPixels/Style/automatic`` is every pixel here.
///
/// Animated images play while the view is on screen, by the one player that all views of the image
/// share, also those of UIKit and AppKit. Each frame runs the content again: keep it small there.
///
/// `Animation`, `BlendMode`, `Canvas` and `Color` are types of `Ikran` and of SwiftUI, and with
/// `IkranApple` so are `ContentMode` and `Transition`. A file that imports both modules says once
/// which it means, such as `import struct SwiftUI.Color`.
public struct IkranImage<Content: View>: View {
  private let request: ImageRequest?
  private let pipeline: ImagePipeline
  private let content: (IkranImagePhase) -> Content
  private var change: SwiftUI.Animation?
  private var report: (@MainActor (IkranImagePhase) -> Void)?
  private var playback = PlaybackOptions()

  @Environment(\.displayScale) private var scale
  @Environment(\.accessibilityReduceMotion) private var reducesMotion
  @State private var load: ViewLoad?
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
    let state = state
    PlayedContent(
      phase: phase(of: state),
      animation: animation(of: state),
      options: playback,
      scale: pictureScale,
      content: content
    )
    .task(id: id) { await follow() }
  }

  // MARK: - Options

  /// Animates the change to an image that was loaded; one that memory or a table has is there from
  /// the start.
  ///
  /// How parts of the content come and go, their own `transition` says; SwiftUI fades them. Where
  /// the user has asked for less motion, the image changes at once.
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
    return pipeline.shown(for: scaled).map { .shown($0.image, $0.animation, $0.source) }
      ?? .loading(nil, preview: nil)
  }

  private func phase(of state: LoadState?) -> IkranImagePhase {
    switch state {
    case nil: .empty
    case .loading(let progress, let preview):
      .loading(progress, preview: preview.flatMap { image(of: $0) })
    case .shown(let bitmap, _, let source):
      image(of: bitmap).map { .shown($0, source) } ?? .loading(nil, preview: nil)
    case .failed(let error): .failed(error)
    }
  }

  private func animation(of state: LoadState?) -> IkranPlayback.Animation? {
    if case .shown(_, let animation, _) = state { animation } else { nil }
  }

  private func image(of bitmap: Bitmap) -> Image? {
    memo.image(of: bitmap, scale: pictureScale)
  }

  private var pictureScale: CGFloat { request?.scale.map { CGFloat($0) } ?? scale }

  /// Loads; SwiftUI calls it when the view appears, also again, and when the image is another, and
  /// cancels it when the view goes.
  private func follow() async {
    guard let scaled, let id else {
      load = nil
      report?(.empty)
      return
    }
    let old = load.flatMap { $0.id == id ? $0 : nil }
    let hit = pipeline.shown(for: scaled)
    if let hit {
      update(id, .shown(hit.image, hit.animation, hit.source), animated: false)
    } else if old?.state.isShown != true {
      update(id, .loading(nil, preview: nil), animated: false)
    } else if old?.isComplete == true {
      // The caches have given it up, the view has not.
      return
    }
    if hit?.isCurrent != true {
      for await event in pipeline.events(for: scaled) {
        let next = (load?.state ?? .loading(nil, preview: nil)).after(event)
        update(id, next, animated: load?.state.isShown != true)
      }
    }
    if load?.id == id, load?.state.isShown == true, !Task.isCancelled { load?.isComplete = true }
  }

  private func update(_ id: LoadID, _ state: LoadState, animated: Bool) {
    withAnimation(animated && !reducesMotion ? change : nil) {
      load = ViewLoad(id: id, state: state)
    }
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
