public import IkranPixels

extension Bitmap {
  /// The picture after some filters, computed on the threads that decode a pipeline's images.
  ///
  /// ```swift
  /// let soft = try await photo.filtered(concurrently: [.blur(radius: 20), .vignette()])
  /// ```
  /// It waits its turn among decodes of normal priority. When the task is cancelled it leaves the
  /// queue, or stops before the next filter that begins a pass; one that has begun runs to its end.
  ///
  /// - Parameters:
  ///   - filters: They run in order, as ``filtered(_:scale:workspace:)`` has it.
  ///   - scale: Pixels per point, for the lengths among their parameters.
  ///   - pipeline: Whose threads compute.
  /// - Returns: A new bitmap, or this one when nothing changes.
  /// - Throws: ``FilterError`` when a parameter is no finite number, memory runs out or a custom
  ///   filter throws; `CancellationError` when the task is cancelled.
  public func filtered(
    concurrently filters: [Filter],
    scale: Double = 1,
    on pipeline: ImagePipeline = .shared
  ) async throws -> Bitmap {
    try Task.checkCancellation()
    let cancellation = JobCancellation()
    let outcome: Result<Bitmap?, FilterError>
    do {
      outcome = try await withTaskCancellationHandler {
        try await pipeline.context.computing.run(Subscription(.normal)) {
          (workspace) throws(ImageError) in
          Result { () throws(FilterError) in
            try self.filtered(filters, scale: scale, workspace: workspace) {
              !cancellation.isCancelled
            }
          }
        }
      } onCancel: {
        cancellation.cancel()
      }
    } catch {
      // The work's own errors are in its outcome: it left the queue.
      throw CancellationError()
    }
    guard let picture = try outcome.get() else { throw CancellationError() }
    return picture
  }
}
