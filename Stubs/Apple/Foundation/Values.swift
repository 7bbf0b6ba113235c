public import ObjectiveC

// https://developer.apple.com/documentation/foundation/nsvalue · macOS 10.0, iOS 2.0
public class NSValue: NSObject {}
