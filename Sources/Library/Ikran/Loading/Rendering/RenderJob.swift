import IkranPixels
import IkranSystem
import Synchronization

/// The job of the decode pool in which a batch is rendered: how soon it begins, and what its
/// members get at its end.
///
/// ``Rendering`` is the work itself.
final class RenderJob: Sendable {
  /// What a batch brings: its file, and images by render target.
  struct Results: Sendable {
    let file: Body
    let images: [SourceLoad.RenderTarget: Result<LoadedImage, ImageError>]

    /// Whether an image could not be drawn although the file is one.
    func isUndrawn(_ renderTarget: SourceLoad.RenderTarget) -> Bool {
      guard case .failure(let error)? = images[renderTarget], case .decode = error else {
        return false
      }
      return !renderTarget.refuses(error)
    }

    /// What a member gets that wants an image.
    func image(
      of renderTarget: SourceLoad.RenderTarget,
      staleBecause error: ImageError?
    ) -> SourceResult<LoadedImage> {
      switch images[renderTarget] {
      case .success(let image): .found(image, staleBecause: error)
      case .failure(let error): .failed(error)
      // It was given up: no caller waits for it any more.
      case nil: .failed(.cancelled)
      }
    }
  }

  private let context: PipelineContext
  private let body: Body
  private let batch: SourceLoad.BatchNumber
  private let members: [WantedSource]
  /// The decode pool's number of the job.
  private let number: UInt64
  private let priority: Atomic<Int>
  private let isWithdrawn = Atomic(false)
  private let cancellation = JobCancellation()

  init(
    of body: Body,
    batch: SourceLoad.BatchNumber,
    members: [WantedSource],
    priority: ImagePriority,
    context: PipelineContext
  ) {
    (self.context, self.body) = (context, body)
    (self.batch, self.members) = (batch, members)
    number = context.computing.nextJob()
    self.priority = Atomic(priority.rawValue)
  }

  /// Queues the job, which calls `finish` once at its end; never, if it is withdrawn before it
  /// starts.
  func submit(_ finish: @escaping @Sendable (SourceLoad.Event) -> Void) {
    context.computing.submit(number, priority: rank) { [self] workspace in
      defer { end() }
      var rendering = Rendering(
        of: body,
        batch: batch,
        members: members,
        context: context,
        workspace: workspace
      )
      finish(workspace.work(until: cancellation) { rendering.run() })
    } dropped: {
      self.end()
    }
    // It may have been withdrawn before it was queued.
    if isWithdrawn.load(ordering: .acquiring) { context.computing.withdraw(number) }
  }

  /// Sets the job's priority, also before it is queued; ``move()`` tells the queue.
  func set(_ priority: ImagePriority) {
    self.priority.store(priority.rawValue, ordering: .relaxed)
  }

  /// Moves the job in the queue to where its priority belongs now.
  func move() { context.computing.move(number, to: rank) }

  /// Takes the job out of the queue, also before it is queued; one that has started goes on until
  /// its decoder, if that is in another process, knows.
  func withdraw() {
    isWithdrawn.store(true, ordering: .releasing)
    context.computing.withdraw(number)
    abandon()
  }

  /// Makes no further image, and ends what a decoder in another process does; the file is kept.
  func abandon() { cancellation.cancel() }

  /// Nothing more is done with the body.
  private func end() {
    body.arrival?.room?.release()
    body.arrival?.transfer.animations?.end(isWhole: true)
  }

  private func rank() -> ImagePriority {
    ImagePriority(rawValue: priority.load(ordering: .relaxed)) ?? .normal
  }
}
