// https://developer.apple.com/documentation/objectivec/nsobject-swift.class · macOS 10.0, iOS 2.0
open class NSObject: Hashable {
  public init() {}
  public static func == (one: NSObject, other: NSObject) -> Bool { one === other }
  public func hash(into hasher: inout Hasher) {}
}
