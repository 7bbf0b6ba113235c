// https://developer.apple.com/documentation/uikit/uiactivityindicatorview · iOS 2.0
@MainActor open class UIActivityIndicatorView: UIView {
  // https://developer.apple.com/documentation/uikit/uiactivityindicatorview/isanimating · iOS 2.0
  open var isAnimating: Bool { false }
  // https://developer.apple.com/documentation/uikit/uiactivityindicatorview/startanimating() · iOS 2.0
  open func startAnimating() {}
  // https://developer.apple.com/documentation/uikit/uiactivityindicatorview/stopanimating() · iOS 2.0
  open func stopAnimating() {}
}

// https://developer.apple.com/documentation/uikit/uiprogressview · iOS 2.0
@MainActor open class UIProgressView: UIView {
  // https://developer.apple.com/documentation/uikit/uiprogressview/progress · iOS 2.0
  open var progress: Float { get { 0 } set {} }
}
