// https://developer.apple.com/documentation/appkit/nsbutton · macOS 10.0 ?
extension NSButton {
  // https://developer.apple.com/documentation/appkit/nsbutton/buttontype · macOS 10.0 ?
  public enum ButtonType: UInt, Sendable {
    case toggle = 2
  }
  // https://developer.apple.com/documentation/appkit/nsbutton/setbuttontype(_:) · macOS 10.0 ?
  public func setButtonType(_ type: NSButton.ButtonType) {}
  // https://developer.apple.com/documentation/appkit/nsbutton/isbordered · macOS 10.0 ?
  public var isBordered: Bool { get { false } set {} }
  // https://developer.apple.com/documentation/appkit/nsbutton/imageposition · macOS 10.0 ?
  public var imagePosition: NSControl.ImagePosition { get { .imageOnly } set {} }
}

// https://developer.apple.com/documentation/appkit/nscontrol/imageposition · macOS 10.0 ?
extension NSControl {
  public enum ImagePosition: UInt, Sendable {
    case imageOnly = 1
  }
}
