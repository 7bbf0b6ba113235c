import IkranFoundation
import IkranPixels
import IkranStores
import IkranTransport

// The way from a caller that waits to the source image: one task for each caller, one load for
// each drawing and each source.

extension EntityImageCache {
  /// Waits for a drawing, in a task that ``cancel(_:format:)`` can reach.
  func wait(
    for entity: some ImageEntity,
    in format: TableFormat,
    priority: ImagePriority
  ) async throws(ImageError) -> Bitmap {
    let key = EntityRequests.WaitKey(id: entity.entityID, format: format.name)
    let (waiter, number) = requests.withLock { requests in
      let waiter = EntityRequests.Waiter {
        do throws(ImageError) {
          return .success(
            try await self.drawing(of: entity, in: format, for: Subscription(priority))
          )
        } catch {
          return .failure(error)
        }
      }
      return (waiter, requests.add(waiter, for: key))
    }
    let result = await withTaskCancellationHandler {
      await waiter.value
    } onCancel: {
      waiter.cancel()
    }
    requests.withLock { $0.remove(number, for: key) }
    return try result.get()
  }

  private func drawing(
    of entity: some ImageEntity,
    in format: TableFormat,
    for subscription: Subscription
  ) async throws(ImageError) -> Bitmap {
    let formats = formatsDrawn(with: format)
    let key = DrawingKey(
      id: entity.entityID,
      version: entity.sourceVersionID,
      formats: formats.map(\.name).sorted()
    )
    let drawn = try await drawings.value(for: key, subscription: subscription) {
      (subscription) async throws(ImageError) in
      try await self.draw(entity, in: formats, for: subscription)
    }
    guard let result = drawn[format.name] else { throw .cancelled }
    return try result.get()
  }

  /// Draws the formats that lack the image.
  private func draw(
    _ entity: some ImageEntity,
    in formats: [TableFormat],
    for subscription: Subscription
  ) async throws(ImageError) -> Drawn {
    let (id, version) = (entity.entityID, entity.sourceVersionID)
    let drawing = requests.withLock { $0.beginDrawing(id, version: version) }
    defer { requests.withLock { $0.endDrawing(drawing, id) } }
    // Another load may have finished it while this one was starting.
    var found: Drawn = [:]
    for format in formats {
      found[format.name] = tables.image(of: entity, format.name).map { .success($0) }
    }
    guard found.count < formats.count else { return found }
    let source = try await loadSource(of: entity, for: subscription)
    return try await pool(id).run(subscription, finishes: true) { [tables, requests, found] _ in
      let isCurrent = requests.withLock { $0.isCurrent(drawing, id) }
      var drawn = found
      for format in formats where drawn[format.name] == nil {
        if let image = tables.image(of: entity, format.name) {
          drawn[format.name] = .success(image)
        } else {
          drawn[format.name] = tables.draw(source, of: entity, format, stores: isCurrent)
        }
      }
      return drawn
    }
  }

  /// Loads the source image, once for all callers that wait for the same picture.
  private func loadSource(
    of entity: some ImageEntity,
    for subscription: Subscription
  ) async throws(ImageError) -> Bitmap {
    guard let url = entity.sourceURL else {
      throw .invalidRequest("the entity \(entity.entityID) has no source URL; set its image")
    }
    let key = SourceKey(url: url.absoluteString, version: entity.sourceVersionID)
    return try await sources.value(for: key, subscription: subscription) {
      (subscription) async throws(ImageError) in
      do throws(ImageError) {
        return try await self.sourceRequests.pass(host: "", subscription) {
          () async throws(ImageError) in
          try await self.ask(entity, url)
        }
      } catch {
        if error != .cancelled { self.tables.onError(error) }
        throw error
      }
    }
  }

  private func ask(_ entity: some ImageEntity, _ url: URL) async throws(ImageError) -> Bitmap {
    let (provider, sleep, timeout) = (provider, sleep, options.timeout)
    let ending = await Deadline.race {
      try await sleep(timeout)
    } _: {
      try await provider(entity, url)
    }
    let name = redacted(url.absoluteString)
    switch ending {
    case .finished(.success(let image?)): return image
    case .finished(.success(nil)): throw .noSource(url: name)
    case .finished(.failure(let error as ImageError)): throw error
    case .finished(.failure(let error)): throw .source("\(error)", url: name)
    case .timedOut: throw .timedOut(timeout, url: name)
    case .cancelled: throw .cancelled
    }
  }
}
