// https://developer.apple.com/documentation/foundation/operationqueue · macOS 10.5, iOS 2.0 ?
open class OperationQueue: NSObject, @unchecked Sendable {
  open var maxConcurrentOperationCount = 1
  open var name: String?
  open func addOperation(_ operation: Operation) {}
}

// https://developer.apple.com/documentation/foundation/operation · macOS 10.5, iOS 2.0 ?
open class Operation: NSObject, @unchecked Sendable {
  public enum QueuePriority: Int, Sendable { case veryLow, low, normal, high, veryHigh }
  open var queuePriority = QueuePriority.normal
}

// https://developer.apple.com/documentation/foundation/blockoperation · macOS 10.6, iOS 4.0
open class BlockOperation: Operation, @unchecked Sendable {
  public convenience init(block: @escaping @Sendable () -> Void) { self.init() }
}

// https://developer.apple.com/documentation/foundation/urlrequest · macOS 10.10, iOS 8.0
public struct URLRequest: Sendable {
  public init(url: URL) {}
  public var httpMethod: String?
  public var timeoutInterval: Double { get { 60 } set {} }
  public func value(forHTTPHeaderField field: String) -> String? { nil }
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
}

// https://developer.apple.com/documentation/foundation/urlrequest/allowsconstrainednetworkaccess · macOS 10.15, iOS 13.0
extension URLRequest {
  public var allowsConstrainedNetworkAccess: Bool { get { true } set {} }
  public var allowsExpensiveNetworkAccess: Bool { get { true } set {} }
}

// https://developer.apple.com/documentation/foundation/urlresponse · macOS 10.2, iOS 2.0 ?
open class URLResponse: NSObject, @unchecked Sendable {}

// https://developer.apple.com/documentation/foundation/httpurlresponse · macOS 10.2, iOS 2.0
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
  open var statusCode: Int { 0 }
  open var allHeaderFields: [AnyHashable: Any] { [:] }
}

// https://developer.apple.com/documentation/foundation/urlcache · macOS 10.2, iOS 2.0 ?
open class URLCache: NSObject, @unchecked Sendable {}

// https://developer.apple.com/documentation/foundation/urlcredentialstorage · macOS 10.2, iOS 2.0 ?
open class URLCredentialStorage: NSObject, @unchecked Sendable {}

// https://developer.apple.com/documentation/foundation/httpcookiestorage · macOS 10.2, iOS 2.0 ?
open class HTTPCookieStorage: NSObject, @unchecked Sendable {}

// https://developer.apple.com/documentation/foundation/httpcookie/acceptpolicy · macOS 10.2, iOS 2.0
extension HTTPCookie {
  public enum AcceptPolicy: UInt, Sendable { case always, never, onlyFromMainDocumentDomain }
}

// https://developer.apple.com/documentation/foundation/httpcookie · macOS 10.2, iOS 2.0 ?
open class HTTPCookie: NSObject, @unchecked Sendable {}

// https://developer.apple.com/documentation/foundation/urlsessionconfiguration · macOS 10.9, iOS 7.0 ?
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
  open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
  open var urlCache: URLCache?
  open var urlCredentialStorage: URLCredentialStorage?
  open var httpCookieStorage: HTTPCookieStorage?
  open var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.always
  open var httpShouldSetCookies = true
  open var httpMaximumConnectionsPerHost = 6
  open var connectionProxyDictionary: [AnyHashable: Any]?
}

// https://developer.apple.com/documentation/foundation/urlsessionconfiguration/waitsforconnectivity · macOS 10.13, iOS 11.0
extension URLSessionConfiguration {
  public var waitsForConnectivity: Bool { get { false } set {} }
}

// https://developer.apple.com/documentation/foundation/urlsessiontask · macOS 10.9, iOS 7.0 ?
open class URLSessionTask: NSObject, @unchecked Sendable {
  open func resume() {}
  open func cancel() {}
  open var response: URLResponse? { nil }
}

// https://developer.apple.com/documentation/foundation/urlsessiondatatask · macOS 10.9, iOS 7.0
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

// https://developer.apple.com/documentation/foundation/urlsessionuploadtask · macOS 10.9, iOS 7.0
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}

// https://developer.apple.com/documentation/foundation/urlsession · macOS 10.9, iOS 7.0 ?
open class URLSession: NSObject, @unchecked Sendable {
  public init(
    configuration: URLSessionConfiguration,
    delegate: (any URLSessionDelegate)?,
    delegateQueue queue: OperationQueue?
  ) {}
  open func finishTasksAndInvalidate() {}
  open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
    URLSessionUploadTask()
  }
  open func dataTask(with request: URLRequest) -> URLSessionDataTask { URLSessionDataTask() }
}

// https://developer.apple.com/documentation/foundation/urlsession/responsedisposition · macOS 10.9, iOS 7.0
extension URLSession {
  public enum ResponseDisposition: Int, Sendable { case cancel, allow, becomeDownload, becomeStream }
}

// https://developer.apple.com/documentation/foundation/urlsessiondelegate · macOS 10.9, iOS 7.0
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {}

// https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate · macOS 10.9, iOS 7.0 ?
// Its methods are optional; without that, a method of another signature is an error.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  )
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  )
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didFinishCollecting metrics: URLSessionTaskMetrics
  )
}

// https://developer.apple.com/documentation/foundation/urlsessiondatadelegate · macOS 10.9, iOS 7.0 ?
// Likewise.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  )
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}
