public import Dispatch

// https://developer.apple.com/documentation/network/nwpath · macOS 10.14, iOS 12.0
public struct NWPath: Sendable {
  public var isExpensive: Bool { false }
}

// https://developer.apple.com/documentation/network/nwpath/isconstrained · macOS 10.15, iOS 13.0
extension NWPath {
  public var isConstrained: Bool { false }
}

// https://developer.apple.com/documentation/network/nwpathmonitor · macOS 10.14, iOS 12.0 ?
public final class NWPathMonitor: Sendable {
  public init() {}
  @preconcurrency public final var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
    get { nil }
    set {}
  }
  public func start(queue: DispatchQueue) {}
}
