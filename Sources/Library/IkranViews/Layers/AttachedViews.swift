/// A view of a program that is visible at times only.
@MainActor
package protocol AttachedView {
  /// Keeps it alive until `release()`.
  func retain()
  func release()
  func setVisible(_ isVisible: Bool)
  /// Shows how far a load has come, from 0 to 1; nil while that is not known.
  func setProgress(_ progress: Double?)
}

extension AttachedView {
  package func setProgress(_ progress: Double?) {}
}

/// The views of a program that are visible only while a layer has no image.
@MainActor
package struct AttachedViews {
  /// When one is visible.
  package enum Time {
    case noImage
    case loading
  }

  private var placeholder: (any AttachedView)?
  private var indicator: (any AttachedView)?

  /// Keeps a view, in place of the last one for that time.
  mutating func set(_ view: (any AttachedView)?, while time: Time) {
    view?.retain()
    switch time {
    case .noImage:
      placeholder?.release()
      placeholder = view
    case .loading:
      indicator?.release()
      indicator = view
    }
  }

  func show(placeholder isPlaceholder: Bool, indicator isLoading: Bool, progress: Double?) {
    placeholder?.setVisible(isPlaceholder)
    indicator?.setVisible(isLoading)
    if isLoading { indicator?.setProgress(progress) }
  }

  mutating func releaseAll() {
    set(nil, while: .noImage)
    set(nil, while: .loading)
  }
}
