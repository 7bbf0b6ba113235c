// https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nsprocessinfopowerstatedidchange · macOS 12.0, iOS 9.0
extension NSNotification.Name {
  public static let NSProcessInfoPowerStateDidChange = NSNotification.Name()
}
