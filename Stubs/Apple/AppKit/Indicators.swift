// https://developer.apple.com/documentation/appkit/nsprogressindicator · macOS 10.0 ?
@MainActor open class NSProgressIndicator: NSView {
  // https://developer.apple.com/documentation/appkit/nsprogressindicator/isindeterminate · macOS 10.0 ?
  open var isIndeterminate: Bool { get { true } set {} }
  // https://developer.apple.com/documentation/appkit/nsprogressindicator/minvalue · macOS 10.0 ?
  open var minValue: Double { get { 0 } set {} }
  // https://developer.apple.com/documentation/appkit/nsprogressindicator/maxvalue · macOS 10.0 ?
  open var maxValue: Double { get { 0 } set {} }
  // https://developer.apple.com/documentation/appkit/nsprogressindicator/doublevalue · macOS 10.0 ?
  open var doubleValue: Double { get { 0 } set {} }
  // https://developer.apple.com/documentation/appkit/nsprogressindicator/startanimation(_:) · macOS 10.0 ?
  open func startAnimation(_ sender: Any?) {}
  // https://developer.apple.com/documentation/appkit/nsprogressindicator/stopanimation(_:) · macOS 10.0 ?
  open func stopAnimation(_ sender: Any?) {}
}
