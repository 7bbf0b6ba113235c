import IkranTransport

/// A step of a pipeline's work, such as a transfer or a decode; one closure receives them all.
///
/// Each request for an image or its data ends in one ``requestFinished(_:)``, in whatever way it
/// was made; a miss of ``ImagePipeline/cached(for:)`` makes no event.
@nonexhaustive
public enum PipelineEvent: Sendable, Hashable {
  /// A request has ended.
  indirect case requestFinished(RequestSummary)
  /// A transfer started; each retry is reported separately.
  case transferBegan(url: String)
  /// The head of a response has arrived, before its body; of a body that comes in parts, the first
  /// one's.
  ///
  /// Each retry is reported, and a redirect's target; no redirect of
  /// ``/IkranTransport/CurlTransport`` is, and nothing of a transport that does not tell of heads.
  case responseBegan(url: String, head: ResponseHead)
  /// A transfer ended: with a response of this status, or without one. The metrics are known when
  /// the transport measures.
  case transferEnded(url: String, status: Int?, metrics: TransferMetrics?)
  /// A body was downloaded.
  case downloaded(bytes: Int, duration: Duration)
  /// A download ended because what had arrived was enough, before so many bytes of the file; 0 when
  /// its length is not known.
  case stoppedEarly(savedBytes: Int)
  /// The origin was asked, and what is kept still holds.
  case confirmed
  /// A download failed and is tried again after this wait.
  case retried(wait: Duration)
  /// The origin could not be asked, and what is kept was used although it is old.
  indirect case usedStale(because: ImageError)
  /// The disk cache had a body.
  case readFromDisk(bytes: Int)
  /// A file was decoded for one size.
  case decoded(bytes: Int, duration: Duration)
  /// A decoded image got its style's edges.
  case styled(duration: Duration)
  /// The disk cache failed and was skipped; the text says what to do.
  case diskFailed(String)
  /// An image table failed and was skipped; the text says what to do.
  case tableFailed(String)
  /// An avatar's own storage failed and was skipped; the text is the storage's.
  case avatarStorageFailed(String)
}

/// Counts since the pipeline was made.
public struct PipelineStatistics: Sendable, Hashable {
  /// Requests that memory served.
  public var memoryHits = 0
  /// Requests that an image table served.
  public var tableHits = 0
  /// Bodies that the disk cache had.
  public var diskHits = 0
  /// Bodies downloaded.
  public var downloads = 0
  /// Bytes downloaded.
  public var downloadedBytes = 0
  /// Downloads that ended because what had arrived was enough.
  public var earlyStops = 0
  /// Bytes of files that were not downloaded then; a later request for more may have fetched them
  /// after all.
  public var savedBytes = 0
  /// Times the origin said that what is kept still holds.
  public var confirmations = 0
  /// Downloads tried again.
  public var retries = 0
  /// Decodes: one for each source and needed size.
  public var decodes = 0
  /// Stylings: one for each styled image made.
  public var stylings = 0
  /// Times the disk cache failed and was skipped.
  public var diskFailures = 0
  /// Times an image table failed and was skipped.
  public var tableFailures = 0
}
