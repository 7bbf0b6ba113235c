// https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics · macOS 10.12, iOS 10.0 ?
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
  open var taskInterval: DateInterval { fatalError() }
  open var transactionMetrics: [URLSessionTaskTransactionMetrics] { [] }
}

// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics · macOS 10.12, iOS 10.0 ?
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
  open var domainLookupStartDate: Date? { nil }
  open var domainLookupEndDate: Date? { nil }
  open var connectStartDate: Date? { nil }
  open var connectEndDate: Date? { nil }
  open var secureConnectionStartDate: Date? { nil }
  open var secureConnectionEndDate: Date? { nil }
  open var responseStartDate: Date? { nil }
  open var isReusedConnection: Bool { false }
  open var networkProtocolName: String? { nil }
}

// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/remoteaddress · macOS 10.15, iOS 13.0
extension URLSessionTaskTransactionMetrics {
  public var remoteAddress: String? { nil }
  public var countOfResponseHeaderBytesReceived: Int64 { 0 }
  public var countOfResponseBodyBytesReceived: Int64 { 0 }
  public var countOfRequestHeaderBytesSent: Int64 { 0 }
  public var countOfRequestBodyBytesSent: Int64 { 0 }
}
