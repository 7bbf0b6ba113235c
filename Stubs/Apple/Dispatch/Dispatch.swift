// https://developer.apple.com/documentation/dispatch/dispatchqueue · macOS 10.10, iOS 8.0
public class DispatchQueue: @unchecked Sendable {
  public convenience init(label: String) { self.init() }
  fileprivate init() {}
}

// https://developer.apple.com/documentation/dispatch/dispatchsourceprotocol · macOS 10.10, iOS 8.0
public protocol DispatchSourceProtocol: AnyObject {
  // https://developer.apple.com/documentation/dispatch/dispatchsourceprotocol/activate() · macOS 10.12, iOS 10.0
  func activate()

  // https://developer.apple.com/documentation/dispatch/dispatchsourceprotocol/cancel() · macOS 10.10, iOS 8.0
  func cancel()

  // https://developer.apple.com/documentation/dispatch/dispatchsourceprotocol/seteventhandler(qos:flags:handler:) · macOS 10.10, iOS 8.0 ?
  func setEventHandler(handler: (@convention(block) () -> Void)?)
}

// https://developer.apple.com/documentation/dispatch/dispatchsourcememorypressure · macOS 10.10, iOS 8.0 ?
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol, Sendable {
  // https://developer.apple.com/documentation/dispatch/dispatchsourcememorypressure/data · macOS 10.10, iOS 8.0 ?
  var data: DispatchSource.MemoryPressureEvent { get }
}

// https://developer.apple.com/documentation/dispatch/dispatchsource · macOS 10.10, iOS 8.0
public class DispatchSource {
  // https://developer.apple.com/documentation/dispatch/dispatchsource/memorypressureevent · macOS 10.10, iOS 8.0 ?
  public struct MemoryPressureEvent: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var normal: MemoryPressureEvent { MemoryPressureEvent(rawValue: 1) }
    public static var warning: MemoryPressureEvent { MemoryPressureEvent(rawValue: 2) }
    public static var critical: MemoryPressureEvent { MemoryPressureEvent(rawValue: 4) }
  }

  // https://developer.apple.com/documentation/dispatch/dispatchsource/makememorypressuresource(eventmask:queue:) · macOS 10.10, iOS 8.0 ?
  public class func makeMemoryPressureSource(
    eventMask: MemoryPressureEvent,
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceMemoryPressure { fatalError() }
}

// https://developer.apple.com/documentation/dispatch/dispatchtimeinterval · macOS 10.10, iOS 8.0
public enum DispatchTimeInterval: Sendable {
  case milliseconds(Int)
}

// https://developer.apple.com/documentation/dispatch/dispatchtime · macOS 10.10, iOS 8.0
public struct DispatchTime: Sendable {
  // https://developer.apple.com/documentation/dispatch/dispatchtime/now() · macOS 10.10, iOS 8.0
  public static func now() -> DispatchTime { DispatchTime() }
  // https://developer.apple.com/documentation/dispatch/dispatchtime/uptimenanoseconds · macOS 10.10, iOS 8.0
  public var uptimeNanoseconds: UInt64 { 0 }
  public static func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
}

// https://developer.apple.com/documentation/dispatch/dispatchqueue · macOS 10.10, iOS 8.0
extension DispatchQueue {
  // https://developer.apple.com/documentation/dispatch/dispatchqueue/main · macOS 10.10, iOS 8.0 ?
  public class var main: DispatchQueue { fatalError() }
  // https://developer.apple.com/documentation/dispatch/dispatchqueue/async(group:qos:flags:execute:) · macOS 10.10, iOS 8.0
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {}
  // https://developer.apple.com/documentation/dispatch/dispatchqueue/asyncafter(deadline:qos:flags:execute:) · macOS 10.10, iOS 8.0
  public func asyncAfter(
    deadline: DispatchTime,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {}
}
