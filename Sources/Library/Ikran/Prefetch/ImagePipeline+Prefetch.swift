import IkranStores

extension ImagePipeline {
  /// Downloads to the disk cache without decoding, and returns before the file is written.
  ///
  /// The file is for the disk alone, so a download waits while the disk is far behind.
  /// - Returns: True when it had to be downloaded; false also for what is no download.
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled.
  package func fetchToDisk(_ request: ImageRequest) async throws(ImageError) -> Bool {
    guard request.isDownload else { return false }
    var request = request
    request.isForDisk = true
    let subscription = Subscription(request.priority)
    let body = try await reportingFailure(of: request, subscription) {
      [request] () async throws(ImageError) in
      await self.context.disk.waitForRoom()
      if Task.isCancelled { throw .cancelled }
      return try await self.withSources(of: request) { (chosen) async throws(ImageError) in
        try await self.loadBody(chosen, subscription, demand: self.demand(of: chosen))
      }
    }
    report(.success(body.source), of: request, metrics: metrics(subscription, body))
    return body.source == .network
  }
}
