import Foundation
import IkranSystem
import IkranTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hands on what sessions say of their tasks to the transfers of these.
///
/// It is called on its own queue, once at a time.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  /// Where the session calls it.
  let queue: OperationQueue
  /// By their tasks, until the session has ended these.
  private let transfers = Guarded<[ObjectIdentifier: SessionTransfer]>([:])

  override init() {
    queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.name = "ikran-urlsession"
    super.init()
  }

  /// Starts a transfer with its task.
  func start(_ transfer: SessionTransfer, _ task: URLSessionTask) {
    transfer.begin(task)
    transfers.withLock { $0[ObjectIdentifier(task)] = transfer }
    task.resume()
  }

  /// Ends all transfers.
  func interruptAll(_ error: TransportError) {
    for transfer in transfers.withLock({ Array($0.values) }) { transfer.interrupt(error) }
  }

  /// The transfer of a task, unless that has ended.
  func transfer(of task: URLSessionTask) -> SessionTransfer? {
    transfers.withLock { $0[ObjectIdentifier(task)] }
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let isWanted = transfer(of: dataTask)?.receive(response) ?? false
    completionHandler(isWanted ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    transfer(of: dataTask)?.receive(data)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Redirects are followed by the rules of `HTTPHop`, hop by hop: this one is the response.
    transfer(of: task)?.receive(response)
    SessionPlatform.decline(completionHandler)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    let transfer = transfers.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
    transfer?.complete(error, task.response)
  }
}
