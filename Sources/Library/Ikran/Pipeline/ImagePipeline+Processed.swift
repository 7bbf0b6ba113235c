import IkranStores

// Styled images on the disk, encoded without loss: for those whose size no table has.

extension ImagePipeline {
  /// Whether the disk may have the styled image of a request.
  func hasStyledFiles(for request: ImageRequest) -> Bool {
    request.isDownload && keepsStyledFiles(for: request) && request.caching.reads.contains(.disk)
  }

  /// Whether the disk keeps the styled image of a request.
  func keepsStyledFiles(for request: ImageRequest) -> Bool {
    context.contents(of: request).includesImage(in: request.effectiveStyle)
  }

  /// The image as it was styled before, if the disk has it and it was made from the current bytes.
  func processedImage(
    at visit: SourceVisit,
    for key: StyledKey,
    subscription: Subscription
  ) async throws(ImageError) -> LoadedImage? {
    let (source, request) = (visit.source, visit.request)
    subscription.startWaiting(at: context.clock.now())
    let since = context.records.nextChange()
    if visit.record?.response == nil,
      let response = try await context.disk.record(for: "\(source.key)", subscription)
    {
      _ = context.learn(response, of: source)
    }
    let name = context.name(of: key, as: context.contents(of: request))
    guard let current = context.record(of: source), let id = current.body,
      let entry = try await context.disk.entry(for: name, subscription),
      entry.extended == PipelineContext.mark(of: id)
    else { return nil }
    let file = Body(bytes: entry.body, source: .disk, id: id, sourceKey: key.source)
    let decoded: DecodedImage
    let plain = request.forStyledFile
    do throws(ImageError) {
      decoded = try await context.computing.run(subscription) {
        [context, plain] (workspace) throws(ImageError) in
        try context.decode(file, fitting: .original, for: plain, workspace: workspace)
      }
    } catch .cancelled {
      throw .cancelled
    } catch {
      context.disk.remove(name)
      return nil
    }
    context.counters.count(.readFromDisk(bytes: entry.body.count))
    var image = CachedImage(decoded.image, of: decoded, nil, body: id)
    // That would be the styled file.
    image.file = nil
    let mayStore = !current.isNoStore || context.network.expiry(of: request) == .never
    if mayStore, request.caching.stores.contains(.memory) {
      keepInMemory(image, as: key, since: since)
    }
    return LoadedImage(image, from: .disk)
  }

  private func keepInMemory(_ image: CachedImage, as key: StyledKey, since: ChangeNumber) {
    context.keep(since: since) {
      context.images.store(image, for: key)
    } orRemove: {
      context.images.remove(key)
    }
  }
}

extension ImageRequest {
  /// This request for a styled file, which has the format in which the disk stores images, and one
  /// page, whatever its source has.
  fileprivate var forStyledFile: ImageRequest {
    var plain = self
    plain.format = nil
    if ownDecoding != nil {
      (plain.decoding.page, plain.decoding.scalesDownOverLimit) = (nil, false)
    }
    return plain
  }
}
