public import ObjectiveC

// https://developer.apple.com/documentation/foundation/runloop · macOS 10.0, iOS 2.0
public class RunLoop: NSObject {
  // https://developer.apple.com/documentation/foundation/runloop/mode · macOS 10.0, iOS 2.0
  public struct Mode: Hashable, Sendable {
    // https://developer.apple.com/documentation/foundation/runloop/mode/common · macOS 10.5, iOS 2.0
    public static let common = Mode()
  }
  // https://developer.apple.com/documentation/foundation/runloop/main · macOS 10.5, iOS 2.0
  public class var main: RunLoop { fatalError() }
}

// https://developer.apple.com/documentation/foundation/processinfo/islowpowermodeenabled · macOS 12.0, iOS 9.0
extension ProcessInfo {
  public var isLowPowerModeEnabled: Bool { false }
}

// https://developer.apple.com/documentation/foundation/nsnotification · macOS 10.0, iOS 2.0
public class NSNotification: NSObject {
  // https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct · macOS 10.0, iOS 2.0
  public struct Name: Hashable, Sendable {}
}

// https://developer.apple.com/documentation/foundation/notificationcenter · macOS 10.0, iOS 2.0
public class NotificationCenter: NSObject {
  // https://developer.apple.com/documentation/foundation/notificationcenter/default · macOS 10.0, iOS 2.0
  public class var `default`: NotificationCenter { fatalError() }
  // https://developer.apple.com/documentation/foundation/notificationcenter/addobserver(_:selector:name:object:) · macOS 10.0, iOS 2.0
  public func addObserver(
    _ observer: Any,
    selector aSelector: Selector,
    name aName: NSNotification.Name?,
    object anObject: Any?
  ) {}
  // https://developer.apple.com/documentation/foundation/notificationcenter/post(name:object:) · macOS 10.0, iOS 2.0
  public func post(name aName: NSNotification.Name, object anObject: Any?) {}
}

// https://developer.apple.com/documentation/foundation/nscoder · macOS 10.0, iOS 2.0
public class NSCoder: NSObject {}

// https://developer.apple.com/documentation/foundation/nstemporarydirectory() · macOS 10.0, iOS 2.0
public func NSTemporaryDirectory() -> String { "" }

// https://developer.apple.com/documentation/foundation/fileprotectiontype · macOS 10.0, iOS 2.0
public struct FileProtectionType: Hashable, Sendable {
  // https://developer.apple.com/documentation/foundation/fileprotectiontype/none · macOS 10.6, iOS 4.0
  public static let none = FileProtectionType()
  // https://developer.apple.com/documentation/foundation/fileprotectiontype/complete · macOS 10.6, iOS 4.0
  public static let complete = FileProtectionType()
  // https://developer.apple.com/documentation/foundation/fileprotectiontype/completeuntilfirstuserauthentication · macOS 10.6, iOS 5.0
  public static let completeUntilFirstUserAuthentication = FileProtectionType()
}

// https://developer.apple.com/documentation/foundation/fileattributekey · macOS 10.0, iOS 2.0
public struct FileAttributeKey: Hashable, Sendable {
  // https://developer.apple.com/documentation/foundation/fileattributekey/protectionkey · macOS 10.6, iOS 4.0
  public static let protectionKey = FileAttributeKey()
}

// https://developer.apple.com/documentation/foundation/filemanager · macOS 10.0, iOS 2.0
open class FileManager: NSObject {
  // https://developer.apple.com/documentation/foundation/filemanager/default · macOS 10.0, iOS 2.0
  public class var `default`: FileManager { fatalError() }
  // https://developer.apple.com/documentation/foundation/filemanager/setattributes(_:ofitematpath:) · macOS 10.5, iOS 2.0
  open func setAttributes(
    _ attributes: [FileAttributeKey: Any],
    ofItemAtPath path: String
  ) throws {}
}
