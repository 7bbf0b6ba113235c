import IkranStores
public import IkranTransport

/// How one request ended, and where its time went.
public struct RequestSummary: Sendable, Hashable {
  /// The URL without its secrets, or the id of the data.
  public let url: String
  /// The stage that had the image, or why there is none.
  public let result: Result<ImageSource, ImageError>
  /// Where the time went.
  public let metrics: RequestMetrics
}

/// Where the time of a request went.
///
/// Requests that share a transfer or a decode have the same times of it.
public struct RequestMetrics: Sendable, Hashable {
  /// The wait for a place among the transfers, of all tries together; zero without a transfer.
  public var queue = Duration.zero
  /// What the transfer that brought the bytes cost; nil without one, and when the transport does
  /// not measure.
  public var transfer: TransferMetrics?
  /// Bytes of the file that were not transferred, as what had arrived was enough.
  public var savedBytes = 0
  /// The time of decoding; zero when the pixels were in memory.
  public var decode = Duration.zero
  /// The time of drawing the style's edges; zero when the image was there.
  public var style = Duration.zero
  /// From the moment when neither memory nor a table had the image until the end; zero for their
  /// hits.
  public var total = Duration.zero

  /// Creates metrics of a request that cost nothing.
  public init() {}
}

/// The times of the image that a load made, shared by those who wait for it.
final class RenderTimes: Sendable {
  let metrics: RequestMetrics

  init(_ transfer: RunningTransfer?, decode: Duration, style: Duration) {
    var metrics = transfer?.metrics ?? RequestMetrics()
    (metrics.decode, metrics.style) = (decode, style)
    self.metrics = metrics
  }
}

extension ImagePipeline {
  /// Where the time of a request went that ends now.
  func metrics(_ subscription: Subscription, _ times: RenderTimes? = nil) -> RequestMetrics {
    var metrics = times?.metrics ?? RequestMetrics()
    // A hit has not waited, and reads no clock.
    if let start = subscription.start {
      metrics.total = .microseconds(max(0, context.clock.now() - start))
    }
    return metrics
  }

  /// Where the time of a request went that ends now with a body, and no image.
  func metrics(_ subscription: Subscription, _ body: Body) -> RequestMetrics {
    metrics(subscription, RenderTimes(body.arrival?.transfer, decode: .zero, style: .zero))
  }

  /// Reports the end of a request, if the program listens.
  func report(
    _ result: Result<ImageSource, ImageError>,
    of request: ImageRequest,
    metrics: @autoclosure () -> RequestMetrics
  ) {
    guard context.counters.isObserved else { return }
    let summary = RequestSummary(url: request.displayName, result: result, metrics: metrics())
    context.counters.count(.requestFinished(summary))
  }

  /// Does a request's `work` within its deadline; reports when it fails.
  func reportingFailure<Value: Sendable>(
    of request: ImageRequest,
    _ subscription: Subscription,
    _ work: @escaping @Sendable () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    do throws(ImageError) {
      return try await withinDeadline(of: request, work)
    } catch {
      report(.failure(error), of: request, metrics: metrics(subscription))
      throw error
    }
  }
}
