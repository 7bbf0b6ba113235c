/// A place that shows one image at a time, in a user interface of any kind: a cell, a layer, a
/// texture.
///
/// ```swift
/// slot.load(ImageRequest(url, style: .circle(48))) { event in
///   if case .finished(let response) = event { cell.picture = response.image }
/// }
/// ```
/// It knows what a place that is used again and again has to know: a new request ends the load of
/// the last one, of which nothing arrives any more; the request that loads already goes on; what
/// memory or a table has arrives within the call. Releasing the slot ends its load.
///
/// Isolation: the main actor, so the program's main loop has to run that. On GTK's widgets
/// ``/IkranGTK/ImageTarget`` does all this and shows the image.
@MainActor
public final class ImageSlot {
  /// Called with each step of a load, on the main actor.
  public typealias Receiver = @MainActor (ImageEvent) -> Void

  private var identity: RequestIdentity?
  private var task: ImageTask?
  private var follower: Task<Void, Never>?
  private var receiver: Receiver?
  /// Counts the loads, also those that were cancelled.
  private var number = 0

  /// Makes a slot that loads nothing.
  public init() {}

  isolated deinit { follower?.cancel() }

  /// What is loading; nil when nothing is.
  public var request: ImageRequest? { task?.request }

  /// Loads an image, and ends the load of the one before.
  ///
  /// Where the same request is loading already, that goes on with the new priority, and tells the
  /// new closure alone.
  ///
  /// - Parameters:
  ///   - request: What to load; without a scale it has that of the pipeline.
  ///   - pipeline: What loads it.
  ///   - receive: Called with each step; within this call if memory or a table has the image.
  ///     Retained until the load has ended.
  public func load(
    _ request: ImageRequest,
    from pipeline: ImagePipeline = .shared,
    _ receive: @escaping Receiver
  ) {
    let identity = RequestIdentity(request, in: pipeline)
    if let task, identity != nil, identity == self.identity {
      task.priority = request.priority
      receiver = receive
      return
    }
    cancel()
    let prepared = pipeline.prepared(request)
    if let response = pipeline.immediateResponse(to: prepared) {
      return receive(.finished(response))
    }
    let (task, number) = (ImageTask(prepared, pipeline: pipeline), number)
    (self.task, self.identity, receiver) = (task, identity, receive)
    let events = task.events
    follower = Task { [weak self] in
      for await event in events { self?.receive(event, of: number) }
    }
  }

  /// Ends the load; the closure hears nothing more.
  public func cancel() {
    number += 1
    follower?.cancel()
    (task, follower, identity, receiver) = (nil, nil, nil, nil)
  }

  private func receive(_ event: ImageEvent, of number: Int) {
    guard number == self.number, let receiver else { return }
    switch event {
    case .finished, .unchanged, .failed: cancel()
    case .cached, .preview, .progress: break
    }
    receiver(event)
  }
}
