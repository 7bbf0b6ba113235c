import Ikran

extension CacheCommand {
  /// Removes images from the cache; 1 when one was in none.
  func remove(_ words: [String], _ output: Output) async throws -> Int32 {
    guard try cache.openExisting() != nil else { return 0 }
    let session = try Session(cache, needsCache: true)
    let removed = try await session.finishing(output) {
      var removed = 0
      for word in words {
        guard case .url(let location) = Input.named(word) else {
          throw Failure("\(word) is a file, which no cache has; name a URL")
        }
        let request = ImageRequest(location: location, style: .original)
        let isThere = await !session.pipeline.contains(request).isEmpty
        // A table may have a style of it all the same.
        session.pipeline.remove(request)
        if isThere {
          removed += 1
        } else {
          output.complain("\(Input.url(location).name) is not in the cache")
        }
      }
      return removed
    }
    try output.report(.object([("removed", .integer(removed))]), asJSON: isJSON)
    return removed == words.count ? 0 : 1
  }
}
