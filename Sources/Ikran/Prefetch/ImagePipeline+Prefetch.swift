import IkranStores

extension ImagePipeline {
  /// Sees to it that the disk has a download, without decoding it; the writing is done behind.
  ///
  /// - Returns: True when it had to be downloaded; false also for what is no download.
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled.
  package func fetchToDisk(_ request: ImageRequest) async throws(ImageError) -> Bool {
    guard request.isDownload else { return false }
    guard request.alternatives.isEmpty else {
      return try await withChoice(of: request) { (chosen) async throws(ImageError) in
        try await fetchToDisk(chosen)
      }
    }
    var request = request
    request.isForDisk = true
    return try await withinDeadline(of: request) { [request] () async throws(ImageError) in
      let demand = self.demand(of: request)
      return try await self.loadBody(request, Interest(request.priority), demand)?.source
        == .network
    }
  }
}
